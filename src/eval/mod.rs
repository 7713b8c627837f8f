//! Position evaluation: the [`Evaluator`] trait and its implementations.
//!
//! [`Evaluator`] is the only interface between a search and the code that evaluates positions. Base evaluators are a
//! neural network, random playouts, a uniform prior and a hash-based stand-in for tests. Wrappers around another
//! evaluator add a cache, symmetries or batching, create the evaluator on first use, or allow it to be replaced. All
//! values are from the perspective of the player to move.

pub mod batcher;
pub mod cache;
pub mod calibration;
mod cpu_fallback;
pub mod device;
pub mod embedded;
mod error;
pub mod group_life;
pub mod hashed;
mod input;
pub mod lazy;
pub mod network;
pub mod network_source;
mod playout_board;
mod priors;
pub mod random_playout;
pub mod rollout;
pub mod stack;
pub mod swap;
pub mod symmetry;
mod tactical_priors;
pub mod uniform;

use std::sync::Arc;

pub use self::error::{EvalError, UnsupportedSizeError};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
pub use crate::net::readout::{KataDetails, UncertaintyEstimates};

/// Number of highest priors that an evaluation contains even if [`Request::all_moves`] is false. A search rarely
/// considers more moves in a position.
pub const NUM_TOP_PRIORS: usize = 24;

/// A position to evaluate and the requested outputs.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Position to evaluate. The final position of a game is evaluated as if play continued.
    pub position: &'a Position,
    /// Symmetry applied to the board before evaluation. It must preserve the board size. Results are mapped back to the
    /// original orientation.
    pub symmetry: Symmetry,
    /// True to request the expected owner of every point.
    pub ownership: bool,
    /// True to request the priors of all moves. Otherwise, all but the [`NUM_TOP_PRIORS`] highest priors may be 0.
    pub all_moves: bool,
}

impl<'a> Request<'a> {
    /// Creates a request for the values and all priors, under the identity symmetry and without ownership.
    pub const fn new(position: &'a Position) -> Self {
        Self {
            position,
            symmetry: Symmetry::IDENTITY,
            ownership: false,
            all_moves: true,
        }
    }
}

/// The result of an evaluation, from the perspective of the player to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Prior of each move: the points in row-major order, then a pass. Priors are non-negative, and 0 for illegal
    /// moves. They sum to 1 if [all moves](Request::all_moves) were requested, otherwise to at most 1.
    pub policy: Vec<f32>,
    /// The expected result, from -1 (loss) to 1 (win).
    pub value: f32,
    /// The probability that the game ends without a result; 0 if the evaluator or the rules have no such result.
    pub no_result: f32,
    /// The expected lead in points, including komi; 0 if the evaluator does not predict it.
    pub score_lead: f32,
    /// Score distribution and error estimates, which only some networks predict.
    pub details: Option<KataDetails>,
    /// The expected owner of each point, from -1 (opponent) to 1 (player to move). Empty unless requested and
    /// supported.
    pub ownership: Vec<f32>,
}

/// Position evaluator that can be shared between threads.
pub trait Evaluator: Send + Sync {
    /// Evaluates each request and writes the result to the element of `evaluations` with the same index. Existing
    /// allocations are reused.
    ///
    /// # Errors
    /// Returns the first error. The contents of `evaluations` are unspecified in that case.
    ///
    /// # Panics
    /// Panics if the slices differ in length.
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError>;

    /// Returns the evaluator that this one wraps, if any. The default implementations of
    /// [`predicts_lead`](Self::predicts_lead), [`supports_size`](Self::supports_size),
    /// [`batch_hint`](Self::batch_hint) and [`reset`](Self::reset) delegate to the wrapped evaluator.
    fn inner(&self) -> Option<&dyn Evaluator> {
        None
    }

    /// Returns the evaluator that a search must use from its start to its end, or `None` if the search must use `self`.
    /// Only an evaluator that allows its inner evaluator to be replaced while the program runs returns `Some`.
    fn pinned(&self) -> Option<Arc<dyn Evaluator>> {
        None
    }

    /// Returns true if evaluations contain the expected lead.
    fn predicts_lead(&self) -> bool {
        self.inner().is_none_or(|inner| inner.predicts_lead())
    }

    /// Returns true if boards of `size` can be evaluated.
    fn supports_size(&self, size: BoardSize) -> bool {
        self.inner().is_none_or(|inner| inner.supports_size(size))
    }

    /// Returns the preferred number of positions per call if `threads` threads call the evaluator concurrently. Depends
    /// only on the evaluator, its device and `threads`, so that a search with a fixed seed is reproducible.
    fn batch_hint(&self, threads: usize) -> usize {
        self.inner().map_or(1, |inner| inner.batch_hint(threads))
    }

    /// Clears all state that depends on earlier requests, such as cached evaluations.
    fn reset(&self) {
        if let Some(inner) = self.inner() {
            inner.reset();
        }
    }
}

/// Evaluates one position and checks that the result is finite.
///
/// # Errors
/// Returns the evaluator's error, or an error if the result is not finite.
pub fn evaluate_one(
    evaluator: &dyn Evaluator,
    request: Request<'_>,
) -> Result<Evaluation, EvalError> {
    let mut evaluation = Evaluation::default();
    evaluator.evaluate(&[request], std::slice::from_mut(&mut evaluation))?;
    evaluation.check_finite()?;
    Ok(evaluation)
}

impl Evaluation {
    /// Resets the evaluation to zeros, with the policy sized for a board of `size`. Allocations are reused.
    fn clear(&mut self, size: BoardSize) {
        self.policy.clear();
        self.policy.resize(size.area() + 1, 0.0);
        self.value = 0.0;
        self.no_result = 0.0;
        self.score_lead = 0.0;
        self.details = None;
        self.ownership.clear();
    }

    /// Checks that all numbers are finite.
    ///
    /// # Errors
    /// Returns an error that names the first output with a value that is NaN or infinite.
    pub fn check_finite(&self) -> Result<(), EvalError> {
        let details = self.details;
        let score = details.map(|details| [details.score_mean, details.score_mean_square]);
        let errors = details.and_then(|details| details.errors);
        let errors = errors.map(|errors| [errors.variance_time, errors.value, errors.score]);
        let parts: [(&'static str, &[f32]); 7] = [
            ("policy", &self.policy),
            ("value", std::slice::from_ref(&self.value)),
            (
                "no-result probability",
                std::slice::from_ref(&self.no_result),
            ),
            ("score lead", std::slice::from_ref(&self.score_lead)),
            ("score", score.as_slice().as_flattened()),
            ("errors", errors.as_slice().as_flattened()),
            ("ownership", &self.ownership),
        ];
        for (part, values) in parts {
            if let Some(&found) = values.iter().find(|x| !x.is_finite()) {
                return Err(EvalError::NotFinite { part, found });
            }
        }
        Ok(())
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Arc<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        (**self).evaluate(requests, evaluations)
    }

    fn pinned(&self) -> Option<Arc<dyn Evaluator>> {
        (**self).pinned()
    }

    fn predicts_lead(&self) -> bool {
        (**self).predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        (**self).supports_size(size)
    }

    fn batch_hint(&self, threads: usize) -> usize {
        (**self).batch_hint(threads)
    }

    fn reset(&self) {
        (**self).reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_rejects_any_non_finite_value() {
        type Number = fn(&mut Evaluation) -> Option<&mut f32>;
        let valid = Evaluation {
            policy: vec![0.5; 2],
            details: Some(KataDetails {
                score_mean: 1.0,
                score_mean_square: 2.0,
                errors: Some(UncertaintyEstimates {
                    variance_time: 1.0,
                    value: 0.5,
                    score: 3.0,
                }),
            }),
            ownership: vec![0.0],
            ..Evaluation::default()
        };
        assert!(valid.check_finite().is_ok());
        let numbers: [(&str, Number); 10] = [
            ("policy", |e| e.policy.last_mut()),
            ("value", |e| Some(&mut e.value)),
            ("no-result probability", |e| Some(&mut e.no_result)),
            ("score lead", |e| Some(&mut e.score_lead)),
            ("score", |e| Some(&mut e.details.as_mut()?.score_mean)),
            ("score", |e| {
                Some(&mut e.details.as_mut()?.score_mean_square)
            }),
            ("errors", |e| {
                Some(&mut e.details.as_mut()?.errors.as_mut()?.variance_time)
            }),
            ("errors", |e| {
                Some(&mut e.details.as_mut()?.errors.as_mut()?.value)
            }),
            ("errors", |e| {
                Some(&mut e.details.as_mut()?.errors.as_mut()?.score)
            }),
            ("ownership", |e| e.ownership.last_mut()),
        ];
        for (expected, number) in numbers {
            for bad in [f32::NAN, f32::INFINITY] {
                let mut invalid = valid.clone();
                *number(&mut invalid).unwrap() = bad;
                let error = invalid.check_finite().unwrap_err();
                assert!(
                    matches!(error, EvalError::NotFinite { part, .. } if part == expected),
                    "{expected}: {error}"
                );
            }
        }
    }
}
