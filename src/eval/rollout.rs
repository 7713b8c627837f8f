//! An evaluator based on random playouts. The value of a position is the average result of the playouts.
//!
//! In combination with this evaluator, a search that relies on results more than on priors is classic UCT.

use std::sync::atomic::{AtomicU64, Ordering};

use super::random_playout::RandomPlayout;
use super::{EvalError, Evaluation, Evaluator, Request, tactical_priors};
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::parallel::scratch_pool::ScratchPool;
use crate::random::{Rng, splitmix64};

/// Configuration of [`RolloutEvaluator`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutSettings {
    /// Number of playouts per evaluation, at least 1.
    pub playouts: u32,
    /// Weight of the winning margin in the value, from 0 to 1. The result (win, draw or loss) has the remaining weight.
    /// With a small weight, the engine also plays for points in decided games; a large weight makes the engine greedy.
    pub score_weight: f32,
    /// Seed of the playouts, combined with the position and the number of evaluations since creation or the last reset.
    pub seed: u64,
}

impl Default for RolloutSettings {
    fn default() -> Self {
        Self {
            playouts: 2,
            score_weight: 0.1,
            seed: 0,
        }
    }
}

/// Evaluator that averages random playouts and uses heuristic priors. Symmetries have no effect.
///
/// Each evaluation runs new playouts, so results should not be cached. In a single thread, results are reproducible
/// for the same seed.
#[derive(Debug, Default)]
pub struct RolloutEvaluator {
    settings: RolloutSettings,
    calls: AtomicU64,
    scratch: ScratchPool<Scratch>,
}

#[derive(Debug, Default)]
struct Scratch {
    playout: RandomPlayout,
    /// For each point, the number of playouts in which Black owned the point, minus the number of playouts in which
    /// White did. Updated only if ownership is requested.
    owners: Vec<i32>,
}

/// Sums over playouts, from Black's perspective.
#[derive(Default)]
struct PlayoutSums {
    value: f32,
    lead: f32,
}

impl RolloutEvaluator {
    /// Creates an evaluator. Settings outside the documented ranges are clamped.
    pub fn new(settings: RolloutSettings) -> Self {
        let settings = RolloutSettings {
            playouts: settings.playouts.max(1),
            score_weight: settings.score_weight.clamp(0.0, 1.0),
            ..settings
        };
        Self {
            settings,
            ..Self::default()
        }
    }

    fn evaluate_request(
        &self,
        request: &Request<'_>,
        evaluation: &mut Evaluation,
        scratch: &mut Scratch,
    ) {
        let position = request.position;
        let own = position.to_move();
        tactical_priors::write_priors(position, evaluation);
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let seed = self.settings.seed ^ splitmix64(position.state_hash());
        let mut rng = Rng::stream(seed, call);
        scratch.owners.clear();
        scratch.owners.resize(position.size().area(), 0);
        scratch.playout.set_start(position);
        let offset = position.white_area_bonus_half_points() as f32 / 2.0;
        let mut sums = PlayoutSums::default();
        for _ in 0..self.settings.playouts {
            scratch.playout.run_from_start(&mut rng);
            let black = scratch.playout.owned_points(Color::Black);
            let white = scratch.playout.owned_points(Color::White);
            let lead = black.len() as f32 - white.len() as f32 - offset;
            sums.lead += lead;
            sums.value += self.reward(position, lead);
            if request.ownership {
                scratch.add_owned(position, &black, 1);
                scratch.add_owned(position, &white, -1);
            }
        }
        let weight = 1.0 / self.settings.playouts as f32;
        evaluation.value = own.to_perspective(weight * sums.value);
        evaluation.score_lead = own.to_perspective(weight * sums.lead);
        if request.ownership {
            let owners = scratch.owners.iter();
            let owners = owners.map(|&count| own.to_perspective(weight * count as f32));
            evaluation.ownership.extend(owners);
        }
    }

    /// Returns the value, from -1 to 1, of a playout that Black finishes with the given lead in points.
    ///
    /// The value is a weighted sum of the result (1 for a win, 0 for a draw, -1 for a loss) and the margin
    /// `x / (1 + |x|)`, where `x` is the lead divided by the side length of the board.
    fn reward(&self, position: &Position, lead: f32) -> f32 {
        let side = position.size().geometric_mean_side() as f32;
        let margin = lead / (side + lead.abs());
        let winner = match lead {
            0.0 => 0.0,
            _ => lead.signum(),
        };
        let weight = self.settings.score_weight;
        (1.0 - weight) * winner + weight * margin
    }
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        self.scratch.with(|scratch| {
            for (request, evaluation) in requests.iter().zip(evaluations) {
                self.evaluate_request(request, evaluation, scratch);
            }
        });
        Ok(())
    }

    /// Restarts the sequence of random numbers.
    fn reset(&self) {
        self.calls.store(0, Ordering::Relaxed);
    }
}

impl Scratch {
    fn add_owned(&mut self, position: &Position, owned: &PointSet, delta: i32) {
        for point in *owned {
            self.owners[position.size().index(point)] += delta;
        }
    }
}
