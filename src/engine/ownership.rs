//! Who owns which point, as the evaluator sees it through all symmetries and as random playouts do.

use super::Engine;
use crate::eval::playout::Playout;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::alive::pass_alive;
use crate::game::color::{ByColor, Color};
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::rng::Rng;
use crate::search::report::Report;

/// Random playouts that the evaluator's ownership is mixed with.
const PLAYOUTS: usize = 64;
/// How much the log-odds of the playouts count beside those of the evaluator.
const PLAYOUT_WEIGHT: f32 = 0.7;
/// Seed of the playouts of a player's judgement: none of its own, so that two players that ask the same evaluator come to
/// the same count.
pub(super) const COMMON_SEED: u64 = 0;
/// Nothing is taken as more certain than this before the two are mixed.
const MOST_CERTAIN: f32 = 0.98;

/// The expected owner of every point, from -1 (White) to 1 (Black).
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    black: Vec<f32>,
}

impl Ownership {
    /// These owners in reading order, from Black's side.
    #[cfg(test)]
    pub(super) const fn of(black: Vec<f32>) -> Self {
        Self { black }
    }

    /// The owners as `base`, which honours the symmetry of a request, sees them through all symmetries, and as random
    /// playouts do that `seed` decides.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn judged(base: &dyn Evaluator, position: &Position, seed: u64) -> Result<Self, EvalError> {
        let judged = judged_ownership(base, position)?;
        Ok(Self::mixed(position, &judged, seed))
    }

    /// What an evaluator or a search thinks of the owners (in reading order, from Black's side; empty if it cannot
    /// tell), mixed with random playouts: the log-odds are added, so that whoever is sure decides. Where Benson's
    /// algorithm is certain, that stands.
    fn mixed(position: &Position, judged: &[f32], seed: u64) -> Self {
        let odds = |owner: f32| owner.clamp(-MOST_CERTAIN, MOST_CERTAIN).atanh();
        let mut black = playout_ownership(position, seed);
        for (owner, judged) in black.iter_mut().zip(judged) {
            *owner = (PLAYOUT_WEIGHT * odds(*owner) + odds(*judged)).tanh();
        }
        let size = position.size();
        for color in Color::BOTH {
            for point in pass_alive(position.board(), color, position.rules().suicide).area() {
                black[size.index(point)] = color.from_black(1.0);
            }
        }
        Self { black }
    }

    /// Black's share of the point at that place of reading order.
    #[must_use]
    pub fn black(&self, index: usize) -> f32 {
        self.black[index]
    }

    /// All points in reading order.
    #[must_use]
    pub fn all(&self) -> &[f32] {
        &self.black
    }
}

impl Engine {
    /// The expected owner of every point now, as the evaluator sees it through all symmetries and as random playouts do.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn ownership(&self) -> Result<Ownership, EvalError> {
        self.ownership_at(self.position())
    }

    /// The same of another position.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn ownership_at(&self, position: &Position) -> Result<Ownership, EvalError> {
        Ownership::judged(&*self.base, position, COMMON_SEED)
    }

    /// The same from what a search of that position found, or without one that was asked for owners from scratch.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn ownership_after(
        &self,
        position: &Position,
        report: &Report,
    ) -> Result<Ownership, EvalError> {
        if report.census.ownership.is_empty() {
            return self.ownership_at(position);
        }
        let black: Vec<f32> = report
            .census
            .ownership
            .iter()
            .map(|&owner| report.to_move.from_black(owner))
            .collect();
        Ok(Ownership::mixed(position, &black, COMMON_SEED))
    }
}

/// The evaluator's ownership from Black's side, averaged over the symmetries; empty if it has none.
fn judged_ownership(base: &dyn Evaluator, position: &Position) -> Result<Vec<f32>, EvalError> {
    let requests: Vec<Request<'_>> = Symmetry::of(position.size())
        .map(|symmetry| Request {
            symmetry,
            ownership: true,
            ..Request::new(position)
        })
        .collect();
    let mut evaluations = vec![Evaluation::default(); requests.len()];
    base.evaluate(&requests, &mut evaluations)?;
    let mut sums = Vec::new();
    for evaluation in &evaluations {
        evaluation.check()?;
        sums.resize(evaluation.ownership.len(), 0.0);
        for (sum, &owner) in sums.iter_mut().zip(&evaluation.ownership) {
            *sum += position.to_move().from_black(owner) / requests.len() as f32;
        }
    }
    Ok(sums)
}

/// The mean owner of each point over random playouts, from Black's side.
fn playout_ownership(position: &Position, seed: u64) -> Vec<f32> {
    let size = position.size();
    let mut playout = Playout::default();
    let mut rng = Rng::stream(seed, position.board().hash());
    let mut sums = vec![0.0; size.area()];
    for _ in 0..PLAYOUTS {
        playout.run(position, &mut rng);
        let owned = ByColor::of(|color| playout.owned(color));
        for color in Color::BOTH {
            for point in owned[color] {
                sums[size.index(point)] += color.from_black(1.0 / PLAYOUTS as f32);
            }
        }
    }
    sums
}
