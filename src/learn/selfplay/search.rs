//! Chooses moves by search, with playout cap randomization (Wu, "Accelerating self-play learning in Go", 2019,
//! section 3.1).
//!
//! Full searches choose a random subset of the moves, and their results are stored as training targets. Fast searches
//! choose all other moves and only need to find reasonable ones. Only full searches use root noise and forced playouts.
//! Forced playouts are [removed](crate::search::forced_playouts) from the targets.

use std::sync::Arc;

use super::policy::{ChosenMove, draw_move};
use super::settings::PlayoutCap;
use crate::eval::EvalError;
use crate::eval::cache::Cache;
use crate::eval::stack::SharedEvaluator;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::restriction::Restriction;
use crate::search::{Search, SearchConfig, ThreadPoolError};

/// Size of the evaluation cache in MiB. Each game has a separate cache, so that games do not affect each other.
const CACHE_MIB: usize = 16;
/// Maximum size of the search tree in bytes.
const TREE_BYTES: usize = 256 << 20;
/// Weight of the Dirichlet noise in the root's priors, and total concentration of this noise on a 19x19 board. The
/// concentration is proportional to the board area (Silver et al., 2017; Wu, 2019).
const ROOT_NOISE: (f32, f32) = (0.25, 10.83);

/// Search that chooses the moves of a self-play game.
pub struct SelfplaySearch {
    playout_cap: PlayoutCap,
    search: Search,
    /// Black's lead in points as estimated by the previous search; 0 before the first one.
    black_lead: f64,
}

impl SelfplaySearch {
    /// Creates a search for a game that starts in `position`. Caches the evaluations of `evaluator`.
    ///
    /// # Errors
    /// Returns an error if the search thread cannot be started.
    pub fn new(
        playout_cap: PlayoutCap,
        evaluator: &SharedEvaluator,
        position: &Position,
        seed: u64,
    ) -> Result<Self, ThreadPoolError> {
        let cache = Arc::new(Cache::new(Arc::clone(evaluator), CACHE_MIB));
        let area = |position: &Position| position.size().area() as f32;
        let params = SearchParams {
            root_noise_total: ROOT_NOISE.1 * area(position) / (19.0 * 19.0),
            // Removing forced playouts assumes that all visits have the same weight.
            uncertainty_coeff: 0.0,
            ..SearchParams::default()
        };
        let setup = SearchConfig {
            threads: 1,
            batch_size: 1,
            tree_bytes: TREE_BYTES,
            seed,
        };
        Ok(Self {
            playout_cap,
            search: Search::new(cache, position.clone(), params, setup)?,
            black_lead: 0.0,
        })
    }

    /// Searches `position` and draws a move that `restriction` allows, with probabilities proportional to
    /// `visits^(1/temperature)`. Forced playouts do not count as visits.
    ///
    /// # Errors
    /// Returns an error if an evaluation fails.
    pub fn choose_move(
        &mut self,
        position: &Position,
        restriction: Restriction,
        temperature: f64,
        rng: &mut Rng,
    ) -> Result<ChosenMove, EvalError> {
        let is_full = rng.chance(self.playout_cap.full_fraction);
        self.search.set_root(position);
        if is_full {
            // Visits in the previous tree were made without noise at the new root.
            self.search.clear_tree_and_table();
        }
        let params = &mut self.search.params;
        (params.root_noise, params.forced_playouts) = if is_full {
            (ROOT_NOISE.0, self.playout_cap.forced_playouts)
        } else {
            (0.0, 0.0)
        };
        params.set_reduced_lead_center(self.black_lead);
        let visits = if is_full {
            self.playout_cap.full_visits
        } else {
            self.playout_cap.fast_visits
        };
        let limits = SearchLimits::with_visits(visits);
        let report = self.search.run(limits, restriction)?;
        let lead = report.values.score_lead;
        self.black_lead = report.to_move.to_perspective(lead);
        let has_lead = self.search.evaluator().predicts_lead();
        let visits = self.search.unforced_visits();
        let mut moves: Vec<Move> = visits.iter().map(|&(mv, _)| mv).collect();
        // If the search was too short to visit any child, there are no weights, and the report contains a
        // single move, which is then chosen.
        moves.extend(report.moves.first().map(|report| report.mv));
        let weights = visits.iter().map(|&(_, visits)| f64::from(visits));
        let weights: Vec<f64> = weights.collect();
        Ok(ChosenMove {
            mv: draw_move(&moves, &weights, temperature, rng).unwrap_or(Move::Pass),
            winrate: report.values.winrate,
            target: (is_full && !visits.is_empty()).then(|| SearchTarget {
                visits,
                winrate: report.values.winrate.clamp(0.0, 1.0) as f32,
                lead: has_lead.then_some(lead as f32),
            }),
        })
    }
}
