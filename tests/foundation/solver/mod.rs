//! The solver of small boards, compared with exhaustive search and known values.

mod exhaustive;

use crate::naive::NaiveBoard;
use crate::naive::bridge::set_up;
use exhaustive::Graph;
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::point::{BoardSize, Move};
use honinbo::random::Rng;
use honinbo::tactics::TableError;
use honinbo::tactics::solver::{ScoreBounds, SolveError, Solver, SolverOptions};
use std::time::Duration;

fn size(width: usize, height: usize) -> BoardSize {
    BoardSize::new(width, height).expect("a size")
}

fn solver(width: usize, height: usize, options: SolverOptions) -> Solver {
    Solver::new(size(width, height), options).expect("a small board")
}

fn vertices(width: usize, height: usize, value: i32) -> Vec<String> {
    let (moves, all) =
        solver(width, height, SolverOptions::default()).first_moves_reaching(value, &mut |_| {});
    assert!(all, "{width}x{height}: {moves:?}");
    moves
        .into_iter()
        .map(|mv| size(width, height).format_move(mv))
        .collect()
}

fn exact(value: i32) -> ScoreBounds {
    ScoreBounds {
        lower: value,
        upper: value,
    }
}

/// Board sizes with their scores, known from searches by Tromp and van der Werf (area scoring with superko).
const KNOWN: [(usize, usize, i32); 7] = [
    (2, 2, 1),
    (2, 3, 0),
    (3, 2, 0),
    (2, 4, 8),
    (3, 3, 9),
    (2, 5, 10),
    (3, 4, 4),
];

#[test]
fn small_boards_have_known_values() {
    for (width, height, value) in KNOWN {
        let found = solver(width, height, SolverOptions::default()).solve_empty_board(&mut |_| {});
        assert_eq!(found, exact(value), "{width}x{height}");
    }
}

#[test]
fn zero_time_gives_trivial_bounds() {
    for threads in [1, 2] {
        let within = |time| {
            let options = SolverOptions {
                threads,
                time: Some(Duration::from_secs(time)),
                ..SolverOptions::default()
            };
            let solver = solver(3, 3, options);
            (
                solver.solve_empty_board(&mut |_| {}),
                solver.first_moves_reaching(9, &mut |_| {}),
            )
        };
        let trivial = ScoreBounds {
            lower: -9,
            upper: 9,
        };
        assert_eq!(within(0), (trivial, (Vec::new(), false)));
        let (found, (moves, all)) = within(u64::MAX);
        assert_eq!((found, moves.len(), all), (exact(9), 1, true));
    }
}

#[test]
fn all_best_first_moves_are_found() {
    assert_eq!(vertices(3, 3, 9), ["B2"]);
    assert_eq!(vertices(3, 4, 4), ["B3", "B2"]);
    assert_eq!(vertices(2, 2, 1), ["A2", "B2", "A1", "B1"]);
    assert_eq!(vertices(2, 4, 8), ["A3", "B3", "A2", "B2"]);
    assert_eq!(vertices(3, 3, 10), [""; 0]);
}

#[test]
fn first_move_is_a_best_move() {
    for (width, height, value) in KNOWN {
        let options = SolverOptions {
            table_mib: 4,
            ..SolverOptions::default()
        };
        let solver = solver(width, height, options);
        solver.solve_empty_board(&mut |_| {});
        let first_move = solver.best_first_move().expect("a move of a solved board");
        // The table may not contain a proof for the first move yet.
        let (stones, _) = solver.first_moves_reaching(value, &mut |_| {});
        assert_eq!(stones.len(), vertices(width, height, value).len());
        let is_best = stones.contains(&first_move) || stones.is_empty() && first_move == Move::Pass;
        assert!(is_best, "{width}x{height}: {first_move:?} of {stones:?}");
    }
}

/// The values that the sides can force, with endless games counted against them, bound the solver's results.
#[test]
fn positions_agree_with_exhaustive_search() {
    for (width, height, samples) in [(2, 3, 60), (2, 4, 60), (3, 3, 60)] {
        let graph = Graph::new(width, height);
        let area = (width * height) as i8;
        let (low, high) = (graph.values(-area), graph.values(area));
        // Where superko rules differ, no depth settles the value.
        let options = SolverOptions {
            depth: 18,
            ..SolverOptions::default()
        };
        let solver = solver(width, height, options);
        let mut rng = Rng::new(5);
        let mut equal = 0;
        for _ in 0..samples {
            let (board, to_move) = random_position(width, height, &mut rng);
            let Some(state) = graph.quiet(&board, to_move) else {
                continue;
            };
            let (low, high) = (
                i32::from(low[state as usize]),
                i32::from(high[state as usize]),
            );
            let found = solver.solve_position(&set_up(&board), to_move, &mut |_| {});
            assert!(
                low <= found.upper && found.lower <= high && found.lower <= found.upper,
                "{board:?}: {found:?}, {low}..{high}"
            );
            equal += u32::from(low == high && found == exact(low));
        }
        assert!(
            equal > samples / 3,
            "{equal} of {samples} on {width}x{height}"
        );
    }
}

/// A seki between two living groups: Black can and must capture the stone at L2 at some point.
#[test]
fn dead_stones_in_settled_area_are_captured() {
    let board = diagram::parse_board(
        ". O . O X . O X . X O . X
         O O O O X . O X X X X X X",
    );
    let board = board.expect("a board");
    for color in Color::BOTH {
        let options = SolverOptions {
            depth: 12,
            ..SolverOptions::default()
        };
        let found = solver(13, 2, options).solve_position(&board, color, &mut |_| {});
        assert_eq!(found, exact(4), "{color} to move");
    }
}

/// Plays random moves from the empty board.
fn random_position(width: usize, height: usize, rng: &mut Rng) -> (NaiveBoard, Color) {
    let mut board = NaiveBoard::new(width, height);
    let mut color = Color::Black;
    let places = board.places();
    for _ in 0..rng.below(2 * places.len()) {
        let place = places[rng.below(places.len())];
        if board.at(place).is_none() {
            let after = board.after(color, place);
            if !after.suicide {
                board = after.board;
            }
        }
        color = color.opposite();
    }
    (board, color)
}

fn visited(options: SolverOptions) -> (ScoreBounds, u64) {
    let solver = solver(3, 3, options);
    (solver.solve_empty_board(&mut |_| {}), solver.node_count())
}

#[test]
fn threads_and_small_table_keep_value() {
    for threads in [1, 2, 3] {
        let options = SolverOptions {
            threads,
            table_mib: 1,
            ..SolverOptions::default()
        };
        let found = solver(3, 4, options).solve_empty_board(&mut |_| {});
        assert_eq!(found, exact(4), "{threads} threads");
    }
}

#[test]
fn node_limit_leaves_bounds_open() {
    let options = SolverOptions {
        nodes: 10_000,
        ..SolverOptions::default()
    };
    let found = solver(5, 5, options).solve_empty_board(&mut |_| {});
    assert!(found.lower < found.upper, "{found:?}");
}

#[test]
fn node_limit_is_never_exceeded() {
    for nodes in [0, 1, 100, 5_000, 10_000] {
        let options = SolverOptions {
            nodes,
            ..SolverOptions::default()
        };
        let solver = solver(5, 5, options);
        let found = solver.solve_empty_board(&mut |_| {});
        assert!(found.lower < found.upper, "{nodes}: {found:?}");
        assert_eq!(solver.node_count(), nodes);
        // Later queries visit no positions either.
        let first = solver.first_moves_reaching(found.upper, &mut |_| {});
        assert_eq!(first, (Vec::new(), false));
        assert_eq!(solver.node_count(), nodes);
    }
}

#[test]
fn sufficient_budget_gives_same_result() {
    let (found, needed) = visited(SolverOptions::default());
    let options = SolverOptions {
        nodes: needed,
        ..SolverOptions::default()
    };
    assert_eq!(visited(options), (found, needed));
}

#[test]
fn invalid_options_are_rejected() {
    let none = SolverOptions {
        table_mib: 0,
        ..SolverOptions::default()
    };
    let error = |size, options| Solver::new(size, options).err().expect("an error");
    assert_eq!(
        error(size(3, 3), none),
        SolveError::Table(TableError::ZeroSize)
    );
    let large = error(size(9, 9), SolverOptions::default());
    assert!(
        large.to_string().contains("9x9 board is too large"),
        "{large}"
    );
}
