//! Moves with a search: now and then a thorough one that is kept as a target, else a quick one that only plays on
//! (playout cap randomisation: Wu, "Accelerating self-play learning in Go", 2019, section 3.1). Only the thorough ones
//! have noise and forced playouts, and these are taken out of the target again ([`forced_playouts`](crate::search::forced_playouts)).

use std::sync::Arc;

use super::policy::{CandidateMoves, MoveChoice, draw_weighted};
use crate::eval::EvalError;
use crate::eval::cache::Cache;
use crate::eval::stack::SharedEvaluator;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::learn::search_target::SearchTarget;
use crate::random::Rng;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::{Search, SearchConfig, ThreadPoolError};

/// Memory of a game's cache. It is the game's own, so that no other game has a say in what it finds there.
const CACHE_MIB: usize = 16;
/// Bound of a game's tree.
const TREE_BYTES: usize = 256 << 20;
/// The noise's share in the priors of a thorough search, and its concentration on the standard board, which grows with
/// the board (Silver et al., 2017; Wu, 2019).
const ROOT_NOISE: (f32, f32) = (0.25, 10.83);

/// How much is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutCap {
    /// Visits of a thorough search. With one there is no search at all.
    pub full_visits: u64,
    /// Visits of a quick one, what the tree knows from before included.
    pub fast_visits: u64,
    /// The share of thorough ones.
    pub full_fraction: f64,
    /// How much a thorough one is forced to look at moves again: [`SearchParams::forced_playouts`].
    pub forced_playouts: f32,
}

/// The search of one game.
pub struct SelfplaySearch {
    playout_cap: PlayoutCap,
    search: Search,
    /// Black's lead as the last search saw it.
    black_lead: f64,
}

impl SelfplaySearch {
    /// A search from `position` on, with a cache around the evaluator.
    ///
    /// # Errors
    /// When the system gives no thread.
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
            // What playouts were forced is told by visits: they have to weigh alike.
            uncertainty_coeff: 0.0,
            ..SearchParams::default()
        };
        let setup = SearchConfig {
            threads: 1,
            tree_bytes: TREE_BYTES,
            seed,
        };
        Ok(Self {
            playout_cap,
            search: Search::new(cache, position.clone(), params, setup)?,
            black_lead: 0.0,
        })
    }

    /// Searches, and draws a move by its visits.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn choose_move(
        &mut self,
        position: &Position,
        candidates: &CandidateMoves,
        temperature: f64,
        rng: &mut Rng,
    ) -> Result<MoveChoice, EvalError> {
        let is_full = rng.chance(self.playout_cap.full_fraction);
        self.search.set_root(position);
        if is_full {
            // All visits are to be distributed with the noise.
            self.search.clear();
        }
        let params = &mut self.search.params;
        (params.root_noise, params.forced_playouts) = if is_full {
            (ROOT_NOISE.0, self.playout_cap.forced_playouts)
        } else {
            (0.0, 0.0)
        };
        params.center_lead_on(self.black_lead);
        let visits = if is_full {
            self.playout_cap.full_visits
        } else {
            self.playout_cap.fast_visits
        };
        let limits = SearchLimits::visits(visits);
        let report = self.search.run(limits, candidates.restriction.clone())?;
        let lead = report.values.score_lead;
        self.black_lead = report.to_move.to_perspective(lead);
        let has_lead = self.search.evaluator().predicts_lead();
        let visits = self.search.unforced_visits();
        let mut moves: Vec<Move> = visits.iter().map(|&(mv, _)| mv).collect();
        // A search too quick to look at any move still names one.
        moves.extend(report.moves.first().map(|report| report.mv));
        let weights = visits.iter().map(|&(_, visits)| f64::from(visits));
        let weights: Vec<f64> = weights.collect();
        Ok(MoveChoice {
            mv: draw_weighted(&moves, &weights, temperature, rng).unwrap_or(Move::Pass),
            winrate: report.values.winrate,
            target: (is_full && !visits.is_empty()).then(|| SearchTarget {
                visits,
                winrate: report.values.winrate.clamp(0.0, 1.0) as f32,
                lead: has_lead.then_some(lead as f32),
            }),
        })
    }
}
