//! Life and death as the books have it, on drawn boards: Black's group is in question, `v` is the vital point.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{BoardSize, Move};
use honinbo::tactics::life::{
    Branch, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, surroundings,
};
use honinbo::tactics::transposition_table::TableError;

const STRAIGHT_THREE: &str = ". v . X O . . .
                              X X X X O . . .
                              O O O O O . . .
                              . . . . . . . .
                              . . . . . . . .";

/// With no outside liberty.
const SIX_IN_THE_CORNER: &str = ". . . X O . .
                                 . . . X O . .
                                 X X X X O . .
                                 O O O O O . .
                                 . . . . . . .
                                 . . . . . . .";

pub fn limits(nodes: u64) -> LifeLimits {
    LifeLimits {
        nodes,
        ..LifeLimits::default()
    }
}

/// Black's group, with the side to move.
fn solve(diagram: &Diagram, to_play: Color, limits: LifeLimits) -> Result<Solution, LifeError> {
    let board = diagram.board().unwrap();
    let problem = LifeProblem {
        board: &board,
        region: &surroundings(&board),
        target: None,
        to_move: to_play,
        ko: None,
    };
    assert_eq!(problem.goal(), Ok(goal_of(to_play)), "Black is shut in");
    problem.solve(goal_of(to_play), limits)
}

fn goal_of(to_play: Color) -> LifeGoal {
    if to_play == Color::Black {
        LifeGoal::Live
    } else {
        LifeGoal::Kill
    }
}

/// What comes of each side's first move, White's to kill before Black's to live; vital points are the first moves.
pub fn assert_fate(picture: &str, killed: LifeOutcome, lives: LifeOutcome) {
    let diagram = Diagram::parse(picture).unwrap();
    for (to_play, expected) in [(Color::White, killed), (Color::Black, lives)] {
        let solution = solve(&diagram, to_play, limits(300_000)).unwrap();
        assert_eq!(
            solution.outcome, expected,
            "{to_play}\n{picture}{solution:?}"
        );
        let vital = diagram.labelled('v').only();
        if let (Some(vital), LifeOutcome::Success) = (vital, expected) {
            assert_eq!(
                solution.best_move,
                Some(Move::Play(vital)),
                "{to_play}\n{picture}"
            );
        }
    }
}

/// Black takes the ko first, but cannot end it without giving up an eye; White waits, and takes back when it likes.
#[test]
fn nobody_lives_by_a_ko_without_end() {
    let picture = ". X X X O . O .
                   X X X X X O O .
                   O O O O O O . .
                   . . . . . . . .
                   . . . . . . . .";
    let solution = solve(
        &Diagram::parse(picture).unwrap(),
        Color::Black,
        limits(300_000),
    )
    .unwrap();
    assert_eq!(solution.outcome, LifeOutcome::Failure);
}

#[test]
fn three_points_live_or_die_by_the_middle() {
    assert_fate(STRAIGHT_THREE, LifeOutcome::Success, LifeOutcome::Success);
    let bent = "v . X O . . .
                . X X O . . .
                X X O O . . .
                O O O . . . .
                . . . . . . .
                . . . . . . .";
    assert_fate(bent, LifeOutcome::Success, LifeOutcome::Success);
}

#[test]
fn four_in_a_line_live_and_four_in_a_square_are_dead() {
    let line = ". . . . X O . .
                X X X X X O . .
                O O O O O O . .
                . . . . . . . .
                . . . . . . . .";
    assert_fate(line, LifeOutcome::Failure, LifeOutcome::Success);
    let square = "O X . . X O . .
                  O X . . X O . .
                  O X X X X O . .
                  O O O O O O . .
                  . . . . . . . .
                  . . . . . . . .";
    assert_fate(square, LifeOutcome::Success, LifeOutcome::Failure);
}

#[test]
fn a_pyramid_of_four_has_one_vital_point() {
    let pyramid = "O X . v . X O .
                   O X X . X X O .
                   O O X X X O O .
                   . O O O O O . .
                   . . . . . . . .
                   . . . . . . . .";
    assert_fate(pyramid, LifeOutcome::Success, LifeOutcome::Success);
}

/// The rectangle of six in the corner: alive with two outside liberties, a ko with one, dead with none.
#[test]
fn the_rectangle_in_the_corner_counts_its_outside_liberties() {
    let one = ". . . X . O .
               . . . X O O .
               X X X X O . .
               O O O O O . .
               . . . . . . .
               . . . . . . .";
    let two = ". . . X . O .
               . . . X . O .
               X X X X O O .
               O O O O O . .
               . . . . . . .
               . . . . . . .";
    // White takes first.
    let ko = LifeOutcome::Ko {
        needs_threat: false,
        is_confirmed: true,
    };
    for (picture, killed) in [
        (SIX_IN_THE_CORNER, LifeOutcome::Success),
        (one, ko),
        (two, LifeOutcome::Failure),
    ] {
        assert_fate(picture, killed, LifeOutcome::Success);
    }
}

/// Every line of answers is legal and ends with the group taken or in peace.
#[test]
fn the_tree_of_answers_can_be_played() {
    let diagram = Diagram::parse(STRAIGHT_THREE).unwrap();
    for to_play in [Color::White, Color::Black] {
        let alone = solve(&diagram, to_play, LifeLimits::default()).unwrap();
        assert_eq!(alone.tree.len(), 1, "one move that succeeds");
        play(&diagram.board().unwrap(), to_play, &alone.tree);
    }
}

#[test]
fn threads_find_together_what_one_finds() {
    for picture in [STRAIGHT_THREE, SIX_IN_THE_CORNER] {
        let diagram = Diagram::parse(picture).unwrap();
        for to_play in [Color::White, Color::Black] {
            let alone = solve(&diagram, to_play, limits(300_000)).unwrap();
            for threads in [2, 4] {
                let shared = LifeLimits {
                    threads,
                    ..limits(300_000 * threads as u64)
                };
                let together = solve(&diagram, to_play, shared).unwrap();
                assert_eq!(together.outcome, alone.outcome, "{to_play} {threads}");
                play(&diagram.board().unwrap(), to_play, &together.tree);
            }
        }
    }
}

fn play(board: &Board, color: Color, branches: &[Branch]) {
    for Branch {
        mv,
        replies: answers,
    } in branches
    {
        let mut after = board.clone();
        if let Move::Play(point) = *mv {
            assert!(board.color_at(point).is_none() && !board.is_suicide(color, point));
            after.place(color, point);
        }
        play(&after, color.opposite(), answers);
    }
}

#[test]
fn a_group_without_eyes_that_cannot_be_attacked_is_in_seki() {
    // Whoever fills one of the two liberties that the chains share is taken; White's four stones would leave Black four
    // points in a line.
    let picture = "X . O O O . X O
                   X X X X X X X O
                   O O O O O O O O
                   . . . . . . . .
                   . . . . . . . .";
    assert_fate(picture, LifeOutcome::Failure, LifeOutcome::Success);
    let diagram = Diagram::parse(picture).unwrap();
    let to_live = solve(&diagram, Color::Black, limits(300_000)).unwrap();
    assert_eq!(to_live.seki, Some(true));
    let diagram = Diagram::parse(STRAIGHT_THREE).unwrap();
    let to_live = solve(&diagram, Color::Black, limits(300_000)).unwrap();
    assert_eq!(to_live.seki, Some(false));
}

#[test]
fn what_is_no_problem_gets_one_clear_answer() {
    let empty = Diagram::parse(". . .\n. . .\n. . .").unwrap();
    let board = empty.board().unwrap();
    let region = surroundings(&board);
    let mut problem = LifeProblem {
        board: &board,
        region: &region,
        target: None,
        to_move: Color::Black,
        ko: None,
    };
    assert_eq!(problem.goal(), Err(LifeError::NoRegion));
    let everything = board.area();
    problem.region = everything;
    let nobody = LifeError::NoTarget {
        defender: Color::Black,
    };
    assert_eq!(
        problem.solve(LifeGoal::Live, LifeLimits::default()),
        Err(nobody)
    );

    let large = Board::new(BoardSize::new(19, 19).unwrap());
    problem.board = &large;
    problem.region = large.area();
    let too_large = LifeError::TooLarge {
        width: 19,
        height: 19,
    };
    assert_eq!(problem.goal(), Err(too_large));
}

#[test]
fn the_move_that_helps_is_never_ruled_out() {
    let diagram = Diagram::parse(SIX_IN_THE_CORNER).unwrap();
    let killing = solve(&diagram, Color::White, limits(300_000)).unwrap();
    assert_eq!(
        (killing.outcome, killing.candidates),
        (LifeOutcome::Success, vec![])
    );
    let mut most = 0;
    let mut fewer = 0;
    for nodes in (1..300).step_by(7) {
        let solution = solve(&diagram, Color::White, limits(nodes)).unwrap();
        if solution.outcome != LifeOutcome::Unknown {
            continue;
        }
        let tries = solution.candidates;
        assert_eq!(tries.first().copied(), solution.best_move, "{nodes}");
        assert!(
            tries.contains(&killing.best_move.unwrap()),
            "{nodes}: {tries:?}"
        );
        most = most.max(tries.len());
        fewer += usize::from(tries.len() < most);
    }
    assert!(fewer > 0, "others are");
}

#[test]
fn a_spent_budget_proves_nothing_and_an_empty_table_is_refused() {
    let diagram = Diagram::parse(SIX_IN_THE_CORNER).unwrap();
    let solution = solve(&diagram, Color::White, limits(10)).unwrap();
    assert_eq!(
        (solution.outcome, solution.tree),
        (LifeOutcome::Unknown, vec![])
    );
    let none = LifeLimits {
        table_mib: 0,
        ..LifeLimits::default()
    };
    let refused = solve(&diagram, Color::White, none);
    assert_eq!(refused, Err(LifeError::Table(TableError::ZeroSize)));
}
