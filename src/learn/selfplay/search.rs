//! Moves with a search: now and then a thorough one that is kept as a target, else a quick one that only plays on
//! (playout cap randomisation: Wu, "Accelerating self-play learning in Go", 2019, section 3.1). Only the thorough ones
//! have noise and forced playouts, and these are taken out of the target again ([`forced`](crate::search::forced)).

use std::sync::Arc;

use super::policy::{Sensible, Thought, draw};
use crate::eval::EvalError;
use crate::eval::cache::Cache;
use crate::eval::stack::Shared;
use crate::game::point::Move;
use crate::game::position::Position;
use crate::learn::target::Target;
use crate::rng::Rng;
use crate::search::limits::Limits;
use crate::search::params::SearchParams;
use crate::search::{Search, Setup, ThreadError};

/// Memory of a game's cache. It is the game's own, so that no other game has a say in what it finds there.
const CACHE_MIB: usize = 16;
/// Bound of a game's tree.
const TREE_BYTES: usize = 256 << 20;
/// The noise's share in the priors of a thorough search, and its concentration on the standard board, which grows with
/// the board (Silver et al., 2017; Wu, 2019).
const NOISE: (f32, f32) = (0.25, 10.83);

/// How much is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Visits of a thorough search. With one there is no search at all.
    pub visits: u64,
    /// Visits of a quick one, what the tree knows from before included.
    pub fast_visits: u64,
    /// The share of thorough ones.
    pub full_share: f64,
    /// How much a thorough one is forced to look at moves again: [`SearchParams::forced_playouts`].
    pub forced: f32,
}

/// The search of one game.
pub struct Searcher {
    effort: Effort,
    search: Search,
    /// Black's lead as the last search saw it.
    lead: f64,
}

impl Searcher {
    /// A search from `position` on, with a cache around the evaluator.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(
        effort: Effort,
        evaluator: &Shared,
        position: &Position,
        seed: u64,
    ) -> Result<Self, ThreadError> {
        let cache = Arc::new(Cache::new(Arc::clone(evaluator), CACHE_MIB));
        let area = |position: &Position| position.size().area() as f32;
        let params = SearchParams {
            root_noise_total: NOISE.1 * area(position) / (19.0 * 19.0),
            // What playouts were forced is told by visits: they have to weigh alike.
            certainty: 0.0,
            ..SearchParams::default()
        };
        let setup = Setup {
            threads: 1,
            tree_bytes: TREE_BYTES,
            seed,
        };
        Ok(Self {
            effort,
            search: Search::new(cache, position.clone(), params, setup)?,
            lead: 0.0,
        })
    }

    /// Searches, and draws a move by its visits.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn think(
        &mut self,
        position: &Position,
        sensible: &Sensible,
        temperature: f64,
        rng: &mut Rng,
    ) -> Result<Thought, EvalError> {
        let full = rng.chance(self.effort.full_share);
        self.search.set_root(position);
        if full {
            // All visits are to be distributed with the noise.
            self.search.clear();
        }
        let params = &mut self.search.params;
        (params.root_noise, params.forced_playouts) = if full {
            (NOISE.0, self.effort.forced)
        } else {
            (0.0, 0.0)
        };
        params.expect_lead(self.lead);
        let visits = if full {
            self.effort.visits
        } else {
            self.effort.fast_visits
        };
        let limits = Limits::visits(visits);
        let report = self.search.run(limits, sensible.restriction.clone())?;
        let lead = report.values.score_lead;
        self.lead = report.to_move.from_black(lead);
        let tells_lead = self.search.evaluator().tells_lead();
        let visits = self.search.unforced_visits();
        let mut moves: Vec<Move> = visits.iter().map(|&(mv, _)| mv).collect();
        // A search too quick to look at any move still names one.
        moves.extend(report.moves.first().map(|report| report.mv));
        let weights = visits.iter().map(|&(_, visits)| f64::from(visits));
        let weights: Vec<f64> = weights.collect();
        Ok(Thought {
            mv: draw(&moves, &weights, temperature, rng).unwrap_or(Move::Pass),
            winrate: report.values.winrate,
            target: (full && !visits.is_empty()).then(|| Target {
                visits,
                winrate: report.values.winrate.clamp(0.0, 1.0) as f32,
                lead: tells_lead.then_some(lead as f32),
            }),
        })
    }
}
