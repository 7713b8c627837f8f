//! Iterative deepening in a search thread, with aspiration windows.
//!
//! Each depth starts with a narrow window around the value of the previous one, and is repeated with a wider window if
//! the value is outside. The root distinguishes moves that are exactly as good as the best one, so that the choice among
//! them can be random.
//!
//! All threads search the same root to the same depth and share the transposition table (lazy SMP). They divide the work
//! by deferring [moves that another thread is searching](super::moves_in_progress). As soon as one thread has completed
//! a depth, all others continue with the next one.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use super::negamax::{Negamax, NegamaxContext};
use super::node_counts::NodeCounts;
use super::options::MAX_DEPTH;
use super::result::MoveResult;
use super::shared::SharedState;
use super::value::{INFINITY, UNITS_PER_POINT, Window};
use crate::game::point::Move;
use crate::random::Rng;

/// Half the width of the first window, in evaluation units.
const ASPIRATION_MARGIN: i32 = 2 * UNITS_PER_POINT;
/// Factor by which the margin grows after each search outside the window.
const MARGIN_GROWTH: i32 = 4;
/// Minimum depth at which the window is narrow.
const ASPIRATION_MIN_DEPTH: u32 = 2;

/// A move at the root.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    mv: Move,
    /// Number of nodes searched below the move at the last depth.
    nodes: u64,
}

/// How the search to a depth ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DepthEnd {
    Completed,
    /// Another thread has completed the depth.
    Overtaken,
    Stopped,
}

/// Result of searching the root moves with one window.
struct RootResult {
    /// Moves with the maximum value.
    best: Vec<MoveResult>,
    /// Maximum value, or an upper bound if it is below the window.
    value: i32,
    /// False if the search was stopped before all moves were searched.
    is_complete: bool,
}

/// Iterative deepening in a search thread.
pub struct Deepening<'a> {
    shared: &'a SharedState,
    thread: usize,
    negamax: Negamax<'a>,
    moves: Vec<RootMove>,
    rng: Rng,
    /// Value of the last completed depth.
    value: i32,
}

impl<'a> Deepening<'a> {
    /// Prepares the iterative deepening of the thread with the given index. `should_stop` receives numbers of searched
    /// nodes, which it adds up, and the depth of the search. It returns true if the search should stop.
    pub fn new(
        shared: &'a SharedState,
        thread: usize,
        should_stop: &'a dyn Fn(NodeCounts, u32) -> bool,
    ) -> Self {
        let context = NegamaxContext {
            eval: &shared.eval,
            table: shared.table.as_deref(),
            pruning: shared.options.pruning,
            constraints: shared.restriction.constraints_below_root(),
            in_progress: &shared.in_progress,
            should_stop,
        };
        let negamax = Negamax::new(&shared.root, context);
        let allowed = negamax
            .root_moves()
            .into_iter()
            .filter(|&mv| shared.restriction.allows_at_root(mv));
        Self {
            moves: allowed.map(|mv| RootMove { mv, nodes: 0 }).collect(),
            shared,
            thread,
            negamax,
            rng: Rng::stream(shared.seed, thread as u64),
            value: 0,
        }
    }

    /// Deepens until the maximum depth is complete or the search should stop. The first thread always completes depth
    /// 1, so that there is a move to play.
    pub fn run(&mut self) {
        let max_depth = self
            .shared
            .options
            .depth
            .unwrap_or(MAX_DEPTH)
            .min(MAX_DEPTH);
        if self.moves.is_empty() {
            return;
        }
        for depth in 1..=max_depth {
            self.negamax.can_stop = depth > 1 || self.thread > 0;
            match self.search_depth(depth) {
                DepthEnd::Completed => {}
                DepthEnd::Overtaken => self.adopt_result(),
                DepthEnd::Stopped => return,
            }
            if self.negamax.report_nodes(depth + 1) {
                return;
            }
        }
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Searches to `depth` plies and publishes the result.
    fn search_depth(&mut self, depth: u32) -> DepthEnd {
        let mut margin = ASPIRATION_MARGIN;
        let mut window = if depth < ASPIRATION_MIN_DEPTH {
            Window::FULL
        } else {
            Window {
                alpha: self.value - margin,
                beta: self.value + margin,
            }
        };
        loop {
            let result = self.search_root(depth, window);
            if !result.is_complete {
                if self.shared.has_completed(depth) {
                    return DepthEnd::Overtaken;
                }
                if !result.best.is_empty() {
                    self.publish(depth - 1, result.best);
                }
                return DepthEnd::Stopped;
            }
            margin = margin.saturating_mul(MARGIN_GROWTH).min(INFINITY);
            if result.value <= window.alpha && window.alpha > -INFINITY {
                window.alpha = (result.value - margin).max(-INFINITY);
            } else if result.value >= window.beta && window.beta < INFINITY {
                window.beta = (result.value + margin).min(INFINITY);
                self.order_moves(&result.best);
            } else {
                self.value = result.value;
                self.publish(depth, result.best);
                return DepthEnd::Completed;
            }
        }
    }

    /// Continues from the published result of another thread.
    fn adopt_result(&mut self) {
        let best = self.shared.result.lock().moves.clone();
        self.value = best.first().map_or(self.value, |result| result.value);
        self.order_moves(&best);
    }

    /// Searches all root moves to `depth` plies.
    fn search_root(&mut self, depth: u32, window: Window) -> RootResult {
        let mut result = RootResult {
            best: Vec::new(),
            value: -INFINITY,
            is_complete: false,
        };
        // Moves that another thread is searching follow after all others.
        let mut queue: VecDeque<(usize, bool)> = (0..self.moves.len())
            .map(|index| (index, index > 0))
            .collect();
        while let Some((index, can_be_deferred)) = queue.pop_front() {
            let mv = self.moves[index].mv;
            if can_be_deferred && self.negamax.is_root_move_in_progress(mv) {
                queue.push_back((index, false));
                continue;
            }
            // The window includes the value of the best move, so that the search recognises equally good moves.
            let move_window = window.raise_alpha(result.value - 1);
            let nodes_before = self.negamax.nodes();
            let Some(value) = self
                .negamax
                .value_of_root_move((index, mv), depth, move_window)
            else {
                return result;
            };
            let nodes = self.negamax.nodes() - nodes_before;
            self.moves[index].nodes = nodes;
            if value > result.value {
                result.value = value;
                result.best.clear();
            }
            if value == result.value && value > window.alpha {
                let pv = self.negamax.pv(mv);
                result.best.push(MoveResult { value, nodes, pv });
            }
            if value >= window.beta {
                break;
            }
        }
        result.is_complete = true;
        result
    }

    /// Publishes `best`, the best moves of the search to `depth` plies, in random order.
    fn publish(&mut self, depth: u32, mut best: Vec<MoveResult>) {
        self.rng.shuffle(&mut best);
        self.order_moves(&best);
        self.shared.publish(depth, best);
    }

    /// Orders the root moves for the next search: first `best`, then the others by the sizes of their subtrees.
    fn order_moves(&mut self, best: &[MoveResult]) {
        let rank = |root_move: &RootMove| {
            let index = best.iter().position(|result| result.mv() == root_move.mv);
            (index.unwrap_or(best.len()), Reverse(root_move.nodes))
        };
        self.moves.sort_by_key(rank);
    }
}
