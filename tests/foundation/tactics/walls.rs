//! Assumptions of life-and-death proofs about the surrounding stones: which walls are safe.

use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::Point;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::tactics::life::{LifeGoal, LifeOutcome, LifeProblem, solve_chain};

use crate::tactics::life::{assert_outcomes, limits, solve};

#[test]
fn wall_stone_in_atari_is_captured() {
    let in_atari = ". . O . . . . .
                    X X . . . . . .
                    O X O . . . . .
                    . O . . . . . .
                    . . . . . . . .
                    . . . . . . . .";
    // Black captures it first. Then there is a ko for a false eye, which Black could win any number of times without
    // ever resolving it. Neither this nor the success of White is proved, because Black may leave the region.
    assert_outcomes(in_atari, LifeOutcome::Unknown, LifeOutcome::Unknown);
}

/// White's inner stone has liberties that are connected to the outside only through the group, so it can be captured.
const OPEN_GROUP: &str = ". . . . . . X O . .
                          . O X . O . X O . .
                          . O X . . X X O . .
                          . O X X X X O O . .
                          . . O O O O . . . .
                          . . . . . . . . . .";

/// The same group. The surrounding stones live.
const ENCLOSED_GROUP: &str = ". . . . . . X O .
                              . O X . O . X O O
                              . O X . . X X O .
                              . O X X X X O O O
                              O O O O O O O O O
                              O O O O O O O O O";

#[test]
fn stone_inside_open_group_is_no_wall() {
    let diagram = Diagram::parse(OPEN_GROUP).unwrap();
    let solution = solve(&diagram, Color::Black, limits(300_000)).unwrap();
    assert_eq!(solution.outcome, LifeOutcome::Success);
}

/// Black can capture a stone at A6 from A5, which is far from the group. If Black wins all kos, White cannot kill.
#[test]
fn distant_capture_saves_group() {
    let diagram = Diagram::parse(OPEN_GROUP).unwrap();
    let solution = solve(&diagram, Color::White, limits(100_000)).unwrap();
    assert_ne!(solution.outcome, LifeOutcome::Success);
    let board = Diagram::parse(ENCLOSED_GROUP).unwrap().to_board().unwrap();
    let problem = LifeProblem {
        board: &board,
        region: board.all_points(),
        target: None,
        to_move: Color::White,
        ko: None,
    };
    let solution = problem.solve(LifeGoal::Kill, limits(300_000)).unwrap();
    let ko = LifeOutcome::Ko {
        needs_threat: false,
        is_confirmed: true,
    };
    assert_eq!(solution.outcome, ko);
}

#[test]
fn crawling_group_is_blocked() {
    let one_eye = ". X . . . . . .
                   X X O O O O . .
                   O O O . . . . .
                   . . . . . . . .
                   . . . . . . . .";
    assert_outcomes(one_eye, LifeOutcome::Success, LifeOutcome::Failure);
}

/// Solves the problem of Black's group on a rectangle of `columns` x `rows` points in the upper left corner, for
/// the side that moves first with `goal`.
fn outcome_on_rectangle(text: &str, [columns, rows]: [usize; 2], goal: LifeGoal) -> LifeOutcome {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.to_board().unwrap();
    let is_inside = |point: &Point| point.column() < columns && point.row() < rows;
    let problem = LifeProblem {
        board: &board,
        region: &board.all_points().iter().filter(is_inside).collect(),
        target: board.stones(Color::Black).iter().find(is_inside),
        to_move: match goal {
            LifeGoal::Live => Color::Black,
            LifeGoal::Kill => Color::White,
        },
        ko: None,
    };
    problem.solve(goal, limits(100_000)).unwrap().outcome
}

/// White's stones only have liberties outside the rectangle.
#[test]
fn open_area_is_no_eye() {
    let one_eye = ". . X O . .
                   X X X O . .
                   O O O O . .
                   O . . . . .
                   . . . . . .";
    let killed = outcome_on_rectangle(one_eye, [4, 3], LifeGoal::Kill);
    assert_eq!(killed, LifeOutcome::Success);
}

/// Black can leave the rectangle at A7, but the corridor ends there.
#[test]
fn corridor_that_ends_outside_is_no_escape() {
    let corridor = ". . X O . . . . . . . . .
                    X X X O . . . . . . . . .
                    . O O O . . . . . . . . .
                    . O . . . . . . . . . . .
                    O O . . . . . . . . . . .
                    . . . . . . . . . . . . .
                    . . . . . . . . . . . . .
                    . . . . . . . . . . . . .
                    . . . . . . . . . . . . .";
    let lives = outcome_on_rectangle(corridor, [4, 3], LifeGoal::Live);
    assert_eq!(lives, LifeOutcome::Failure);
}

/// C7 connects the stones in the corner to stones that can run out of the searched part of the board at J7.
#[test]
fn stones_at_the_border_are_an_escape() {
    let open = ". O O O O O O . . . . . .
                X X . X X X X X . . . . .
                X X . X X X X X . . . . .
                O O O O O O O . . . . . .
                . . . . . . . . . . . . .
                . . . . . . . . . . . . .
                . . . . . . . . . . . . .
                . . . . . . . . . . . . .
                . . . . . . . . . . . . .";
    let lives = outcome_on_rectangle(open, [6, 5], LifeGoal::Live);
    assert_ne!(lives, LifeOutcome::Failure);
}

/// Returns the outcome for Black's chain at `vertex` with Black to move.
fn outcome_at(vertex: &str, text: &str) -> LifeOutcome {
    let board = Diagram::parse(text).unwrap().to_board().unwrap();
    let target = board.size().parse_vertex(vertex).unwrap();
    let position = Position::from_board(board, Color::Black, Rules::default());
    let chain = *position.board().chain_at(target).unwrap();
    let stones = chain.stones;
    let solution = solve_chain(&position, &chain, &stones, LifeGoal::Live, limits(100_000));
    solution.unwrap().outcome
}

/// White's two stones have two outside liberties and can still be captured.
#[test]
fn two_liberty_wall_is_unsafe() {
    let text = ". . X O . . .
                   X X X O . X .
                   O O O X X X .
                   . . . . . . .
                   . . . . . . .";
    assert_eq!(outcome_at("C5", text), LifeOutcome::Success);
}

/// Black captures White's wall at E8, although it has three liberties.
#[test]
fn enclosed_three_liberty_wall_is_unsafe() {
    let text = ". . X O . X . . .
                   . . X O . . . . .
                   X X X O . X . . .
                   O O O O X . . . .
                   X X X X X . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .";
    assert_ne!(outcome_at("C9", text), LifeOutcome::Failure);
    let on_rectangle = outcome_on_rectangle(text, [5, 5], LifeGoal::Live);
    assert_ne!(on_rectangle, LifeOutcome::Failure);
}

/// P10 connects to the wall on the right, which does not fit into the region around such a long group.
#[test]
fn unread_escape_is_no_failure() {
    let text = ". . . . . . . . . . . . . . . X . X .
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
    assert_ne!(outcome_at("A10", text), LifeOutcome::Failure);
}

/// Like `outcome_at`, with these rows at the bottom of a large board.
fn outcome_at_bottom(vertex: &str, rows: &str) -> LifeOutcome {
    let rows: Vec<&str> = rows.split_whitespace().collect();
    let above = vec![".".repeat(19); 19 - rows.len()];
    let all = above.iter().map(String::as_str).chain(rows);
    let spaced = all.map(|row| {
        row.chars()
            .flat_map(|point| [point, ' '])
            .collect::<String>()
    });
    let text: Vec<String> = spaced.collect();
    outcome_at(vertex, &text.join("\n"))
}

/// One eye, and E1 connects to a living group.
#[test]
fn connecting_to_living_group_lives() {
    let outcome = outcome_at_bottom(
        "D1",
        "..OOOOOOOOOOO......
         .OXXO.....OXXXXXXX.
         .OX.OOOOOOOX.X.X.X.
         .OXXOOOOOOOXXXXXXX.
         .O.X.XXXXXXX.......",
    );
    assert_eq!(outcome, LifeOutcome::Success);
}

/// F1 captures White's seven stones. More black stones are at the edge of the region.
#[test]
fn cutting_stone_at_region_edge_is_captured() {
    let outcome = outcome_at_bottom(
        "A2",
        "OOOO...............
         XXXOXXXXXX.........
         .XXXOXXXX.X........
         XXXXOOOOXXX........
         XXXXOXXXX.X........
         XXXXO.XX.XX........",
    );
    assert_eq!(outcome, LifeOutcome::Success);
}

/// White's wall has no eye. Its only liberty that Black does not share is in a black pocket.
#[test]
fn wall_in_pocket_is_unsafe() {
    let outcome = outcome_at_bottom(
        "A2",
        ".X.X.X.X.X.........
         XXXXXXXXXXXXX......
         XXXXXXXXX.X.X......
         OOOOOOOOXXXXX......
         ......OOXX.XX......
         XXXXXX.OXXXXX......
         .XXXXX.O..X........",
    );
    assert_ne!(outcome, LifeOutcome::Failure);
}
