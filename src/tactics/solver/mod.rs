//! Computes exact scores of small boards by alpha-beta search over all moves.
//!
//! The rules are area scoring without suicide, and results hold under every superko rule (see `path_history`).
//! [`Stones`](super::bitboard::Stones) are stored from the perspective of the *prover*, the side for which a lower
//! bound on the score is searched: `own` holds the prover's stones. Lines that the depth limit cuts off count against
//! the prover, so every lower bound is proved, regardless of the depth. The depth limit increases by one move at a
//! time. When the lower bounds proved for Black and for White meet, the score is known.

mod abdada;
mod move_order;
mod node;
mod path_history;
mod search;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use abdada::SearchMarks;
use node::{NO_HISTORY, Node, Set, SolverBoard};
use search::{Searcher, SharedState};
use table::{SearchWindow, SolverEntry, SolverTable};

use super::bitboard::word::Word;
use super::bitboard::{BoardGeometry, Stones};
use super::transposition_table::{TableError, TranspositionTable};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};

/// Maximum depth of a line. Longer lines are cut off and count as undecided. No known proof comes close to this limit.
const MAX_DEPTH: u32 = 200;

/// Error returned when a solver cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The board does not fit a 64-bit word.
    #[error(
        "{width}x{height} is too large to solve: (columns + 1) x rows - 1 must be at most {} in one orientation",
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

/// Resources of a solver.
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions {
    /// Number of threads, at least one.
    pub threads: usize,
    /// Table size in MiB.
    pub table_mib: usize,
    /// Maximum number of positions. Each thread beyond the first may exceed it by a few thousand.
    pub nodes: u64,
    /// Maximum time since the creation of the solver, if any. A few thousand positions may still be searched
    /// afterwards.
    pub time: Option<Duration>,
    /// Maximum search depth.
    pub depth: u32,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mib: 64,
            nodes: u64::MAX,
            time: None,
            depth: MAX_DEPTH,
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
    /// Depth of the search.
    pub depth: u32,
    /// Bounds after the search.
    pub bounds: ScoreBounds,
    /// Positions visited so far.
    pub nodes: u64,
}

/// Solver for boards of one size.
pub struct Solver {
    size: BoardSize,
    shared: SharedState,
    options: SolverOptions,
}

impl Solver {
    /// Creates a solver.
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
                board: SolverBoard::new(geometry),
                table: SolverTable {
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
    pub fn nodes(&self) -> u64 {
        self.shared.nodes.load(Relaxed)
    }

    /// Returns bounds on the score of `board`, which is treated as a position without earlier moves. The bounds differ
    /// if a limit was reached.
    pub fn solve_position(
        &self,
        board: &Board,
        to_move: Color,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> ScoreBounds {
        let geometry = self.shared.board.geometry();
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
        self.tighten_bounds(stones, to_move, self.widest_bounds(), on_progress)
    }

    /// Returns bounds on the score of the empty board with Black to move. The bounds differ if a limit was reached.
    pub fn solve(&self, on_progress: &mut dyn FnMut(SolverProgress)) -> ScoreBounds {
        self.tighten_bounds(
            Stones::default(),
            Color::Black,
            self.widest_bounds(),
            on_progress,
        )
    }

    /// Returns a first move that proves Black's lower bound, if the table contains one.
    pub fn first_move(&self) -> Option<Move> {
        let solver_board = &self.shared.board;
        let root = solver_board.node(Stones::default(), true);
        let (key, symmetry) = solver_board.key(&root, &NO_HISTORY);
        let best_move = self.shared.table.entries.get(key)?.best_move;
        match solver_board.original_move(symmetry, best_move) {
            SolverEntry::NO_MOVE => None,
            SolverEntry::PASS => Some(Move::Pass),
            index => Some(self.move_at(index.into())),
        }
    }

    /// Returns Black's first moves that provably score at least `value`, and true if all other first moves provably
    /// score less.
    pub fn first_moves(
        &self,
        value: i32,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> (Vec<Move>, bool) {
        let window = ScoreBounds {
            lower: value - 1,
            upper: value,
        };
        let solver_board = &self.shared.board;
        let root = solver_board.node(Stones::default(), true);
        let mut results: Vec<(u64, bool)> = Vec::new();
        let (mut moves, mut all_decided) = (Vec::new(), true);
        for index in solver_board.geometry().area().indices() {
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
        let (column, row) = self.shared.board.geometry().coordinates(index);
        Move::Play(Point::at(column as usize, row as usize))
    }

    fn widest_bounds(&self) -> ScoreBounds {
        let area = self.size.area() as i32;
        ScoreBounds {
            lower: -area,
            upper: area,
        }
    }

    /// Tightens the bounds on Black's score until they meet. `stones.own` holds Black's stones. Each step continues
    /// with the prover that has used fewer positions so far, because one of the bounds may be much harder to prove than
    /// the other.
    fn tighten_bounds(
        &self,
        stones: Stones<Set>,
        to_move: Color,
        window: ScoreBounds,
        on_progress: &mut dyn FnMut(SolverProgress),
    ) -> ScoreBounds {
        self.shared.table.entries.new_generation();
        let solver_board = &self.shared.board;
        let roots = [
            solver_board.node(stones, to_move == Color::Black),
            solver_board.node(stones.swapped(), to_move == Color::White),
        ];
        let mut searchers = ParallelSearch::new(&self.shared, self.options.threads);
        let (mut bounds, mut nodes_spent, mut depths) = (window, [0; 2], [0; 2]);
        while bounds.lower < bounds.upper && self.nodes() < self.options.nodes {
            let is_open = |side: &usize| depths[*side] < self.options.depth;
            let Some(side) = (0..2).filter(is_open).min_by_key(|&side| nodes_spent[side]) else {
                break;
            };
            depths[side] += 1;
            let is_black = side == 0;
            let nodes_before = self.nodes();
            let search_window = SearchWindow {
                depth: depths[side],
                alpha: if is_black {
                    bounds.lower
                } else {
                    -bounds.upper
                },
                beta: if is_black {
                    bounds.upper
                } else {
                    -bounds.lower
                },
            };
            let Some(value) = searchers.run(&roots[side], search_window) else {
                break;
            };
            nodes_spent[side] += self.nodes() - nodes_before;
            if !searchers.hit_depth_limit() {
                // Every line was searched to its end.
                depths[side] = self.options.depth;
            }
            if is_black {
                bounds.lower = bounds.lower.max(value);
            } else {
                bounds.upper = bounds.upper.min(-value);
            }
            on_progress(SolverProgress {
                prover: if is_black { Color::Black } else { Color::White },
                depth: search_window.depth,
                bounds,
                nodes: self.nodes(),
            });
        }
        bounds
    }
}

/// Threads that search the same position and share their results through the table.
struct ParallelSearch<'a> {
    shared: &'a SharedState,
    searchers: Vec<Searcher<'a>>,
}

impl<'a> ParallelSearch<'a> {
    fn new(shared: &'a SharedState, threads: usize) -> Self {
        let searchers = (0..threads.max(1)).map(|_| Searcher::new(shared)).collect();
        Self { shared, searchers }
    }

    /// Returns true if any line was cut off by the depth limit.
    fn hit_depth_limit(&self) -> bool {
        self.searchers.iter().any(Searcher::hit_depth_limit)
    }

    /// Returns the value found by the first thread that finishes, or `None` if a limit was reached.
    fn run(&mut self, root: &Node, window: SearchWindow) -> Option<i32> {
        let shared = self.shared;
        shared.stop.store(false, Relaxed);
        let search = |searcher: &mut Searcher<'a>| {
            let found = searcher.run(root, window);
            shared.stop.store(true, Relaxed);
            found
        };
        if let [single] = self.searchers.as_mut_slice() {
            return search(single);
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = self
                .searchers
                .iter_mut()
                .map(|searcher| scope.spawn(|| search(searcher)))
                .collect();
            let values = running.into_iter().filter_map(|thread| {
                let result = thread.join();
                result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            values.reduce(i32::max)
        })
    }
}
