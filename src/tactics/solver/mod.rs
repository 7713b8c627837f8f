//! Solver that computes exact scores of small boards by alpha-beta search over all moves.
//!
//! The rules are area scoring without suicide, and results hold under every superko rule (see `path_history`). The
//! *prover* is the side for which a search proves a lower bound on the score. In every position, `own` holds the
//! prover's stones. Lines that the depth limit cuts off count against the prover, so every lower bound is valid,
//! regardless of the depth limit. The depth limit increases by one move at a time. When the lower bounds proved for
//! Black and for White meet, the score is known.

mod board;
mod move_order;
mod node;
mod path_history;
mod search;
mod search_marks;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use board::SolverBoard;
use node::{NO_HISTORY, Node, Set};
use search::{Searcher, SharedState};
use search_marks::SearchMarks;
use table::{SearchWindow, SolverEntry, SolverTable};

use super::bitboard::word::Word;
use super::bitboard::{BoardGeometry, Stones};
use super::transposition_table::{TableError, TranspositionTable};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};

/// Default depth limit, in moves. Longer lines are cut off and count against the prover. No known proof comes close to
/// this limit.
const DEFAULT_DEPTH: u32 = 200;

/// Error returned when a solver cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The board does not fit a 64-bit word.
    #[error(
        "the {width}x{height} board is too large to solve: (columns + 1) x rows - 1 or columns x (rows + 1) - 1 must be at most {}",
        u64::BITS
    )]
    TooLarge {
        /// Number of columns.
        width: usize,
        /// Number of rows.
        height: usize,
    },
    /// The transposition table could not be created.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Resources and limits of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions {
    /// Number of threads, at least one.
    pub threads: usize,
    /// Table size in MiB.
    pub table_mib: usize,
    /// Maximum number of positions visited by all threads in all searches of the solver. It can be exceeded by a few
    /// thousand positions for each thread after the first.
    pub nodes: u64,
    /// Maximum time since the creation of the solver, if any. A few thousand positions may still be searched
    /// afterwards.
    pub time: Option<Duration>,
    /// Maximum search depth in moves.
    pub depth: u32,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mib: 64,
            nodes: u64::MAX,
            time: None,
            depth: DEFAULT_DEPTH,
        }
    }
}

/// Proved bounds on the score, from Black's perspective and without komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreBounds {
    pub lower: i32,
    pub upper: i32,
}

/// Progress report, sent after each search.
#[derive(Clone, Copy, Debug)]
pub struct SolverProgress {
    /// Side for which the search tried to prove a bound.
    pub prover: Color,
    /// Depth limit of the search, in moves.
    pub depth: u32,
    /// Bounds after the search.
    pub bounds: ScoreBounds,
    /// Positions visited so far.
    pub nodes: u64,
}

/// Solver that computes the exact scores of positions on boards of one size.
pub struct Solver {
    size: BoardSize,
    shared: SharedState,
    options: SolverOptions,
}

impl Solver {
    /// Creates a solver for boards of the given size. The time limit counts from this call.
    ///
    /// # Errors
    /// Returns an error if the board is too large or the table cannot be created.
    pub fn new(size: BoardSize, options: SolverOptions) -> Result<Self, SolveError> {
        let (width, height) = (size.width(), size.height());
        let geometry = BoardGeometry::new(width as u32, height as u32)
            .ok_or(SolveError::TooLarge { width, height })?;
        Ok(Self {
            size,
            shared: SharedState {
                table: SolverTable {
                    board: SolverBoard::new(geometry),
                    entries: TranspositionTable::new(options.table_mib)?,
                },
                marks: SearchMarks::default(),
                node_limit: options.nodes,
                deadline: options
                    .time
                    .and_then(|time| Instant::now().checked_add(time)),
                nodes: AtomicU64::new(0),
                stop: AtomicBool::new(false),
            },
            options,
        })
    }

    /// Returns the number of positions visited so far.
    pub fn node_count(&self) -> u64 {
        self.shared.nodes.load(Relaxed)
    }

    /// Returns bounds on the score of `board`, which is treated as a position without earlier moves. The bounds are
    /// equal unless a limit was reached. Calls `on_progress` after each search.
    pub fn solve_position(
        &self,
        board: &Board,
        to_move: Color,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> ScoreBounds {
        let geometry = self.shared.table.board.geometry();
        let set = |color: Color| {
            let numbers = board.stones(color).iter();
            numbers.fold(Set::EMPTY, |set, point| {
                set | Set::single(geometry.index(point.column() as u32, point.row() as u32))
            })
        };
        let stones = Stones {
            own: set(Color::Black),
            opponent: set(Color::White),
        };
        let area = self.size.area() as i32;
        let window = ScoreBounds {
            lower: -area,
            upper: area,
        };
        self.tighten_bounds(stones, to_move, window, on_progress)
    }

    /// Returns bounds on the score of the empty board with Black to move. The bounds are equal unless a limit was
    /// reached. Calls `on_progress` after each search.
    pub fn solve_empty_board(&self, on_progress: &mut dyn FnMut(SolverProgress)) -> ScoreBounds {
        self.solve_position(&Board::new(self.size), Color::Black, on_progress)
    }

    /// Returns a first move on the empty board with which Black reaches its proved lower bound, if the table contains
    /// one.
    pub fn best_first_move(&self) -> Option<Move> {
        let solver_board = &self.shared.table.board;
        let root = solver_board.root_node(Stones::default(), true);
        let (key, symmetry) = solver_board.key(&root, &NO_HISTORY);
        let best_move = self.shared.table.entries.get(key)?.best_move;
        match solver_board.original_move(symmetry, best_move) {
            SolverEntry::NO_MOVE => None,
            SolverEntry::PASS => Some(Move::Pass),
            index => Some(self.move_at(index.into())),
        }
    }

    /// Returns Black's first moves on the empty board that provably score at least `value`, and whether all other first
    /// moves provably score less. Does not consider a pass.
    pub fn first_moves_reaching(
        &self,
        value: i32,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> (Vec<Move>, bool) {
        let window = ScoreBounds {
            lower: value - 1,
            upper: value,
        };
        let solver_board = &self.shared.table.board;
        let root = solver_board.root_node(Stones::default(), true);
        let mut results: Vec<(u64, bool)> = Vec::new();
        let (mut moves, mut all_decided) = (Vec::new(), true);
        for index in solver_board.geometry().all_points().indices() {
            let Some((child, _)) = solver_board.after_move(&root, index) else {
                continue;
            };
            // Mirror images have the same result.
            let (key, _) = solver_board.key(&child, &NO_HISTORY);
            let cached = results.iter().find(|result| result.0 == key);
            let reaches_value = cached.map(|result| result.1).unwrap_or_else(|| {
                let bounds = self.tighten_bounds(child.stones, Color::White, window, on_progress);
                all_decided &= bounds.lower >= value || bounds.upper < value;
                bounds.lower >= value
            });
            if cached.is_none() {
                results.push((key, reaches_value));
            }
            if reaches_value {
                moves.push(self.move_at(index));
            }
        }
        (moves, all_decided)
    }

    fn move_at(&self, index: u32) -> Move {
        let (column, row) = self.shared.table.board.geometry().coordinates(index);
        Move::Play(Point::at(column as usize, row as usize))
    }

    /// Tightens the bounds on Black's score, starting from `window`, until they meet or a limit is reached.
    /// `stones.own` holds Black's stones. The prover of each search is the side for which fewer positions have been
    /// visited so far, because one of the bounds may be much harder to prove than the other.
    fn tighten_bounds(
        &self,
        stones: Stones<Set>,
        to_move: Color,
        window: ScoreBounds,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> ScoreBounds {
        self.shared.table.entries.new_generation();
        let solver_board = &self.shared.table.board;
        let roots = [
            solver_board.root_node(stones, to_move == Color::Black),
            solver_board.root_node(stones.swapped(), to_move == Color::White),
        ];
        let threads = self.options.threads.max(1);
        let mut searchers: Vec<_> = (0..threads).map(|_| Searcher::new(&self.shared)).collect();
        // Lower bounds on the scores of Black and White as provers.
        let mut lower_bounds = [window.lower, -window.upper];
        let (mut nodes_spent, mut depths) = ([0; 2], [0; 2]);
        let mut bounds = window;
        while bounds.lower < bounds.upper && self.node_count() < self.options.nodes {
            let is_open = |side: &usize| depths[*side] < self.options.depth;
            let Some(side) = (0..2).filter(is_open).min_by_key(|&side| nodes_spent[side]) else {
                break;
            };
            depths[side] += 1;
            let nodes_before = self.node_count();
            let search_window = SearchWindow {
                depth: depths[side],
                alpha: lower_bounds[side],
                beta: -lower_bounds[1 - side],
            };
            let value = run_all(&self.shared, &mut searchers, &roots[side], search_window);
            let Some(value) = value else {
                break;
            };
            nodes_spent[side] += self.node_count() - nodes_before;
            if !searchers.iter().any(Searcher::hit_depth_limit) {
                // Every line was searched to its end.
                depths[side] = self.options.depth;
            }
            lower_bounds[side] = lower_bounds[side].max(value);
            bounds = ScoreBounds {
                lower: lower_bounds[0],
                upper: -lower_bounds[1],
            };
            on_progress(SolverProgress {
                prover: Color::BOTH[side],
                depth: search_window.depth,
                bounds,
                nodes: self.node_count(),
            });
        }
        bounds
    }
}

/// Searches a position with one thread per searcher. The threads share their results through the table. Returns the
/// value found by the first thread that finishes, or `None` if a limit was reached.
fn run_all(
    shared: &SharedState,
    searchers: &mut [Searcher<'_>],
    root: &Node,
    window: SearchWindow,
) -> Option<i32> {
    shared.stop.store(false, Relaxed);
    let search = |searcher: &mut Searcher<'_>| {
        let found = searcher.run(root, window);
        shared.stop.store(true, Relaxed);
        found
    };
    if let [single] = searchers {
        return search(single);
    }
    std::thread::scope(|scope| {
        let running: Vec<_> = (searchers.iter_mut())
            .map(|searcher| scope.spawn(|| search(searcher)))
            .collect();
        let values = running.into_iter().filter_map(|thread| {
            let result = thread.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        values.reduce(i32::max)
    })
}
