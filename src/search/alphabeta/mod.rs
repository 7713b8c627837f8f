//! A search by alpha-beta in place of the tree: all moves to some depth, then a plain [estimate](estimate::estimate).
//!
//! This is how programs of Go played before playouts and networks, and a plain opponent for people. It reads a move
//! deeper each time until the depth, the visits or the time it was given are reached; among moves that are worth the same
//! it draws. No evaluator is asked. Visits are positions looked at.

pub mod estimate;
mod order;
mod reader;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::census::Census;
use super::limits::Limits;
use super::report::{MoveReport, Report, Values};
use super::restriction::Restriction;
use super::root::Candidate;
use crate::eval::EvalError;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::rng::Rng;
use estimate::UNIT;
use reader::Reader;

/// The deepest that is ever read.
pub const DEEPEST: u32 = 60;

/// One reading of a position: a task for one thread.
pub struct Reading {
    /// The root's position.
    pub root: Position,
    /// Moves that the root may follow.
    pub restriction: Restriction,
    /// Moves to look ahead at most; none for as many as the time allows.
    pub depth: Option<u32>,
    /// When to stop.
    pub limits: Limits,
    /// When the reading started.
    pub started: Instant,
    /// Decides among equal moves.
    pub seed: u64,
    /// Set to end the reading.
    pub stop: AtomicBool,
    /// What the last depth that was finished has shown.
    pub found: Mutex<Found>,
    /// The failure that ended it.
    pub error: Mutex<Option<EvalError>>,
}

/// What is known at the root.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Positions looked at, those of earlier depths included.
    nodes: u64,
    /// The best moves, all worth the same, in the order drawn.
    best: Vec<Best>,
}

/// A move that none is better than.
#[derive(Clone, Debug)]
struct Best {
    /// What the side to move gets by it.
    value: i32,
    /// Positions looked at below it.
    nodes: u64,
    /// The moves expected, itself first.
    line: Vec<Move>,
}

impl Reading {
    /// Reads deeper and deeper until a limit is reached or the reading is stopped. The first depth is always finished,
    /// so that there is a move to play.
    pub fn work(&self) {
        let halted = |nodes| self.is_over(nodes);
        let mut reader = Reader::new(&self.root, self.restriction.below(), &halted);
        let mut moves = reader.moves(0);
        moves.retain(|&mv| self.restriction.allows(mv));
        let mut rng = Rng::new(self.seed);
        for depth in 1..=self.depth.unwrap_or(DEEPEST).min(DEEPEST) {
            reader.stoppable = depth > 1;
            let Some(mut best) = best_moves(&mut reader, &moves, depth) else {
                return;
            };
            rng.shuffle(&mut best);
            // The next depth begins with what was best at this one.
            let rank = |mv: &Move| !best.iter().any(|found| found.line.first() == Some(mv));
            moves.sort_by_key(rank);
            *self.found.lock() = Found {
                nodes: reader.nodes(),
                best,
            };
            if self.is_over(reader.nodes()) {
                return;
            }
        }
    }

    /// Whether to end after so many positions.
    fn is_over(&self, nodes: u64) -> bool {
        let time = self.limits.pace.map(|pace| pace.target);
        let time = [time, self.limits.time].into_iter().flatten().min();
        self.stop.load(Ordering::Relaxed)
            || self.limits.visits.is_some_and(|most| nodes >= most)
            || time.is_some_and(|time| self.started.elapsed() >= time)
    }

    /// What has been found so far; the first move is the one drawn.
    pub fn report(&self) -> Report {
        let found = self.found.lock().clone();
        let moves: Vec<MoveReport> = found.best.iter().map(|best| self.told(best)).collect();
        Report {
            to_move: self.root.to_move(),
            visits: counted(found.nodes),
            values: moves.first().map_or_else(Values::default, |mv| mv.values),
            moves,
            census: Census::default(),
            collisions: 0,
        }
    }

    /// The best moves that `restriction` allows, the one drawn first.
    pub fn candidates(&self, restriction: &Restriction) -> Vec<Candidate> {
        let moves = self.report().moves.into_iter().enumerate();
        moves
            .filter(|(_, found)| restriction.allows(found.mv))
            .map(|(index, found)| Candidate {
                mv: found.mv,
                index,
                visits: found.visits,
                utility: found.values.utility,
                bound: found.utility_lcb,
            })
            .collect()
    }

    fn told(&self, best: &Best) -> MoveReport {
        let values = self.values(best.value);
        MoveReport {
            mv: best.line.first().copied().unwrap_or(Move::Pass),
            visits: counted(best.nodes),
            values,
            prior: 0.0,
            lcb: values.winrate,
            utility_lcb: values.utility,
            line_visits: vec![counted(best.nodes); best.line.len()],
            line: best.line.clone(),
            census: Census::default(),
        }
    }

    /// The chance to win is a guess: a lead of twice the board's side is as good as won.
    fn values(&self, value: i32) -> Values {
        let lead = f64::from(value) / f64::from(UNIT);
        let side = self.root.size().side();
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
fn best_moves(reader: &mut Reader<'_>, moves: &[Move], depth: u32) -> Option<Vec<Best>> {
    let mut best: Vec<Best> = Vec::new();
    for &mv in moves {
        let before = reader.nodes();
        // The window leaves room below, so that a move worth just as much is told from a worse one.
        let floor = best
            .first()
            .map_or(-reader::INFINITE, |best| best.value - 1);
        let value = reader.value_after(mv, depth, floor)?;
        if best.first().is_some_and(|found| value < found.value) {
            continue;
        }
        if best.first().is_some_and(|found| value > found.value) {
            best.clear();
        }
        best.push(Best {
            value,
            nodes: reader.nodes() - before,
            line: reader.line(mv),
        });
    }
    Some(best)
}

/// As the report counts visits.
fn counted(nodes: u64) -> u32 {
    u32::try_from(nodes).unwrap_or(u32::MAX)
}
