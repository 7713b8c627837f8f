//! The guess of a move that kills or saves a group, for problems without a proof: a tree search near the group whose
//! evaluator values only the life of the group.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::eval::Evaluator;
use crate::eval::group_life::GroupLifeEvaluator;
use crate::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::restriction::{Constraint, ConstraintKind, MoveSet, Restriction};
use crate::search::{Search, SearchConfig, SearchError, default_batch_size};
use crate::tactics::life::{LifeArea, LifeLimits};

/// Maximum number of visits if the number of positions is limited.
const MAX_VISITS: u64 = 1_000;
/// Number of positions that a search for proofs may visit for each visit of a guess. A visit takes several times as long
/// as these positions, but a guess needs hundreds of visits.
const NODES_PER_VISIT: u64 = 64;
/// A guess may use at least a fraction of 1 / `MIN_TIME_DIVISOR` of the time for the whole problem.
const MIN_TIME_DIVISOR: u32 = 10;
/// Exploration parameters, larger than those of games: a problem often has a single solution, which may look unlikely.
const CPUCT: f32 = 1.0;
const CPUCT_LOG: f32 = 0.45;
/// Seed of the symmetries under which positions are evaluated.
const SEED: u64 = 0;
/// Interval between checks of the flag that stops the search.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Limits of a guess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuessLimits {
    search: SearchLimits,
    threads: usize,
    tree_mib: usize,
}

impl GuessLimits {
    /// Returns the limits of a guess that follows a search for proofs, which had the limits `proof_limits` and took the
    /// time `elapsed`.
    pub fn after_proofs(proof_limits: &LifeLimits, elapsed: Duration) -> Self {
        let LifeLimits {
            nodes_per_proof,
            time,
            ..
        } = *proof_limits;
        let visits = (nodes_per_proof / NODES_PER_VISIT).clamp(1, MAX_VISITS);
        let remaining = |time: Duration| {
            let min_time = time / MIN_TIME_DIVISOR;
            time.saturating_sub(elapsed).max(min_time)
        };
        Self {
            search: SearchLimits {
                visits: (time.is_none() || nodes_per_proof < u64::MAX).then_some(visits),
                time: time.map(remaining),
                ..SearchLimits::default()
            },
            threads: proof_limits.threads,
            tree_mib: proof_limits.table_mib,
        }
    }
}

/// Returns the move of the side to move in `position` that looks most likely to kill or save the group of `area`. Returns
/// `None` if there is no move near the group, or if the evaluator does not support the board size. The search ends soon
/// after `stop` has been set.
///
/// # Errors
/// Returns an error if the threads cannot be started or an evaluation fails.
pub fn guess_life_move(
    evaluator: Arc<dyn Evaluator>,
    position: &Position,
    area: &LifeArea,
    limits: GuessLimits,
    stop: &AtomicBool,
) -> Result<Option<Move>, SearchError> {
    if !evaluator.supports_size(position.size()) {
        return Ok(None);
    }
    // Under the default rules, the evaluator also evaluates positions after two passes.
    let mut root = position.clone();
    root.set_rules(Rules::default());
    let symmetry = SymmetryMode::Random { seed: SEED };
    let config = SearchConfig {
        threads: limits.threads,
        batch_size: default_batch_size(&*evaluator, limits.threads),
        tree_bytes: limits.tree_mib.saturating_mul(1 << 20),
        seed: SEED,
    };
    let evaluator = GroupLifeEvaluator::new(SymmetryEvaluator::new(evaluator, symmetry), *area);
    let to_move = root.to_move();
    let params = SearchParams {
        cpuct: CPUCT,
        cpuct_log: CPUCT_LOG,
        ..SearchParams::default()
    };
    let mut search = Search::new(Arc::new(evaluator), root, params, config)?;
    search.start(limits.search, moves_near(area, to_move));
    while !search.wait_for(POLL_INTERVAL) {
        if stop.load(Ordering::Relaxed) {
            search.stop();
        }
    }
    search.wait()?;
    let moves = search.report().moves;
    let mut moves = moves.iter().map(|report| report.mv);
    Ok(moves.find(|mv| *mv != Move::Pass))
}

/// Restricts both sides to moves in the area, and passes.
fn moves_near(area: &LifeArea, to_move: Color) -> Restriction {
    let mut moves = MoveSet::default();
    moves.insert_points(&area.points);
    moves.insert(Move::Pass);
    let constraints = [Color::Black, Color::White].map(|color| Constraint {
        color,
        kind: ConstraintKind::Allow,
        moves: moves.clone(),
        depth: u32::MAX,
    });
    Restriction::from_constraints(&constraints, to_move)
}
