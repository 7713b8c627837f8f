//! Exact values of small boards: alpha-beta over all moves, both sides' bounds proved one by one.
//!
//! Area scoring, suicide forbidden, and any superko rule: what is proved holds under all of them ([`past`] says how).
//! A bound that favours Black is proved with Black as the *prover*: lines cut off by the depth limit count against it,
//! so a bound once found is a proof whatever the depth. The limit grows by one move at a time; when Black's bound from
//! below and White's from above meet, that is the value.

mod abdada;
pub mod features;
mod move_order;
mod node;
mod path_history;
mod search;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use abdada::SearchMarks;
use features::Features;
use node::{NO_HISTORY, Node, Set, SolverBoard};
use search::{Searcher, SharedState};
use table::{SearchWindow, SolverEntry, SolverTable};

use super::bitboard::word::Word;
use super::bitboard::{BoardGeometry, Stones};
use super::transposition_table::{TableError, TranspositionTable};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};

/// Longer lines of play are cut, which is marked: what hangs on such a line is not known. No proof so far was near it.
const MAX_DEPTH: u32 = 200;

/// Why a board cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// There are more points than a word has bits.
    #[error(
        "expected a board of at most {} bits, (columns + 1) x rows - 1 or the same turned, found one of {width}x{height}",
        u64::BITS
    )]
    TooLarge {
        /// Its columns.
        width: usize,
        /// Its rows.
        height: usize,
    },
    /// There is no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// What a solver may use.
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions {
    /// Threads, at least one.
    pub threads: usize,
    /// The table's size.
    pub table_mib: usize,
    /// Positions that may be visited in all; each thread beyond the first may add a few thousand.
    pub nodes: u64,
    /// How long it may take in all, from when the solver is made; a few thousand positions more are visited.
    pub time: Option<Duration>,
    /// Deepest search.
    pub depth: u32,
    /// Parts of the search in use.
    pub features: Features,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mib: 64,
            nodes: u64::MAX,
            time: None,
            depth: MAX_DEPTH,
            features: Features::default(),
        }
    }
}

/// Bounds of a score, from Black's side, without komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreBounds {
    /// Black gets at least that.
    pub lower: i32,
    /// Black gets at most that.
    pub upper: i32,
}

/// A step of the work, for those who watch.
#[derive(Clone, Copy, Debug)]
pub struct SolverProgress {
    /// For whom something is to be proved.
    pub prover: Color,
    /// The moves of the lines now searched.
    pub depth: u32,
    /// What is known now.
    pub bounds: ScoreBounds,
    /// Positions visited so far.
    pub nodes: u64,
}

/// A board to be solved.
pub struct Solver {
    size: BoardSize,
    shared: SharedState,
    options: SolverOptions,
}

impl Solver {
    /// For boards of that size.
    ///
    /// # Errors
    /// When the board is too large or there is no table.
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
                    features: options.features,
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

    /// Positions visited so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.shared.nodes.load(Relaxed)
    }

    /// The value of the position, whose stones are on a board of this size, with nothing having happened before; the
    /// bounds do not meet if depth, nodes or time ran out.
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

    /// The value of the empty board with Black to move; the bounds do not meet if depth, nodes or time ran out.
    pub fn solve(&self, on_progress: &mut dyn FnMut(SolverProgress)) -> ScoreBounds {
        self.tighten_bounds(
            Stones::default(),
            Color::Black,
            self.widest_bounds(),
            on_progress,
        )
    }

    /// A first move that was shown to give Black its value, once it was.
    #[must_use]
    pub fn first_move(&self) -> Option<Move> {
        let solver_board = &self.shared.board;
        let root = solver_board.node(Stones::default(), true);
        let use_symmetry = self.options.features.symmetry;
        let (key, symmetry) = solver_board.key(&root, &NO_HISTORY, use_symmetry);
        let best_move = self.shared.table.entries.get(key)?.best_move;
        match solver_board.from_canonical(symmetry, best_move) {
            SolverEntry::NO_MOVE => None,
            SolverEntry::PASS => Some(Move::Pass),
            index => Some(self.move_at(index.into())),
        }
    }

    /// The stones that Black was shown to be able to begin with and get at least `value`, and whether every other was
    /// shown to give less.
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
            // Mirror images have the same answer.
            let (key, _) = solver_board.key(&child, &NO_HISTORY, true);
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

    /// Brings bounds of Black's score nearer to each other until they meet, with `stones.own` Black's. The prover that
    /// has cost less so far goes on: where only one bound is hard, the other is not worth as much again.
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
                // Every line has been searched to its end.
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

/// Threads that search the same position, each helping the others through the table.
struct ParallelSearch<'a> {
    shared: &'a SharedState,
    searchers: Vec<Searcher<'a>>,
}

impl<'a> ParallelSearch<'a> {
    fn new(shared: &'a SharedState, threads: usize) -> Self {
        let searchers = (0..threads.max(1)).map(|_| Searcher::new(shared)).collect();
        Self { shared, searchers }
    }

    /// Whether any line was left undecided for want of depth.
    fn hit_depth_limit(&self) -> bool {
        self.searchers.iter().any(Searcher::hit_depth_limit)
    }

    /// What the first to finish has found; nothing if the budget ran out.
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
