//! Principal variation search in negamax form.
//!
//! The search is fail-soft alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", 1975): after the first move
//! of a node, it only tests with a null window whether another move is better (Marsland and Campbell, "Parallel search
//! of strongly ordered game trees", 1982). The transposition table ends searches early and orders the moves.
//!
//! With [`Pruning::Heuristic`], the search also uses methods that may miss a move:
//! - Late-move reductions: quiet moves far back in the order are first searched to a smaller depth. Near the horizon,
//!   the last ones are not searched at all.
//! - Points in pass-alive areas, and eyes of the side to move, are not played. A pass is searched only after a pass or
//!   once half of the board is occupied.
//! - A local search stays in its [scope](super::scope). There, either side may play elsewhere, which is a pass.

mod late_moves;
mod move_generation;
mod table_access;

use late_moves::{max_quiet_moves, reduction};

use super::line::Line;
use super::move_ordering::MoveOrdering;
use super::move_picker::MovePicker;
use super::moves_in_progress::{MoveId, MovesInProgress};
use super::node_counts::NodeCounts;
use super::options::Pruning;
use super::quiescence::Quiescence;
use super::scope::Scope;
use super::static_eval::StaticEval;
use super::table::Entry;
use super::value::{INFINITY, NO_RESULT_VALUE, Window};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::search::restriction::Constraint;
use crate::tactics::transposition_table::TranspositionTable;

/// Number of nodes between two calls of `should_stop`.
const STOP_CHECK_INTERVAL: u64 = 64;
/// Minimum depth at which a node without a table move is first searched to a smaller depth.
const INTERNAL_DEEPENING_MIN_DEPTH: u32 = 3;
/// Difference between the depths of the two searches of such a node.
const INTERNAL_DEEPENING_REDUCTION: u32 = 2;
/// Minimum depth of nodes at which the moves are divided among threads.
const DEFERRAL_MIN_DEPTH: u32 = 3;
/// Everything that the search needs to know about its task.
pub struct NegamaxContext<'a> {
    pub eval: &'a StaticEval,
    /// Transposition table, if there is one.
    pub table: Option<&'a TranspositionTable<Entry>>,
    pub pruning: Pruning,
    /// Constraints on moves below the root.
    pub constraints: &'a [Constraint],
    /// Moves that threads are searching.
    pub in_progress: &'a MovesInProgress,
    /// Called regularly with the number of nodes searched since the last call, and with the depth of the search at the
    /// root. The search stops if it returns true.
    pub should_stop: &'a dyn Fn(NodeCounts, u32) -> bool,
}

/// A node of the main search.
#[derive(Clone, Copy, Debug)]
struct Node {
    ply: usize,
    /// Number of plies to search, at least 1.
    depth: u32,
    window: Window,
    /// Key in the transposition table.
    key: u64,
}

/// Search of a single thread below one position.
pub struct Negamax<'a> {
    context: NegamaxContext<'a>,
    line: Line,
    /// Best line found from each ply on, indexed by ply.
    pvs: Vec<Vec<Move>>,
    /// For each ply, a hash of the positions before it. Used only without pruning.
    histories: Vec<u64>,
    ordering: MoveOrdering,
    quiescence: Quiescence<'a>,
    /// Counts that have not been passed to `should_stop` yet.
    counts: NodeCounts,
    /// Number of nodes that have been passed to `should_stop`.
    reported_nodes: u64,
    /// Points that are not searched.
    excluded: PointSet,
    /// Depth of the search at the root.
    root_depth: u32,
    /// Number that distinguishes the table keys of a local search from the keys of other searches.
    scope_salt: u64,
    /// Whether the search may stop before it is complete. Set to false for the first depth, which must always be
    /// completed.
    pub can_stop: bool,
}

impl<'a> Negamax<'a> {
    /// Creates a search of `root`.
    pub fn new(root: &Position, context: NegamaxContext<'a>) -> Self {
        let excluded = match context.pruning {
            Pruning::Exact => PointSet::EMPTY,
            Pruning::Heuristic => context.eval.useless_points(root),
        };
        Self {
            line: Line::new(root),
            pvs: vec![Vec::new()],
            histories: vec![0],
            ordering: MoveOrdering::default(),
            quiescence: Quiescence::new(context.eval),
            counts: NodeCounts::default(),
            reported_nodes: 0,
            excluded,
            root_depth: 0,
            scope_salt: context.eval.scope().map_or(0, Scope::table_salt),
            can_stop: true,
            context,
        }
    }

    /// Returns the number of nodes searched so far.
    pub const fn nodes(&self) -> u64 {
        self.reported_nodes + self.counts.total() + self.quiescence.nodes
    }

    /// Reports the nodes searched since the last report. Returns true if the search to `root_depth` plies should stop.
    pub fn report_nodes(&mut self, root_depth: u32) -> bool {
        let mut counts = std::mem::take(&mut self.counts);
        counts.quiescence = std::mem::take(&mut self.quiescence.nodes);
        self.reported_nodes += counts.total();
        (self.context.should_stop)(counts, root_depth)
    }

    /// Returns the legal moves at the root, most promising first.
    pub fn root_moves(&self) -> Vec<Move> {
        let root = self.line.position(0);
        let mut moves =
            self.ordering
                .plays(root, 0, &root.board().empty_points(), &PointSet::EMPTY);
        self.ordering.insert_pass(root, 0, &mut moves);
        moves
            .into_iter()
            .map(|scored_move| scored_move.mv)
            .collect()
    }

    /// Searches the root move with the given index in the order of the moves to `depth` plies, including the move, and
    /// returns its value for the side to move at the root. The value is exact if it is inside the window, and otherwise
    /// a bound. Returns `None` if the search was stopped.
    ///
    /// Moves after the first are expected to have a value of at most `window.alpha`.
    pub fn value_of_root_move(
        &mut self,
        (index, mv): (usize, Move),
        depth: u32,
        window: Window,
    ) -> Option<i32> {
        self.start_node(0);
        self.root_depth = depth;
        let key = self.key(0);
        // Equally good moves are worth knowing, so no move is pruned at the root.
        let reduction = match self.context.pruning {
            Pruning::Exact => 0,
            Pruning::Heuristic => reduction(index, depth),
        };
        let node = Node {
            ply: 0,
            depth,
            window,
            key,
        };
        self.search_move(node, mv, reduction, index == 0)
    }

    /// Returns true if another thread is searching the root move `mv`.
    pub fn is_root_move_in_progress(&mut self, mv: Move) -> bool {
        let key = self.key(0);
        self.context.in_progress.contains(MoveId::new(key, mv))
    }

    /// Returns the principal variation of the root move `mv`, including that move. `mv` must be the move that was
    /// evaluated last.
    pub fn pv(&self, mv: Move) -> Vec<Move> {
        [&[mv], self.pvs[1].as_slice()].concat()
    }

    /// Prepares the entries of `ply` and the next ply.
    fn start_node(&mut self, ply: usize) {
        if self.pvs.len() < ply + 2 {
            self.pvs.resize(ply + 2, Vec::new());
            self.histories.resize(ply + 2, 0);
        }
        self.pvs[ply].clear();
    }

    /// Searches the position at `ply` to `depth` further plies, and returns its value for the side to move there. The
    /// value is exact if it is inside the window, and otherwise a bound. Returns `None` if the search was stopped.
    fn search(&mut self, ply: usize, depth: u32, window: Window) -> Option<i32> {
        self.counts.main += 1;
        if self.counts.main >= STOP_CHECK_INTERVAL
            && self.report_nodes(self.root_depth)
            && self.can_stop
        {
            return None;
        }
        self.start_node(ply);
        if self.line.position(ply).ended() || self.has_left_scope(ply) {
            return Some(self.static_value(ply));
        }
        if self.line.is_repetition(ply) {
            return Some(NO_RESULT_VALUE);
        }
        if depth == 0 {
            return Some(self.quiescence.search(&mut self.line, ply, window));
        }
        let key = self.key(ply);
        let entry = self.context.table.and_then(|table| table.get(key));
        if let Some(value) = entry.and_then(|entry| self.table_cutoff(&entry, depth, window)) {
            return Some(value);
        }
        let mut table_move = entry.and_then(|entry| entry.best_move);
        if table_move.is_none()
            && self.context.pruning == Pruning::Heuristic
            && depth >= INTERNAL_DEEPENING_MIN_DEPTH
        {
            // A shallow search finds a good first move (internal iterative deepening).
            self.search(ply, depth - INTERNAL_DEEPENING_REDUCTION, window)?;
            let entry = self.context.table.and_then(|table| table.get(key));
            table_move = entry.and_then(|entry| entry.best_move);
        }
        let node = Node {
            ply,
            depth,
            window,
            key,
        };
        let (value, best_move) = self.search_moves(node, table_move)?;
        self.store(key, depth, window, (value, best_move.or(table_move)));
        Some(value)
    }

    /// Returns true if both sides have passed in a local search.
    fn has_left_scope(&self, ply: usize) -> bool {
        let position = self.line.position(ply);
        ply > 1
            && self.context.eval.scope().is_some()
            && position.was_pass(0)
            && position.was_pass(1)
    }

    /// Returns the static evaluation for the side to move.
    fn static_value(&self, ply: usize) -> i32 {
        if self.line.is_repetition(ply) {
            return NO_RESULT_VALUE;
        }
        let position = self.line.position(ply);
        position
            .to_move()
            .to_perspective(self.context.eval.evaluate(position))
    }

    /// Searches the moves of a node. Returns its value and, unless all moves failed low, the best move.
    fn search_moves(
        &mut self,
        node: Node,
        table_move: Option<Move>,
    ) -> Option<(i32, Option<Move>)> {
        let Node {
            ply, depth, window, ..
        } = node;
        let mut best = -INFINITY;
        let mut best_move = None;
        let mut quiet_moves = Vec::new();
        let max_quiet_moves = max_quiet_moves(self.context.pruning, depth, window);
        let mut index = 0;
        let table_move = table_move.filter(|&mv| self.is_legal(ply, mv));
        let mut picker = MovePicker::new(table_move);
        let in_progress = self.context.in_progress;
        // Only moves with a large subtree are worth dividing among threads.
        let is_deferred =
            |mv| depth >= DEFERRAL_MIN_DEPTH && in_progress.contains(MoveId::new(node.key, mv));
        while let Some(scored_move) = picker.next(
            || self.moves(ply, table_move),
            |mv| index > 0 && is_deferred(mv),
        ) {
            let (mv, is_quiet) = (scored_move.mv, !scored_move.is_tactical);
            if is_quiet && quiet_moves.len() >= max_quiet_moves {
                continue;
            }
            let reduction = match self.context.pruning {
                Pruning::Heuristic if is_quiet => reduction(index, depth),
                _ => 0,
            };
            let searched = Node {
                window: window.raise_alpha(best),
                ..node
            };
            let value = match scored_move.value {
                // The quiescence search would stop at the static evaluation.
                Some(value) if depth == 1 && value <= searched.window.alpha => value,
                _ => self.search_move(searched, mv, reduction, index == 0)?,
            };
            if value > best {
                best = value;
                if value > window.alpha {
                    best_move = Some(mv);
                    self.extend_pv(ply, mv);
                }
            }
            if best >= window.beta {
                self.counts.cutoffs += 1;
                self.counts.first_move_cutoffs += u64::from(index == 0);
                self.ordering
                    .record_cutoff(&self.line, ply, depth, mv, &quiet_moves);
                break;
            }
            if is_quiet {
                quiet_moves.push(mv);
            }
            index += 1;
        }
        if best == -INFINITY {
            // Constraints forbid all moves.
            best = self.quiescence.search(&mut self.line, ply, window);
        }
        Some((best, best_move))
    }

    /// Searches one move of a node, and marks it as in progress.
    fn search_move(&mut self, node: Node, mv: Move, reduction: u32, is_first: bool) -> Option<i32> {
        if node.depth < DEFERRAL_MIN_DEPTH {
            return self.value_of_move(node, mv, reduction, is_first);
        }
        let id = MoveId::new(node.key, mv);
        self.context.in_progress.insert(id);
        let value = self.value_of_move(node, mv, reduction, is_first);
        self.context.in_progress.remove(id);
        value
    }

    /// Implements [`search_move`](Self::search_move). Unless it is the first move, searches it with a null window at
    /// `window.alpha` first, to a depth reduced by `reduction`.
    fn value_of_move(
        &mut self,
        node: Node,
        mv: Move,
        reduction: u32,
        is_first: bool,
    ) -> Option<i32> {
        let Node { ply, window, .. } = node;
        self.line.play(ply, mv);
        let mut search = |depth: u32, window: Window| {
            let value = self.search(ply + 1, depth, window.flipped());
            value.map(|value| -value)
        };
        let full_depth = node.depth - 1;
        if is_first {
            return search(full_depth, window);
        }
        let test = Window::null(window.alpha);
        let mut value = search(full_depth - reduction.min(full_depth), test)?;
        if reduction > 0 && value > window.alpha {
            value = search(full_depth, test)?;
        }
        if value > window.alpha && window.is_open() {
            value = search(full_depth, window)?;
        }
        Some(value)
    }

    /// Makes the principal variation at `ply` start with `mv`, followed by that of the next ply.
    fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.pvs.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(mv);
        before[ply].extend(&after[0]);
    }
}
