//! A wrapper that chooses the symmetry of each request.
//!
//! A network returns slightly different evaluations for the symmetric variants of a position. Random symmetries
//! prevent a systematic error in one orientation from affecting a whole game. The average over all symmetries is more
//! accurate than any single one, at the cost of evaluating all of them.

use super::{EvalError, Evaluation, Evaluator, KataDetails, Request};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::parallel::scratch_pool::ScratchPool;
use crate::random::splitmix64;

/// Choice of the symmetry under which a [`SymmetryEvaluator`] evaluates a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryMode {
    /// The same symmetry for all requests. On non-square boards, it is applied without its transposition.
    Fixed(Symmetry),
    /// A symmetry derived from the seed and the position, so that a position is always evaluated under the same
    /// symmetry.
    Random { seed: u64 },
    /// The average over all symmetries of the board.
    Average,
}

/// Evaluator that chooses symmetries according to its mode and ignores the symmetries in the requests.
#[derive(Debug)]
pub struct SymmetryEvaluator<E> {
    inner: E,
    mode: SymmetryMode,
    scratch: ScratchPool<Vec<Evaluation>>,
}

impl<E: Evaluator> SymmetryEvaluator<E> {
    pub fn new(inner: E, mode: SymmetryMode) -> Self {
        Self {
            inner,
            mode,
            scratch: ScratchPool::default(),
        }
    }

    /// Returns the request with the symmetry that the mode selects. In the mode [`SymmetryMode::Average`], returns the
    /// request unchanged.
    fn with_chosen_symmetry<'a>(&self, request: &Request<'a>) -> Request<'a> {
        let symmetry = match self.mode {
            SymmetryMode::Fixed(symmetry) => symmetry.without_transpose_on(request.position.size()),
            SymmetryMode::Random { seed } => random_symmetry(seed, request.position),
            SymmetryMode::Average => request.symmetry,
        };
        Request {
            symmetry,
            ..*request
        }
    }
}

/// Evaluates each request with `inner` under all symmetries of its board and writes the averages to `evaluations`. The
/// symmetries in the requests are ignored. `outputs` is scratch memory for the separate evaluations.
fn evaluate_averages(
    inner: &dyn Evaluator,
    requests: &[Request<'_>],
    evaluations: &mut [Evaluation],
    outputs: &mut Vec<Evaluation>,
) -> Result<(), EvalError> {
    let transformed: Vec<Request<'_>> = requests
        .iter()
        .flat_map(|request| {
            Symmetry::for_size(request.position.size()).map(|symmetry| Request {
                symmetry,
                ..*request
            })
        })
        .collect();
    outputs.resize_with(transformed.len().max(outputs.len()), Evaluation::default);
    inner.evaluate(&transformed, &mut outputs[..transformed.len()])?;
    let mut remaining = outputs.as_slice();
    for (request, evaluation) in requests.iter().zip(evaluations) {
        let count = Symmetry::for_size(request.position.size()).count();
        let (group, rest) = remaining.split_at(count);
        write_mean(request.position.size(), group, evaluation);
        evaluation.check_finite()?;
        remaining = rest;
    }
    Ok(())
}

/// Evaluates a request with `inner` under all symmetries of its board and returns the average. The symmetry in the
/// request is ignored.
///
/// # Errors
/// Returns the evaluator's error, or an error if the result is not finite.
pub fn evaluate_average(
    inner: &dyn Evaluator,
    request: Request<'_>,
) -> Result<Evaluation, EvalError> {
    let mut evaluation = Evaluation::default();
    let output = std::slice::from_mut(&mut evaluation);
    evaluate_averages(inner, &[request], output, &mut Vec::new())?;
    Ok(evaluation)
}

impl<E: Evaluator> Evaluator for SymmetryEvaluator<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        match (self.mode, requests) {
            (SymmetryMode::Average, _) => self
                .scratch
                .with(|outputs| evaluate_averages(&self.inner, requests, evaluations, outputs)),
            (_, [request]) => self
                .inner
                .evaluate(&[self.with_chosen_symmetry(request)], evaluations),
            _ => {
                let transformed: Vec<_> = requests
                    .iter()
                    .map(|request| self.with_chosen_symmetry(request))
                    .collect();
                self.inner.evaluate(&transformed, evaluations)
            }
        }
    }

    fn inner(&self) -> Option<&dyn Evaluator> {
        Some(&self.inner)
    }
}

fn random_symmetry(seed: u64, position: &Position) -> Symmetry {
    let word = splitmix64(position.state_hash() ^ splitmix64(seed));
    let count = Symmetry::for_size(position.size()).count();
    // The symmetries that preserve the board size (four or eight) come first in this list.
    Symmetry::ALL[(word >> 32) as usize % count]
}

/// Writes the average of `evaluations` to `output`. The average has no ownership unless all evaluations have it.
fn write_mean(size: BoardSize, evaluations: &[Evaluation], output: &mut Evaluation) {
    output.clear(size);
    let weight = 1.0 / evaluations.len() as f32;
    let add = |sums: &mut [f32], numbers: &[f32]| {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += weight * number;
        }
    };
    let all_have_ownership = evaluations
        .iter()
        .all(|evaluation| evaluation.ownership.len() == size.area());
    if all_have_ownership {
        output.ownership.resize(size.area(), 0.0);
    }
    for evaluation in evaluations {
        add(&mut output.policy, &evaluation.policy);
        add(&mut output.ownership, &evaluation.ownership);
        output.value += weight * evaluation.value;
        output.no_result += weight * evaluation.no_result;
        output.score_lead += weight * evaluation.score_lead;
    }
    output.details = KataDetails::mean(evaluations.iter().map(|evaluation| evaluation.details));
}
