//! The evaluator that plays to the end: the value is the mean result of random playouts.
//!
//! Together with a search that trusts results more than priors this is classic UCT, and needs no network.

use std::sync::atomic::{AtomicU64, Ordering};

use super::playout::Playout;
use super::{EvalError, Evaluation, Evaluator, Request, tactical};
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::parallel::scratch_pool::ScratchPool;
use crate::random::{Rng, splitmix64};

/// How to evaluate by playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutSettings {
    /// Playouts of an evaluation, at least 1.
    pub playouts: u32,
    /// What part of the value, from 0 to 1, tells by how much a playout was won rather than whether. A little of it
    /// makes the engine play on for points in won and lost games; more makes it greedy.
    pub score_weight: f32,
    /// Decides the playouts, together with the position and the number of evaluations since it was made or told to
    /// forget.
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

/// Evaluates by random playouts; priors come from simple tactics. Symmetries make no difference.
///
/// Asking twice about a position starts other playouts each time, so answers should not be remembered. One thread and a
/// seed give the same answers in the same order.
#[derive(Debug, Default)]
pub struct Rollout {
    settings: RolloutSettings,
    calls: AtomicU64,
    scratch: ScratchPool<Scratch>,
}

#[derive(Debug, Default)]
struct Scratch {
    playout: Playout,
    /// Playouts in which each point was Black's, less those in which it was White's.
    owners: Vec<i32>,
}

/// Sums over playouts, from Black's side.
#[derive(Default)]
struct Sums {
    value: f32,
    lead: f32,
}

impl Rollout {
    /// An evaluator with these settings; the number of playouts and the weight are brought into their ranges.
    #[must_use]
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
        tactical::write_priors(position, evaluation);
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let seed = self.settings.seed ^ splitmix64(position.situation_hash());
        let mut rng = Rng::stream(seed, call);
        scratch.owners.clear();
        scratch.owners.resize(position.size().area(), 0);
        scratch.playout.set_start(position);
        let offset = white_bonus(position);
        let mut sums = Sums::default();
        for _ in 0..self.settings.playouts {
            scratch.playout.run_from_start(&mut rng);
            let black = scratch.playout.owned(Color::Black);
            let white = scratch.playout.owned(Color::White);
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

    /// What a playout is worth to Black: its winner, and how clearly it was won, `x / (1 + |x|)` of the lead in units
    /// of the board's side.
    fn reward(&self, position: &Position, lead: f32) -> f32 {
        let side = position.size().mean_side() as f32;
        let margin = lead / (side + lead.abs());
        let winner = match lead {
            0.0 => 0.0,
            _ => lead.signum(),
        };
        let weight = self.settings.score_weight;
        (1.0 - weight) * winner + weight * margin
    }
}

impl Evaluator for Rollout {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        self.scratch.with(|scratch| {
            for (request, evaluation) in requests.iter().zip(evaluations) {
                self.evaluate_request(request, evaluation, scratch);
            }
        });
        Ok(())
    }

    /// The playouts that follow do not depend on those before.
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

/// What to take off Black's lead in area to get the lead under the rules, in points.
///
/// Territory is area less the stones a side has played, those taken included. The moves after the position are taken
/// to be shared evenly.
fn white_bonus(position: &Position) -> f32 {
    let komi = position.white_bonus_half_points() as f32 / 2.0;
    match position.rules().scoring {
        Scoring::Area => komi,
        Scoring::Territory => komi + position.black_stone_surplus() as f32,
    }
}
