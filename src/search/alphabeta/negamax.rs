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

use super::line::Line;
use super::move_ordering::{Candidate, MoveOrdering, sort_candidates};
use super::move_picker::MovePicker;
use super::moves_in_progress::{MoveId, MovesInProgress};
use super::options::Pruning;
use super::quiescence::Quiescence;
use super::static_eval::StaticEval;
use super::table::{Bound, Entry, position_key};
use super::value::{INFINITY, NO_RESULT, Window};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::random::splitmix64;
use crate::search::restriction::{self, Constraint};
use crate::tactics::eye::is_eye_like;
use crate::tactics::transposition_table::TranspositionTable;

/// Number of nodes between two calls of `should_stop`.
const STOP_CHECK_INTERVAL: u64 = 64;
/// Minimum depth at which a node without a table move is first searched to a smaller depth.
const PRESEARCH_MIN_DEPTH: u32 = 3;
/// Difference between the depths of the two searches of such a node.
const PRESEARCH_REDUCTION: u32 = 2;
/// Number of moves of a node that are sorted by the static evaluation after them.
const MAX_EVALUATED_MOVES: usize = 6;
/// Minimum depth of nodes whose moves are divided among threads.
const DEFERRAL_MIN_DEPTH: u32 = 3;
/// Number of quiet moves searched at a depth of 1, 2, … plies. There is no limit at larger depths.
const MAX_QUIET_MOVES: [usize; 3] = [6, 12, 20];
/// Minimum indices of the moves whose depth is reduced by 1, 2, … plies.
const REDUCTION_INDICES: [usize; 3] = [3, 10, 30];

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

/// Numbers of nodes and cutoffs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Nodes of the main search.
    pub main: u64,
    /// Nodes of the quiescence search.
    pub quiescence: u64,
    /// Nodes of the main search at which a move caused a cutoff.
    pub cutoffs: u64,
    /// Those of them at which the first move did.
    pub first_move_cutoffs: u64,
}

impl NodeCounts {
    /// Number of all nodes.
    pub const fn total(&self) -> u64 {
        self.main + self.quiescence
    }
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
        let mut candidates =
            self.ordering
                .plays(root, 0, &root.board().empty_points(), &PointSet::EMPTY);
        self.ordering.insert_pass(root, 0, &mut candidates);
        candidates
            .into_iter()
            .map(|candidate| candidate.mv)
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
        if self.line.position(ply).ended() {
            return Some(self.static_value(ply));
        }
        if self.line.is_repetition(ply) {
            return Some(NO_RESULT);
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
            && depth >= PRESEARCH_MIN_DEPTH
        {
            // A shallow search finds a good first move (internal iterative deepening).
            self.search(ply, depth - PRESEARCH_REDUCTION, window)?;
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

    /// Returns the static evaluation for the side to move.
    fn static_value(&self, ply: usize) -> i32 {
        if self.line.is_repetition(ply) {
            return NO_RESULT;
        }
        let position = self.line.position(ply);
        position
            .to_move()
            .to_perspective(self.context.eval.evaluate(position))
    }

    /// Returns the table key of the position at `ply`; see [`table`](super::table).
    fn key(&mut self, ply: usize) -> u64 {
        let key = position_key(self.line.position(ply));
        if self.context.pruning == Pruning::Exact {
            let history = self.histories[ply];
            self.histories[ply + 1] = history.wrapping_add(splitmix64(key));
            return key ^ history;
        }
        if self.context.constraints.is_empty() {
            return key;
        }
        // The constraints depend on the ply.
        key ^ splitmix64(ply as u64)
    }

    /// Returns the value of the entry if it replaces the search. Nodes with an open window are always searched, so that
    /// their principal variation is complete.
    fn table_cutoff(&self, entry: &Entry, depth: u32, window: Window) -> Option<i32> {
        let is_deep_enough = match self.context.pruning {
            Pruning::Exact => entry.depth == depth,
            Pruning::Heuristic => entry.depth >= depth,
        };
        if !is_deep_enough || window.is_open() {
            return None;
        }
        entry.cutoff(window)
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
        let max_quiet_moves = self.max_quiet_moves(depth, window);
        let mut index = 0;
        let table_move = table_move.filter(|&mv| self.is_legal(ply, mv));
        let mut picker = MovePicker::new(table_move);
        let in_progress = self.context.in_progress;
        // Only moves with a large subtree are worth dividing among threads.
        let is_deferred =
            |mv| depth >= DEFERRAL_MIN_DEPTH && in_progress.contains(MoveId::new(node.key, mv));
        while let Some(candidate) = picker.next(
            || self.moves(ply, table_move),
            |mv| index > 0 && is_deferred(mv),
        ) {
            let (mv, is_quiet) = (candidate.mv, !candidate.is_tactical);
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
            let value = match candidate.value {
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

    fn max_quiet_moves(&self, depth: u32, window: Window) -> usize {
        if self.context.pruning == Pruning::Exact || window.is_open() {
            return usize::MAX;
        }
        let limit = MAX_QUIET_MOVES.get(depth as usize - 1);
        limit.copied().unwrap_or(usize::MAX)
    }

    /// Makes the principal variation at `ply` start with `mv`, followed by that of the next ply.
    fn extend_pv(&mut self, ply: usize, mv: Move) {
        let (before, after) = self.pvs.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(mv);
        before[ply].extend(&after[0]);
    }

    fn is_legal(&self, ply: usize, mv: Move) -> bool {
        let position = self.line.position(ply);
        mv.point()
            .is_none_or(|point| position.check_legal(point).is_ok())
            && self.is_allowed(ply, mv)
    }

    fn is_allowed(&self, ply: usize, mv: Move) -> bool {
        let color = self.line.position(ply).to_move();
        restriction::is_allowed(self.context.constraints, color, mv, ply as u32)
    }

    /// Returns the moves to search at `ply` except for `table_move`, most promising first.
    fn moves(&mut self, ply: usize, table_move: Option<Move>) -> Vec<Candidate> {
        let position = self.line.position(ply);
        let board = position.board();
        let is_heuristic = self.context.pruning == Pruning::Heuristic;
        let mut points = board.empty_points() - self.excluded;
        if is_heuristic {
            let color = position.to_move();
            let eyes = points
                .iter()
                .filter(|&point| is_eye_like(board, color, point));
            points -= eyes.collect();
        }
        if let Some(Move::Play(point)) = table_move {
            points.remove(point);
        }
        let vital = match self.context.pruning {
            Pruning::Exact => PointSet::EMPTY,
            Pruning::Heuristic => self.context.eval.assess(position).vital,
        };
        let mut candidates = self.ordering.plays(position, ply, &points, &vital);
        let is_early = 2 * board.occupied_points().len() < board.size().area()
            && !position.last_move_was_pass();
        let skips_pass = is_heuristic && is_early && !candidates.is_empty();
        if table_move != Some(Move::Pass) && !skips_pass {
            self.ordering.insert_pass(position, ply, &mut candidates);
        }
        if !self.context.constraints.is_empty() {
            candidates.retain(|candidate| self.is_allowed(ply, candidate.mv));
        }
        if is_heuristic {
            self.sort_by_value(ply, &mut candidates);
        }
        candidates
    }

    /// Sorts the most promising candidates by the static evaluation after each of them.
    fn sort_by_value(&mut self, ply: usize, candidates: &mut [Candidate]) {
        let count = candidates.len().min(MAX_EVALUATED_MOVES);
        let evaluated = &mut candidates[..count];
        for candidate in evaluated.iter_mut() {
            self.line.play(ply, candidate.mv);
            candidate.set_value(-self.static_value(ply + 1));
        }
        self.counts.main += count as u64;
        sort_candidates(evaluated);
    }

    fn store(&self, key: u64, depth: u32, window: Window, (value, best_move): (i32, Option<Move>)) {
        let Some(table) = self.context.table else {
            return;
        };
        let bound = if value >= window.beta {
            Bound::Lower
        } else if value <= window.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let entry = Entry {
            value,
            bound,
            depth,
            best_move,
        };
        table.store(key, entry);
    }
}

/// Returns the number of plies by which the search of the quiet move with the given index is reduced.
fn reduction(index: usize, depth: u32) -> u32 {
    let reduction = REDUCTION_INDICES
        .iter()
        .filter(|&&min_index| index >= min_index)
        .count();
    (reduction as u32).min(depth.saturating_sub(1) / 2 + u32::from(depth > 1))
}
