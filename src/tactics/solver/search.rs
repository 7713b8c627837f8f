//! Alpha-beta search of a single thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::move_order::{Child, MoveOrder};
use super::node::{Node, Set};
use super::path_history::PathHistory;
use super::search_marks::SearchMarks;
use super::table::{SearchValue, SearchWindow, SolverEntry, SolverTable};
use crate::tactics::bitboard::word::Word;

/// Maximum number of nodes between two synchronisations with other threads.
const SYNC_INTERVAL: u64 = 4096;
/// Minimum remaining depth of nodes that are marked as being searched. Shallower searches end before other threads
/// could benefit from a mark.
const MIN_MARKED_DEPTH: u32 = 3;
/// Minimum remaining depth of nodes at which the table is probed for all moves before any of them is searched.
const MIN_TRANSPOSITION_CUTOFF_DEPTH: u32 = 4;

/// Solver state shared by all threads.
pub struct SharedState {
    pub table: SolverTable,
    /// Marks of the positions being searched.
    pub marks: SearchMarks,
    /// Maximum total number of nodes of all threads.
    pub node_limit: u64,
    /// Time at which all threads stop, if there is a time limit.
    pub deadline: Option<Instant>,
    /// Total number of nodes of all threads, updated periodically.
    pub nodes: AtomicU64,
    /// Set when all threads must stop.
    pub stop: AtomicBool,
}

/// Search of a single thread.
pub struct Searcher<'a> {
    shared: &'a SharedState,
    num_points: i32,
    path: PathHistory,
    move_order: MoveOrder,
    /// Nodes searched since the last synchronisation, which are not yet included in the shared counter.
    unreported_nodes: u64,
    /// Number of nodes that may be searched before the next synchronisation.
    node_allowance: u64,
    hit_depth_limit: bool,
}

/// Bounds on the prover's score that follow from the secure areas of both sides, without a search.
#[derive(Clone, Copy, Debug)]
struct StaticBounds {
    lower: i32,
    upper: i32,
    /// Points that belong to one side and need no further moves. Excludes the neighbours of dead opponent stones,
    /// because the prover still has to capture these stones.
    settled: Set,
}

impl<'a> Searcher<'a> {
    /// Creates a searcher with an empty move-ordering history.
    pub fn new(shared: &'a SharedState) -> Self {
        Self {
            shared,
            num_points: shared.table.board.geometry().all_points().count() as i32,
            path: PathHistory::default(),
            move_order: MoveOrder::new(Set::BITS),
            unreported_nodes: 0,
            node_allowance: 0,
            hit_depth_limit: false,
        }
    }

    /// Returns true if the depth limit cut off any line of the last search.
    pub const fn hit_depth_limit(&self) -> bool {
        self.hit_depth_limit
    }

    /// Returns the best score that the prover can provably reach within `window.depth` moves. A value of at most
    /// `alpha` is an upper bound on this score, and a value of at least `beta` is a lower bound. Returns `None` if a
    /// limit was reached or another thread finished first.
    pub fn run(&mut self, root: &Node, window: SearchWindow) -> Option<i32> {
        self.path.clear();
        self.move_order.halve_history();
        self.hit_depth_limit = false;
        self.flush_node_count();
        let result = self.search(root, window, false);
        self.flush_node_count();
        result.map(|result| result.value)
    }

    /// Counts one node. Returns `None` if a limit was reached.
    fn count_node(&mut self) -> Option<()> {
        if self.unreported_nodes == self.node_allowance {
            self.flush_node_count();
            if self.node_allowance == 0 || self.shared.stop.load(Relaxed) {
                return None;
            }
        }
        self.unreported_nodes += 1;
        Some(())
    }

    /// Adds the unreported nodes to the shared counter and sets the next allowance, which is 0 if a limit was reached.
    fn flush_node_count(&mut self) {
        let visited = std::mem::take(&mut self.unreported_nodes);
        let total = self.shared.nodes.fetch_add(visited, Relaxed) + visited;
        let is_out_of_time =
            (self.shared.deadline).is_some_and(|deadline| Instant::now() >= deadline);
        let limit = if is_out_of_time {
            total
        } else {
            self.shared.node_limit
        };
        self.node_allowance = limit.saturating_sub(total).min(SYNC_INTERVAL);
    }

    fn static_bounds(&self, node: &Node) -> StaticBounds {
        let geometry = self.shared.table.board.geometry();
        let [prover_points, opponent_points] = [node.stones, node.stones.swapped()]
            .map(|stones| geometry.secure_area(&stones, Set::EMPTY));
        // Dead stones count for their owner until they are captured.
        let dead = node.stones.opponent & prover_points;
        StaticBounds {
            lower: 2 * prover_points.count() as i32 - self.num_points,
            upper: self.num_points - 2 * opponent_points.count() as i32,
            settled: (prover_points | opponent_points) & !geometry.neighbours(dead),
        }
    }

    /// Searches a position. `has_captured` is true if there was a capture on the path, which makes repetitions
    /// possible.
    fn search(
        &mut self,
        node: &Node,
        window: SearchWindow,
        has_captured: bool,
    ) -> Option<SearchValue> {
        self.count_node()?;
        let static_bounds = self.static_bounds(node);
        if static_bounds.lower >= window.beta {
            return Some(SearchValue::without_captures(static_bounds.lower));
        }
        if static_bounds.upper <= window.alpha {
            return Some(SearchValue::without_captures(static_bounds.upper));
        }
        if has_captured && !node.last_was_pass {
            // The prover may not recreate an earlier board, and its opponent may not recreate one with the same side to
            // move; see `path_history`.
            if !node.prover_to_move && self.path.has_board(node) {
                return Some(SearchValue::without_captures(static_bounds.lower));
            }
            if node.prover_to_move && self.path.has_situation(node) {
                return Some(SearchValue::without_captures(static_bounds.upper));
            }
        }
        if window.depth == 0 {
            self.hit_depth_limit = true;
            return Some(SearchValue::without_captures(static_bounds.lower));
        }
        let shared = self.shared;
        let best_move = match shared.table.probe_cutoff(&self.path, node, window) {
            Ok(value) => return Some(self.note_depth_limit(value, window)),
            Err(best_move) => best_move,
        };
        let children = self.children(node, window, static_bounds.settled, best_move);
        self.path.push(node);
        let searched = match self.transposition_cutoff(&children, node, window) {
            Some(value) => Some((self.note_depth_limit(value, window), None)),
            None => self.try_all(&children, node, window, &static_bounds, has_captured),
        };
        self.path.pop();
        let (value, best_move) = searched?;
        if let Some(best_move) = best_move {
            shared
                .table
                .store(&self.path, node, window, &value, best_move);
        }
        Some(value)
    }

    /// Returns `value`, which comes from the table. If it is at most `window.alpha`, records that it may be too low
    /// because of the depth limit.
    fn note_depth_limit(&mut self, value: SearchValue, window: SearchWindow) -> SearchValue {
        self.hit_depth_limit |= value.value <= window.alpha;
        value
    }

    /// Returns the moves in search order.
    fn children(
        &self,
        node: &Node,
        window: SearchWindow,
        settled: Set,
        table_move: Option<u8>,
    ) -> Vec<Child> {
        let board = &self.shared.table.board;
        let mut children = Child::generate(board, node, settled);
        let pass_wins = node.last_was_pass && {
            let area_score = board.geometry().area_score(&node.stones);
            if node.prover_to_move {
                area_score >= window.beta
            } else {
                area_score <= window.alpha
            }
        };
        self.move_order.sort(
            board.geometry(),
            &mut children,
            node,
            window.depth,
            table_move,
            pass_wins,
        );
        children
    }

    /// Looks up the positions after moves without captures in the table. Returns the value of a move that causes a
    /// cutoff, or `None` if no move is known to cause one (enhanced transposition cutoffs; Plaat et al. 1996).
    fn transposition_cutoff(
        &self,
        children: &[Child],
        node: &Node,
        window: SearchWindow,
    ) -> Option<SearchValue> {
        let table = &self.shared.table;
        if window.depth < MIN_TRANSPOSITION_CUTOFF_DEPTH {
            return None;
        }
        let child_window = SearchWindow {
            depth: window.depth - 1,
            ..window
        };
        let plays = children.iter().filter(|child| !child.is_pass());
        plays
            .filter(|child| child.captured.is_empty())
            .filter(|child| !self.path.has_board(&child.node))
            .find_map(|child| {
                let value = table.probe_cutoff(&self.path, &child.node, child_window);
                let value = value.ok()?;
                let is_cutoff = if node.prover_to_move {
                    value.value >= window.beta
                } else {
                    value.value <= window.alpha
                };
                is_cutoff.then_some(value)
            })
    }

    /// Searches the moves in order, but defers those that another thread is searching. Returns the value and the best
    /// move, or `None` if the search was stopped.
    fn try_all(
        &mut self,
        children: &[Child],
        node: &Node,
        window: SearchWindow,
        static_bounds: &StaticBounds,
        has_captured: bool,
    ) -> Option<(SearchValue, Option<u8>)> {
        let prover_to_move = node.prover_to_move;
        let mut child_window = SearchWindow {
            depth: window.depth - 1,
            ..window
        };
        let mut best_value = SearchValue::without_captures(if prover_to_move {
            static_bounds.lower
        } else {
            static_bounds.upper
        });
        let mut best_move = SolverEntry::NO_MOVE;
        let mut deferred: Vec<&Child> = Vec::new();
        let mut pending = children.iter();
        loop {
            let (child, may_defer) = match pending.next() {
                Some(child) => (child, best_move != SolverEntry::NO_MOVE),
                None => match deferred.pop() {
                    Some(child) => (child, false),
                    None => break,
                },
            };
            if may_defer && self.is_searched_elsewhere(child, window.depth) {
                deferred.push(child);
                continue;
            }
            let found = self.search_child(child, node, child_window, has_captured)?;
            let is_better = if prover_to_move {
                found.value > best_value.value
            } else {
                found.value < best_value.value
            };
            best_value.captured |= found.captured | child.captured;
            if is_better || best_move == SolverEntry::NO_MOVE {
                best_move = child.move_code();
            }
            if is_better {
                best_value.value = found.value;
            }
            if prover_to_move {
                child_window.alpha = child_window.alpha.max(found.value);
            } else {
                child_window.beta = child_window.beta.min(found.value);
            }
            if child_window.alpha >= child_window.beta {
                self.move_order.record_cutoff(child, node, window.depth);
                break;
            }
        }
        Some((best_value, Some(best_move)))
    }

    fn is_searched_elsewhere(&self, child: &Child, depth: u32) -> bool {
        depth >= MIN_MARKED_DEPTH && self.shared.marks.is_marked(child.node.stones_key())
    }

    fn search_child(
        &mut self,
        child: &Child,
        node: &Node,
        window: SearchWindow,
        has_captured: bool,
    ) -> Option<SearchValue> {
        if child.is_pass() && node.last_was_pass {
            return Some(SearchValue::without_captures(
                self.shared.table.board.geometry().area_score(&node.stones),
            ));
        }
        let is_shared = window.depth + 1 >= MIN_MARKED_DEPTH;
        let key = child.node.stones_key();
        if is_shared {
            self.shared.marks.mark(key);
        }
        let value = self.search(
            &child.node,
            window,
            has_captured || !child.captured.is_empty(),
        );
        if is_shared {
            self.shared.marks.unmark(key);
        }
        value
    }
}
