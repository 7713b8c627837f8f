//! Evaluating positions: what a search asks, and everything that can answer.
//!
//! [`Evaluator`] is the one seam between searches and whatever judges positions. A network, random playouts, a flat
//! prior and a hash-derived stand-in implement it, and so do the wrappers that remember, turn or join requests. All
//! quantities are from the side of the player to move.

pub mod batcher;
pub mod best_prior;
pub mod cache;
pub mod calibration;
pub mod embedded;
pub mod hashed;
mod input;
pub mod lazy;
pub mod network;
pub mod playout;
mod playout_board;
pub mod precision;
mod priors;
pub mod rollout;
pub mod stack;
pub mod symmetry;
mod tactical;
pub mod uniform;

use std::sync::Arc;

use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
pub use crate::net::readout::{Details, Errors};

/// Moves whose priors are told in any case: more than most positions of a search ever follow.
pub const TOP_MOVES: usize = 24;

/// A position to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The position. Where play has ended the answer is what it is worth were play to go on.
    pub position: &'a Position,
    /// The symmetry to look through. It maps the board to one of the same size; answers come turned back.
    pub symmetry: Symmetry,
    /// Whether the owner of every point is wanted.
    pub ownership: bool,
    /// Whether the priors of all moves are wanted. Else those behind the [first](FIRST_MOVES) may be 0.
    pub all_moves: bool,
}

impl<'a> Request<'a> {
    /// Asks for all priors and values, without symmetry or ownership.
    #[must_use]
    pub const fn new(position: &'a Position) -> Self {
        Self {
            position,
            symmetry: Symmetry::IDENTITY,
            ownership: false,
            all_moves: true,
        }
    }
}

/// What an evaluator says of a position, from the side of the player to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The prior of each move: the points in reading order, then the pass. Not negative, 0 where illegal; sums to 1
    /// where [all moves](Request::all_moves) were asked for, and to no more elsewhere.
    pub policy: Vec<f32>,
    /// The expected result, from -1 (lost) to 1 (won).
    pub value: f32,
    /// The chance that the game ends without a result; 0 where the evaluator or the rules do not know of such.
    pub no_result: f32,
    /// The expected lead in points, komi included; 0 where the evaluator cannot tell.
    pub score_lead: f32,
    /// More about the score, and the errors of all this; only some networks tell.
    pub details: Option<Details>,
    /// The expected owner of each point in reading order, from -1 (opponent) to 1 (own); empty unless it was asked for
    /// and can be told.
    pub ownership: Vec<f32>,
}

/// Why an evaluation failed. A search stops at the first one and reports it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EvalError {
    /// The network failed.
    #[error("evaluator: {0}")]
    Network(String),
    /// The evaluator answered with something that is not a number.
    #[error("evaluator: expected finite numbers, found {found} in the {part}")]
    NotFinite {
        /// Where.
        part: &'static str,
        /// What.
        found: f32,
    },
    /// It, or the search that asked it, panicked in this thread or in one that works with it.
    #[error("evaluator: stopped by a fault of the program, see standard error")]
    Panicked,
}

/// A board on which an evaluator cannot judge positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a board that the network plays on, found {0}")]
pub struct UnsupportedSizeError(pub BoardSize);

impl UnsupportedSizeError {
    /// Checks that the evaluator can judge positions on boards of that size.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(evaluator: &dyn Evaluator, size: BoardSize) -> Result<(), Self> {
        match evaluator.supports_size(size) {
            true => Ok(()),
            false => Err(Self(size)),
        }
    }
}

/// Judges positions. Any number of threads may call one evaluator at the same time.
pub trait Evaluator: Send + Sync {
    /// Writes an answer for each request into the slot of the same place; slots keep their allocations between calls.
    ///
    /// # Errors
    /// When a position could not be evaluated; the slots hold nothing of use then.
    ///
    /// # Panics
    /// When the two slices differ in length.
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError>;

    /// Whether it can tell the expected lead.
    fn predicts_lead(&self) -> bool {
        true
    }

    /// Whether it can judge positions on boards of that size.
    fn supports_size(&self, _size: BoardSize) -> bool {
        true
    }

    /// Forgets what it remembers of earlier positions, if anything.
    fn reset(&self) {}
}

/// What `evaluator` says of one position, all of it finite.
///
/// # Errors
/// When the position could not be evaluated.
pub fn evaluate_one(
    evaluator: &dyn Evaluator,
    request: Request<'_>,
) -> Result<Evaluation, EvalError> {
    let mut evaluation = Evaluation::default();
    evaluator.evaluate(&[request], std::slice::from_mut(&mut evaluation))?;
    evaluation.check()?;
    Ok(evaluation)
}

impl Evaluation {
    /// Checks that all numbers are finite.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), EvalError> {
        let details = self.details;
        let score = details.map(|details| [details.score_mean, details.score_mean_square]);
        let errors = details.and_then(|details| details.errors);
        let errors = errors.map(|errors| [errors.variance_time, errors.value, errors.score]);
        let parts: [(&'static str, &[f32]); 7] = [
            ("policy", &self.policy),
            ("value", std::slice::from_ref(&self.value)),
            ("chance of no result", std::slice::from_ref(&self.no_result)),
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

/// A shared evaluator is an evaluator.
impl<E: Evaluator + ?Sized> Evaluator for Arc<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        (**self).evaluate(requests, evaluations)
    }

    fn predicts_lead(&self) -> bool {
        (**self).predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        (**self).supports_size(size)
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
            details: Some(Details {
                score_mean: 1.0,
                score_mean_square: 2.0,
                errors: Some(Errors {
                    variance_time: 1.0,
                    value: 0.5,
                    score: 3.0,
                }),
            }),
            ownership: vec![0.0],
            ..Evaluation::default()
        };
        assert!(valid.check().is_ok());
        let numbers: [(&str, Number); 10] = [
            ("policy", |e| e.policy.last_mut()),
            ("value", |e| Some(&mut e.value)),
            ("chance of no result", |e| Some(&mut e.no_result)),
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
                let error = invalid.check().unwrap_err();
                assert!(
                    matches!(error, EvalError::NotFinite { part, .. } if part == expected),
                    "{expected}: {error}"
                );
            }
        }
    }
}
