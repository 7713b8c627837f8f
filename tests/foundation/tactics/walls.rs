//! What a proof of life or death takes for granted of the stones around, on drawn boards: which walls stand.

use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::Point;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::tactics::life::{LifeGoal, LifeOutcome, LifeProblem, whole_board};

use crate::tactics::life::{assert_fate, limits};

#[test]
fn a_stone_of_the_wall_can_be_taken() {
    let in_atari = ". . O . . . . .
                    X X . . . . . .
                    O X O . . . . .
                    . O . . . . . .
                    . . . . . . . .
                    . . . . . . . .";
    // Black takes it first, and then there is a ko about a false eye, which Black could win for ever and never end.
    assert_fate(in_atari, LifeOutcome::Success, LifeOutcome::Failure);
}

/// White's stone within has liberties that can be reached from outside, but only through the group: it may be taken.
#[test]
fn a_stone_within_a_group_that_is_open_is_no_wall() {
    let open = ". . . . . . X O . .
                . O X . O . X O . .
                . O X . . X X O . .
                . O X X X X O O . .
                . . O O O O . . . .
                . . . . . . . . . .";
    assert_fate(open, LifeOutcome::Success, LifeOutcome::Success);
}

#[test]
fn who_crawls_out_is_stopped_in_front() {
    let one_eye = ". X . . . . . .
                   X X O O O O . .
                   O O O . . . . .
                   . . . . . . . .
                   . . . . . . . .";
    assert_fate(one_eye, LifeOutcome::Success, LifeOutcome::Failure);
}

/// What comes of Black's group there, seen on a rectangle of so many columns and rows in the upper left corner, if the
/// side with that goal moves first.
fn seen_on(picture: &str, [columns, rows]: [usize; 2], goal: LifeGoal) -> LifeOutcome {
    let diagram = Diagram::parse(picture).unwrap();
    let board = diagram.board().unwrap();
    let seen = |point: &Point| point.column() < columns && point.row() < rows;
    let problem = LifeProblem {
        board: &board,
        region: &board.area().iter().filter(seen).collect(),
        target: board.stones(Color::Black).iter().find(seen),
        to_move: match goal {
            LifeGoal::Live => Color::Black,
            LifeGoal::Kill => Color::White,
        },
        ko: None,
    };
    problem.solve(goal, limits(100_000)).unwrap().outcome
}

/// White's stones have no liberty on the rectangle, but beyond it.
#[test]
fn what_leads_out_of_the_piece_is_no_eye() {
    let one_eye = ". . X O . .
                   X X X O . .
                   O O O O . .
                   O . . . . .
                   . . . . . .";
    let killed = seen_on(one_eye, [4, 3], LifeGoal::Kill);
    assert_eq!(killed, LifeOutcome::Success);
}

/// What comes of Black's chain at `vertex`, Black to move.
fn saved(vertex: &str, picture: &str) -> LifeOutcome {
    let board = Diagram::parse(picture).unwrap().board().unwrap();
    let target = board.size().parse_vertex(vertex).unwrap();
    let position = Position::from_board(board, Color::Black, Rules::default());
    let chain = *position.board().chain_at(target).unwrap();
    let stones = chain.stones;
    let solution = whole_board::solve(&position, &chain, &stones, LifeGoal::Live, limits(100_000));
    solution.unwrap().outcome
}

/// White's two stones have two liberties outside and are taken all the same.
#[test]
fn a_wall_of_two_liberties_does_not_stand_against_the_first_move() {
    let picture = ". . X O . . .
                   X X X O . X .
                   O O O X X X .
                   . . . . . . .
                   . . . . . . .";
    assert_eq!(saved("C5", picture), LifeOutcome::Success);
}

/// Black takes White's wall by E8, though it has three liberties.
#[test]
fn a_wall_of_three_liberties_that_is_shut_in_kills_nobody() {
    let picture = ". . X O . X . . .
                   . . X O . . . . .
                   X X X O . X . . .
                   O O O O X . . . .
                   X X X X X . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .";
    assert_ne!(saved("C9", picture), LifeOutcome::Failure);
    let seen = seen_on(picture, [5, 5], LifeGoal::Live);
    assert_ne!(seen, LifeOutcome::Failure);
}

/// P10 joins to the wall on the right, which the piece around so long a group has no room for.
#[test]
fn a_way_out_that_is_not_looked_at_leaves_the_answer_open() {
    let picture = ". . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .
                   O O O O O O O O O O O O O O O X . X .
                   O . . . . . . . . . . . . . O X . X .
                   O O O O O O O O O O O O O O O X . X .
                   O O O O O O O O O O O O O O O X . X .
                   O O O O O O O O O O O O X . . X . X .
                   X X X X X X X X X X X X X . . X X X .
                   O O O O O O O O O O O O X . . X . X .
                   O O O O O O O O O O O O O O O X . X .
                   O O O O O O O O O O O O O O O X . X .
                   O . . . . . . . . . . . . . O X . X .
                   O O O O O O O O O O O O O O O X . X .
                   . . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .
                   . . . . . . . . . . . . . . . X . X .";
    assert_ne!(saved("A10", picture), LifeOutcome::Failure);
}

/// The same with these rows at the bottom of a large board.
fn saved_at(vertex: &str, rows: &str) -> LifeOutcome {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let above = vec![".".repeat(19); 19 - rows.len()];
    let all = above.iter().map(String::as_str).chain(rows);
    let spaced = all.map(|row| {
        row.chars()
            .flat_map(|point| [point, ' '])
            .collect::<String>()
    });
    let picture: Vec<String> = spaced.collect();
    saved(vertex, &picture.join("\n"))
}

/// One eye, and E1 joins to a group that lives.
#[test]
fn a_group_may_join_to_a_friend_that_lives() {
    let saved = saved_at(
        "D1",
        "..OOOOOOOOOOO......
         .OXXO.....OXXXXXXX.
         .OX.OOOOOOOX.X.X.X.
         .OXXOOOOOOOXXXXXXX.
         .O.X.XXXXXXX.......",
    );
    assert_eq!(saved, LifeOutcome::Success);
}

/// F1 takes White's seven stones; at the edge of what is looked at stands more of Black's.
#[test]
fn a_cutting_stone_at_the_edge_of_the_piece_can_be_taken() {
    let saved = saved_at(
        "A2",
        "OOOO...............
         XXXOXXXXXX.........
         .XXXOXXXX.X........
         XXXXOOOOXXX........
         XXXXOXXXX.X........
         XXXXO.XX.XX........",
    );
    assert_eq!(saved, LifeOutcome::Success);
}

/// White's wall has no eye and one liberty that Black does not share, in a pocket of Black's.
#[test]
fn a_wall_in_a_pocket_does_not_stand() {
    let saved = saved_at(
        "A2",
        ".X.X.X.X.X.........
         XXXXXXXXXXXXX......
         XXXXXXXXX.X.X......
         OOOOOOOOXXXXX......
         ......OOXX.XX......
         XXXXXX.OXXXXX......
         .XXXXX.O..X........",
    );
    assert_ne!(saved, LifeOutcome::Failure);
}
