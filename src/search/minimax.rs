//! Plain minimax: searches every legal move to a fixed depth.
//!
//! It serves as a reference for the [alpha-beta search](super::alphabeta), which must find the same values without
//! [heuristic pruning](super::alphabeta::options::Pruning), and as a simple opponent. The leaves have the values of the
//! same [quiescence search](super::alphabeta::quiescence). Every node counts as a visit.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::alphabeta::line::Line;
use super::alphabeta::quiescence::Quiescence;
use super::alphabeta::result::{DepthResult, MoveResult};
use super::alphabeta::static_eval::StaticEval;
use super::alphabeta::value::{NO_RESULT_VALUE, Window};
use super::limits::SearchLimits;
use super::report::{DepthStats, Report};
use super::restriction::{Restriction, is_allowed};
use super::root::Candidate;
use super::task::SearchTask;
use crate::eval::EvalError;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;

/// Number of nodes between two checks of the limits.
const NODES_PER_LIMIT_CHECK: u64 = 64;

/// A minimax search of a position.
pub struct MinimaxTask {
    pub root: Position,
    /// Moves that may be searched.
    pub restriction: Restriction,
    /// Depth in plies, at least 1.
    pub depth: u32,
    pub limits: SearchLimits,
    pub started: Instant,
    /// Seed of the random choice among equally good moves.
    pub seed: u64,
    pub stop: AtomicBool,
    /// Values of all root moves, best first.
    pub result: Mutex<DepthResult>,
    pub error: Mutex<Option<EvalError>>,
}

/// The move tree below one position.
struct Minimax<'a> {
    task: &'a MinimaxTask,
    line: Line,
    quiescence: Quiescence<'a>,
    nodes: u64,
    /// Whether the search may stop before it is complete.
    can_stop: bool,
}

impl SearchTask for MinimaxTask {
    fn is_parallel(&self) -> bool {
        false
    }

    /// Searches to depth 1, so that there is a move to play, and then to the full depth. If a limit is reached before,
    /// the values of depth 1 remain.
    fn search(&self) -> Result<(), EvalError> {
        let eval = StaticEval::new(&self.root);
        let mut minimax = Minimax {
            task: self,
            line: Line::new(&self.root),
            quiescence: Quiescence::new(&eval),
            nodes: 0,
            can_stop: false,
        };
        for depth in [1, self.depth] {
            minimax.can_stop = depth > 1;
            if minimax.search_root(depth).is_none() {
                break;
            }
        }
        Ok(())
    }

    fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    fn error_slot(&self) -> &Mutex<Option<EvalError>> {
        &self.error
    }

    fn report(&self) -> Report {
        self.result.lock().report(&self.root)
    }

    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        self.result.lock().candidates(&self.root, restriction)
    }
}

impl Minimax<'_> {
    /// Stores the values of all allowed root moves after a search to `depth` plies. Equally good moves are in random
    /// order. Returns `None` if the search was stopped.
    fn search_root(&mut self, depth: u32) -> Option<()> {
        let task = self.task;
        let mut moves = Vec::new();
        for mv in legal_moves(&task.root)
            .into_iter()
            .filter(|&mv| task.restriction.allows_at_root(mv))
        {
            let nodes_before = self.num_nodes();
            self.line.play(0, mv);
            let (value, line) = self.search(1, depth - 1)?;
            moves.push(MoveResult {
                value: -value,
                nodes: self.num_nodes() - nodes_before,
                pv: [vec![mv], line].concat(),
            });
        }
        Rng::new(task.seed).shuffle(&mut moves);
        moves.sort_by_key(|result| Reverse(result.value));
        let stats = DepthStats {
            depth,
            nodes: self.num_nodes(),
            main_nodes: self.nodes,
            first_move_cutoffs: 0.0,
            time: task.started.elapsed(),
        };
        *task.result.lock() = DepthResult { stats, moves };
        Some(())
    }

    /// Returns the value of the position at `ply` for the side to move, and the best line. Returns `None` if the search
    /// was stopped.
    fn search(&mut self, ply: usize, depth: u32) -> Option<(i32, Vec<Move>)> {
        self.nodes += 1;
        if self.can_stop
            && self.nodes.is_multiple_of(NODES_PER_LIMIT_CHECK)
            && self.is_limit_reached()
        {
            return None;
        }
        let position = self.line.position(ply);
        if !position.ended() && self.line.is_repetition(ply) {
            return Some((NO_RESULT_VALUE, Vec::new()));
        }
        let color = position.to_move();
        let mut moves = legal_moves(position);
        let constraints = self.task.restriction.constraints_below_root();
        moves.retain(|&mv| is_allowed(constraints, color, mv, ply as u32));
        if depth == 0 || moves.is_empty() || position.ended() {
            let value = self.quiescence.search(&mut self.line, ply, Window::FULL);
            return Some((value, Vec::new()));
        }
        let mut best: Option<(i32, Vec<Move>)> = None;
        for mv in moves {
            self.line.play(ply, mv);
            let (value, line) = self.search(ply + 1, depth - 1)?;
            if best
                .as_ref()
                .is_none_or(|(best_value, _)| -value > *best_value)
            {
                best = Some((-value, [vec![mv], line].concat()));
            }
        }
        best
    }

    /// Returns the number of nodes, including the quiescence search.
    const fn num_nodes(&self) -> u64 {
        self.nodes + self.quiescence.nodes
    }

    fn is_limit_reached(&self) -> bool {
        let task = self.task;
        task.stop.load(Ordering::Relaxed)
            || task
                .limits
                .is_reached_without_tree(self.num_nodes(), task.started.elapsed())
    }
}

/// Returns the legal moves of the side to move, including a pass.
fn legal_moves(position: &Position) -> Vec<Move> {
    let points = position.legal_points();
    points.iter().map(Move::Play).chain([Move::Pass]).collect()
}
