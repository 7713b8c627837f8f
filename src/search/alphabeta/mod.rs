//! A search by alpha-beta in place of the tree: all moves to some depth, then a plain [estimate](estimate::estimate).
//!
//! This is how programs of Go played before playouts and networks, and a plain opponent for people. It reads a move
//! deeper each time until the depth, the visits or the time it was given are reached; among moves that are worth the same
//! it draws. No evaluator is asked. Visits are positions looked at.

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

/// The deepest that is ever read.
pub const MAX_DEPTH: u32 = 60;

/// One reading of a position: a task for one thread.
pub struct AlphaBetaTask {
    /// The root's position.
    pub root: Position,
    /// Moves that the root may follow.
    pub restriction: Restriction,
    /// Moves to look ahead at most; none for as many as the time allows.
    pub depth: Option<u32>,
    /// When to stop.
    pub limits: SearchLimits,
    /// When the reading started.
    pub started: Instant,
    /// Decides among equal moves.
    pub seed: u64,
    /// Set to end the reading.
    pub stop: AtomicBool,
    /// What the last depth that was finished has shown.
    pub result: Mutex<AlphaBetaResult>,
    /// The failure that ended it.
    pub error: Mutex<Option<EvalError>>,
}

/// What is known at the root.
#[derive(Clone, Debug, Default)]
pub struct AlphaBetaResult {
    /// Positions looked at, those of earlier depths included.
    nodes: u64,
    /// The best moves, all worth the same, in the order drawn.
    best_moves: Vec<BestMove>,
}

/// A move that none is better than.
#[derive(Clone, Debug)]
struct BestMove {
    /// What the side to move gets by it.
    value: i32,
    /// Positions looked at below it.
    nodes: u64,
    /// The moves expected, itself first.
    pv: Vec<Move>,
}

impl SearchTask for AlphaBetaTask {
    fn is_parallel(&self) -> bool {
        false
    }

    /// Deepens iteratively until a limit is reached. Always completes depth 1, so that there is a move to play.
    fn search(&self) -> Result<(), EvalError> {
        let should_stop = |nodes| self.is_limit_reached(nodes);
        let mut negamax = Negamax::new(&self.root, self.restriction.constraints(), &should_stop);
        let mut moves = negamax.moves(0);
        moves.retain(|&mv| self.restriction.allows(mv));
        let mut rng = Rng::new(self.seed);
        for depth in 1..=self.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
            negamax.can_stop = depth > 1;
            let Some(mut best) = best_moves(&mut negamax, &moves, depth) else {
                return Ok(());
            };
            rng.shuffle(&mut best);
            // The next depth begins with what was best at this one.
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

    /// What has been found so far; the first move is the one drawn.
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

    /// The best moves that `restriction` allows, the one drawn first.
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
    /// Whether to end after so many positions.
    fn is_limit_reached(&self, nodes: u64) -> bool {
        let time = self.limits.time_target.map(|pace| pace.target);
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

    /// The chance to win is a guess: a lead of twice the board's side is as good as won.
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

/// All of `moves` that are worth as much as the best when read that deep; `None` when the reader was halted.
fn best_moves(negamax: &mut Negamax<'_>, moves: &[Move], depth: u32) -> Option<Vec<BestMove>> {
    let mut best: Vec<BestMove> = Vec::new();
    for &mv in moves {
        let nodes_before = negamax.nodes();
        // The window leaves room below, so that a move worth just as much is told from a worse one.
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

/// As the report counts visits.
fn saturate_visits(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
