//! Textbook life-and-death problems. Black's group is in question, and `v` is the vital point.

use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::diagram::Diagram;
use honinbo::game::point::{BoardSize, Move};
use honinbo::tactics::TableError;
use honinbo::tactics::life::{
    Branch, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, default_region,
};

const STRAIGHT_THREE: &str = ". v . X O . . .
                              X X X X O . . .
                              O O O O O . . .
                              . . . . . . . .
                              . . . . . . . .";

/// Without outside liberties.
const SIX_IN_THE_CORNER: &str = ". . . X O . .
                                 . . . X O . .
                                 X X X X O . .
                                 O O O O O . .
                                 . . . . . . .
                                 . . . . . . .";

pub fn limits(nodes: u64) -> LifeLimits {
    LifeLimits {
        nodes_per_proof: nodes,
        ..LifeLimits::default()
    }
}

/// Solves the problem of Black's group with the given side to move.
pub fn solve(diagram: &Diagram, to_play: Color, limits: LifeLimits) -> Result<Solution, LifeError> {
    let board = diagram.to_board().unwrap();
    let problem = LifeProblem {
        board: &board,
        region: &default_region(&board),
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

/// Checks the outcome with White to move (killing), then with Black to move (living). Successful first moves must
/// be at the vital point.
pub fn assert_outcomes(text: &str, killed: LifeOutcome, lives: LifeOutcome) {
    let diagram = Diagram::parse(text).unwrap();
    for (to_play, expected) in [(Color::White, killed), (Color::Black, lives)] {
        let solution = solve(&diagram, to_play, limits(300_000)).unwrap();
        assert_eq!(solution.outcome, expected, "{to_play}\n{text}{solution:?}");
        let vital = diagram.points_with_label('v').only();
        if let (Some(vital), LifeOutcome::Success) = (vital, expected) {
            assert_eq!(
                solution.best_move,
                Some(Move::Play(vital)),
                "{to_play}\n{text}"
            );
        }
    }
}

/// Black captures in the ko first, but can only resolve it by giving up an eye. White waits and retakes later.
#[test]
fn endless_ko_does_not_live() {
    let text = ". X X X O . O .
                   X X X X X O O .
                   O O O O O O . .
                   . . . . . . . .
                   . . . . . . . .";
    let solution = solve(
        &Diagram::parse(text).unwrap(),
        Color::Black,
        limits(300_000),
    )
    .unwrap();
    assert_eq!(solution.outcome, LifeOutcome::Failure);
}

/// Black attacks the stones around it and gets at least a ko at B8. The white walls are therefore not safe, and the
/// group is not dead.
#[test]
fn weak_walls_do_not_kill() {
    let text = ". . . . . . . . .
                . . . . . . . . .
                . O X X X . O . .
                . X O O O O . . .
                . O O . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .
                . . . . . . . . .";
    let solution = solve(&Diagram::parse(text).unwrap(), Color::Black, limits(10_000)).unwrap();
    assert_ne!(solution.outcome, LifeOutcome::Failure);
}

#[test]
fn three_points_depend_on_middle() {
    assert_outcomes(STRAIGHT_THREE, LifeOutcome::Success, LifeOutcome::Success);
    let bent = "v . X O . . .
                . X X O . . .
                X X O O . . .
                O O O . . . .
                . . . . . . .
                . . . . . . .";
    assert_outcomes(bent, LifeOutcome::Success, LifeOutcome::Success);
}

#[test]
fn line_of_four_lives_square_dies() {
    let line = ". . . . X O . .
                X X X X X O . .
                O O O O O O . .
                . . . . . . . .
                . . . . . . . .";
    assert_outcomes(line, LifeOutcome::Failure, LifeOutcome::Success);
    let square = "O X . . X O . .
                  O X . . X O . .
                  O X X X X O . .
                  O O O O O O . .
                  . . . . . . . .
                  . . . . . . . .";
    assert_outcomes(square, LifeOutcome::Success, LifeOutcome::Failure);
}

#[test]
fn pyramid_four_has_vital_point() {
    let pyramid = "O X . v . X O .
                   O X X . X X O .
                   O O X X X O O .
                   . O O O O O . .
                   . . . . . . . .
                   . . . . . . . .";
    assert_outcomes(pyramid, LifeOutcome::Success, LifeOutcome::Success);
}

/// The six-point rectangle in the corner: alive with two outside liberties, a ko with one, dead without any.
#[test]
fn corner_six_depends_on_outside_liberties() {
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
    // White captures in the ko first.
    let ko = LifeOutcome::Ko {
        needs_threat: false,
        is_confirmed: true,
    };
    for (text, killed) in [
        (SIX_IN_THE_CORNER, LifeOutcome::Success),
        (one, ko),
        (two, LifeOutcome::Failure),
    ] {
        assert_outcomes(text, killed, LifeOutcome::Success);
    }
}

/// All lines of the solution tree are legal.
#[test]
fn solution_tree_is_legal() {
    let diagram = Diagram::parse(STRAIGHT_THREE).unwrap();
    for to_play in [Color::White, Color::Black] {
        let single = solve(&diagram, to_play, LifeLimits::default()).unwrap();
        assert_eq!(single.tree.len(), 1, "a single successful move");
        play(&diagram.to_board().unwrap(), to_play, &single.tree);
    }
}

#[test]
fn threads_agree_with_single_thread() {
    for text in [STRAIGHT_THREE, SIX_IN_THE_CORNER] {
        let diagram = Diagram::parse(text).unwrap();
        for to_play in [Color::White, Color::Black] {
            let single = solve(&diagram, to_play, limits(300_000)).unwrap();
            for threads in [2, 4] {
                let shared = LifeLimits {
                    threads,
                    ..limits(300_000 * threads as u64)
                };
                let parallel = solve(&diagram, to_play, shared).unwrap();
                assert_eq!(parallel.outcome, single.outcome, "{to_play} {threads}");
                play(&diagram.to_board().unwrap(), to_play, &parallel.tree);
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
fn unattackable_group_lives_in_seki() {
    // The side that fills one of the two shared liberties is captured. Capturing White's four stones would give Black
    // a line of four points.
    let text = "X . O O O . X O
                   X X X X X X X O
                   O O O O O O O O
                   . . . . . . . .
                   . . . . . . . .";
    assert_outcomes(text, LifeOutcome::Failure, LifeOutcome::Success);
    let diagram = Diagram::parse(text).unwrap();
    let to_live = solve(&diagram, Color::Black, limits(300_000)).unwrap();
    assert_eq!(to_live.seki, Some(true));
    let diagram = Diagram::parse(STRAIGHT_THREE).unwrap();
    let to_live = solve(&diagram, Color::Black, limits(300_000)).unwrap();
    assert_eq!(to_live.seki, Some(false));
}

#[test]
fn invalid_problems_are_rejected() {
    let empty = Diagram::parse(". . .\n. . .\n. . .").unwrap();
    let board = empty.to_board().unwrap();
    let region = default_region(&board);
    let mut problem = LifeProblem {
        board: &board,
        region: &region,
        target: None,
        to_move: Color::Black,
        ko: None,
    };
    assert_eq!(problem.goal(), Err(LifeError::NoRegion));
    let area = board.all_points();
    problem.region = area;
    let no_target = LifeError::NoTarget {
        defender: Color::Black,
    };
    assert_eq!(
        problem.solve(LifeGoal::Live, LifeLimits::default()),
        Err(no_target)
    );

    let large = Board::new(BoardSize::new(19, 19).unwrap());
    problem.board = &large;
    problem.region = large.all_points();
    let too_large = LifeError::TooLarge {
        width: 19,
        height: 19,
    };
    assert_eq!(problem.goal(), Err(too_large));
}

#[test]
fn candidates_include_winning_move() {
    let diagram = Diagram::parse(SIX_IN_THE_CORNER).unwrap();
    let killing = solve(&diagram, Color::White, limits(300_000)).unwrap();
    assert_eq!(
        (killing.outcome, killing.candidates),
        (LifeOutcome::Success, vec![])
    );
    let mut max = 0;
    let mut reduced = 0;
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
        max = max.max(tries.len());
        reduced += usize::from(tries.len() < max);
    }
    assert!(reduced > 0, "never reduced");
}

#[test]
fn exhausted_budget_and_empty_table() {
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

#[test]
fn area_contains_group_and_its_surroundings() {
    let diagram = Diagram::parse(SIX_IN_THE_CORNER).unwrap();
    let board = diagram.to_board().unwrap();
    let problem = LifeProblem {
        board: &board,
        region: &default_region(&board),
        target: None,
        to_move: Color::White,
        ko: None,
    };
    let area = problem.area(LifeGoal::Kill).unwrap();
    assert_eq!(area.defender, Color::Black);
    assert_eq!(area.group, *board.stones(Color::Black));
    let around = area.group.grown(board.all_points());
    assert!(around.is_subset(&area.points));
}
