//! Alpha-beta search with iterative deepening and a [static evaluation](static_eval::static_eval).
//!
//! Go programs searched like this before playouts and networks were introduced. Here the search serves as a simple
//! opponent. It deepens until it reaches the depth, visit or time limit, and then chooses at random among the equally
//! good moves. It does not use the evaluator. Every searched node counts as a visit.

mod move_ordering;
mod negamax;
pub mod static_eval;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::limits::SearchLimits;
use super::ownership_stats::OwnershipStats;
use super::report::{MoveReport, Report, Values};
use super::restriction::Restriction;
use super::root::Candidate;
use super::task::SearchTask;
use crate::eval::EvalError;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::random::Rng;
use negamax::Negamax;
use static_eval::UNITS_PER_POINT;

/// Maximum search depth in plies.
pub const MAX_DEPTH: u32 = 60;

/// A single-threaded alpha-beta search of one position.
pub struct AlphaBetaTask {
    pub root: Position,
    /// Moves that may be searched.
    pub restriction: Restriction,
    /// Maximum depth in plies, or `None` to deepen until another limit is reached.
    pub depth: Option<u32>,
    pub limits: SearchLimits,
    pub started: Instant,
    /// Seed of the random choice among equally good moves.
    pub seed: u64,
    /// Set to stop the search.
    pub stop: AtomicBool,
    /// Result of the last completed depth.
    pub result: Mutex<AlphaBetaResult>,
    /// Error that ended the search.
    pub error: Mutex<Option<EvalError>>,
}

/// Result of the search at one completed depth.
#[derive(Clone, Debug, Default)]
pub struct AlphaBetaResult {
    /// Number of nodes searched at this depth and at all smaller depths.
    nodes: u64,
    /// Best moves, which all have the same value, in random order.
    best_moves: Vec<BestMove>,
}

/// A root move with the maximum value.
#[derive(Clone, Debug)]
struct BestMove {
    /// Value for the side to move at the root, in units of 1/[`UNITS_PER_POINT`] point.
    value: i32,
    /// Number of nodes searched for this move at this depth.
    nodes: u64,
    /// Principal variation, starting with the move.
    pv: Vec<Move>,
}

impl SearchTask for AlphaBetaTask {
    fn is_parallel(&self) -> bool {
        false
    }

    /// Deepens iteratively until a limit is reached. Always completes depth 1, so that there is a move to play.
    fn search(&self) -> Result<(), EvalError> {
        let should_stop = |nodes| self.is_limit_reached(nodes);
        let mut negamax = Negamax::new(
            &self.root,
            self.restriction.constraints_below_root(),
            &should_stop,
        );
        let mut moves = negamax.moves(0);
        moves.retain(|&mv| self.restriction.allows(mv));
        let mut rng = Rng::new(self.seed);
        for depth in 1..=self.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
            negamax.can_stop = depth > 1;
            let Some(mut best) = best_moves(&mut negamax, &moves, depth) else {
                return Ok(());
            };
            rng.shuffle(&mut best);
            // The next depth starts with the best moves of this one.
            let rank = |mv: &Move| {
                !best
                    .iter()
                    .any(|best_move| best_move.pv.first() == Some(mv))
            };
            moves.sort_by_key(rank);
            *self.result.lock() = AlphaBetaResult {
                nodes: negamax.nodes(),
                best_moves: best,
            };
            if self.is_limit_reached(negamax.nodes()) {
                return Ok(());
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

    /// Creates the report. Its first move is the one to play.
    fn report(&self) -> Report {
        let result = self.result.lock().clone();
        let moves: Vec<MoveReport> = result
            .best_moves
            .iter()
            .map(|best| self.move_report(best))
            .collect();
        Report {
            to_move: self.root.to_move(),
            visits: saturate_visits(result.nodes),
            values: moves.first().map_or_else(Values::default, |mv| mv.values),
            moves,
            stats: OwnershipStats::default(),
            collisions: 0,
        }
    }

    fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        let moves = self.report().moves.into_iter().enumerate();
        moves
            .filter(|(_, report)| restriction.allows(report.mv))
            .map(|(index, report)| Candidate {
                mv: report.mv,
                index,
                visits: report.visits,
                utility: report.values.utility,
                utility_lcb: report.utility_lcb,
            })
            .collect()
    }
}

impl AlphaBetaTask {
    /// Returns true if a limit is reached after `nodes` nodes, or if the stop flag is set.
    fn is_limit_reached(&self, nodes: u64) -> bool {
        let time = self.limits.time_target.map(|target| target.target);
        let time = [time, self.limits.time].into_iter().flatten().min();
        self.stop.load(Ordering::Relaxed)
            || self
                .limits
                .visits
                .is_some_and(|max_nodes| nodes >= max_nodes)
            || time.is_some_and(|time| self.started.elapsed() >= time)
    }

    fn move_report(&self, best: &BestMove) -> MoveReport {
        let values = self.values(best.value);
        MoveReport {
            mv: best.pv.first().copied().unwrap_or(Move::Pass),
            visits: saturate_visits(best.nodes),
            values,
            prior: 0.0,
            lcb: values.winrate,
            utility_lcb: values.utility,
            pv_visits: vec![saturate_visits(best.nodes); best.pv.len()],
            pv: best.pv.clone(),
            stats: OwnershipStats::default(),
        }
    }

    /// Converts a search value, which is for the side to move at the root, to the values of a report. The win rate is
    /// only a rough guess: a lead of twice the board's side length corresponds to 88%.
    fn values(&self, value: i32) -> Values {
        let lead = f64::from(value) / f64::from(UNITS_PER_POINT);
        let side = self.root.size().mean_side();
        let utility = (lead / (2.0 * side)).tanh();
        Values {
            winrate: f64::midpoint(1.0, utility),
            score_lead: lead,
            score_deviation: 0.0,
            utility,
        }
    }
}

/// Searches `moves` to `depth` plies. Returns all moves with the maximum value, or `None` if the search was stopped.
fn best_moves(negamax: &mut Negamax<'_>, moves: &[Move], depth: u32) -> Option<Vec<BestMove>> {
    let mut best: Vec<BestMove> = Vec::new();
    for &mv in moves {
        let nodes_before = negamax.nodes();
        // The lower bound is one less than the best value, so that the search can distinguish an equal move from a
        // worse one.
        let lower_bound = best
            .first()
            .map_or(-negamax::INFINITY, |best| best.value - 1);
        let value = negamax.value_of_move(mv, depth, lower_bound)?;
        if best.first().is_some_and(|first| value < first.value) {
            continue;
        }
        if best.first().is_some_and(|first| value > first.value) {
            best.clear();
        }
        best.push(BestMove {
            value,
            nodes: negamax.nodes() - nodes_before,
            pv: negamax.pv(mv),
        });
    }
    Some(best)
}

fn saturate_visits(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
