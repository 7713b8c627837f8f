//! Ownership of points, estimated by combining the evaluator's output, averaged over all symmetries, with random
//! playouts.

use crate::eval::playout::Playout;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::benson::pass_alive;
use crate::game::color::{ByColor, Color};
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::random::Rng;
use crate::search::report::Report;

/// Number of random playouts per ownership estimate.
const NUM_PLAYOUTS: usize = 64;
/// Weight of the playouts' log-odds relative to those from the evaluator.
const PLAYOUT_WEIGHT: f32 = 0.7;
/// Playout seed used by all engines. It does not depend on the settings, so that engines with the same evaluator obtain
/// the same counts.
pub(super) const COMMON_SEED: u64 = 0;
/// Maximum absolute ownership. Larger values are clamped before estimates are combined.
const MAX_CERTAINTY: f32 = 0.98;

/// Expected owner of every point, from -1 (White) to 1 (Black).
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    black: Vec<f32>,
}

impl Ownership {
    /// Creates the ownership from values in row-by-row order, from Black's perspective.
    #[cfg(test)]
    pub(super) const fn from_black(black: Vec<f32>) -> Self {
        Self { black }
    }

    /// Estimates the ownership in `position` by evaluating it with `base` under all symmetries and by random playouts
    /// seeded with `seed`. `base` must evaluate under the symmetry given in the request.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn evaluate(
        base: &dyn Evaluator,
        position: &Position,
        seed: u64,
    ) -> Result<Self, EvalError> {
        let evaluated = evaluator_ownership(base, position)?;
        Ok(Self::mix(position, &evaluated, seed))
    }

    /// Estimates the ownership with a playout seed that is the same for all engines, so that engines with the same
    /// evaluator obtain the same result.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub(super) fn common(base: &dyn Evaluator, position: &Position) -> Result<Self, EvalError> {
        Self::evaluate(base, position, COMMON_SEED)
    }

    /// Creates the ownership from the report of a search of `position`. Returns `None` if the search did not collect
    /// ownership.
    pub(super) fn from_report(position: &Position, report: &Report) -> Option<Self> {
        if report.stats.ownership.is_empty() {
            return None;
        }
        let owners = report.stats.ownership.iter();
        let black: Vec<f32> = owners
            .map(|&owner| report.to_move.to_perspective(owner))
            .collect();
        Some(Self::mix(position, &black, COMMON_SEED))
    }

    /// Combines the evaluator's ownership `evaluated` with random playouts by adding log-odds, so that the more certain
    /// estimate dominates. Points that Benson's algorithm assigns to a side get that owner. `evaluated` is in
    /// row-by-row order from Black's perspective, or empty if the evaluator does not predict ownership.
    fn mix(position: &Position, evaluated: &[f32], seed: u64) -> Self {
        let log_odds = |owner: f32| owner.clamp(-MAX_CERTAINTY, MAX_CERTAINTY).atanh();
        let mut black = playout_ownership(position, seed);
        for (owner, evaluated) in black.iter_mut().zip(evaluated) {
            *owner = (PLAYOUT_WEIGHT * log_odds(*owner) + log_odds(*evaluated)).tanh();
        }
        let size = position.size();
        for color in Color::BOTH {
            for point in pass_alive(position.board(), color, position.rules().suicide).area() {
                black[size.index(point)] = color.to_perspective(1.0);
            }
        }
        Self { black }
    }

    /// Returns the ownership of the point with row-by-row index `index`, from Black's perspective.
    pub fn black(&self, index: usize) -> f32 {
        self.black[index]
    }

    /// Returns the ownership of all points in row-by-row order, from Black's perspective.
    pub fn as_slice(&self) -> &[f32] {
        &self.black
    }
}

/// Returns the evaluator's ownership from Black's perspective, averaged over the symmetries. The result is empty if the
/// evaluator does not predict ownership.
fn evaluator_ownership(base: &dyn Evaluator, position: &Position) -> Result<Vec<f32>, EvalError> {
    let requests: Vec<Request<'_>> = Symmetry::for_size(position.size())
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
            *sum += position.to_move().to_perspective(owner) / requests.len() as f32;
        }
    }
    Ok(sums)
}

/// Returns the mean final owner of each point in random playouts, from Black's perspective.
fn playout_ownership(position: &Position, seed: u64) -> Vec<f32> {
    let size = position.size();
    let mut playout = Playout::default();
    let mut rng = Rng::stream(seed, position.board().hash());
    let mut sums = vec![0.0; size.area()];
    for _ in 0..NUM_PLAYOUTS {
        playout.run(position, &mut rng);
        let owned = ByColor::from_fn(|color| playout.owned(color));
        for color in Color::BOTH {
            for point in owned[color] {
                sums[size.index(point)] += color.to_perspective(1.0 / NUM_PLAYOUTS as f32);
            }
        }
    }
    sums
}
