//! A wrapper that chooses the symmetry to look through.
//!
//! A network answers a little differently through each symmetry. Turning positions at random keeps one symmetry's
//! mistakes from steering a whole game, and the mean of all is better than any one, at their joint price.

use super::{Details, EvalError, Evaluation, Evaluator, Request, priors};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::parallel::scratch_pool::ScratchPool;
use crate::random::splitmix64;

/// How to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryMode {
    /// Always this one; where the board is not square, columns and rows stay unswapped.
    Fixed(Symmetry),
    /// One that seed and position decide: the same position is always turned the same way.
    Random {
        /// The seed.
        seed: u64,
    },
    /// The mean over all symmetries of the board.
    Average,
}

/// Evaluates through the symmetries it chooses; the one in the request is not used.
#[derive(Debug)]
pub struct SymmetryEvaluator<E> {
    inner: E,
    mode: SymmetryMode,
    scratch: ScratchPool<Vec<Evaluation>>,
}

impl<E: Evaluator> SymmetryEvaluator<E> {
    /// Turns the positions that `inner` is asked about.
    #[must_use]
    pub fn new(inner: E, mode: SymmetryMode) -> Self {
        Self {
            inner,
            mode,
            scratch: ScratchPool::default(),
        }
    }

    /// The request through the one symmetry chosen for it.
    fn transform<'a>(&self, request: &Request<'a>) -> Request<'a> {
        let symmetry = match self.mode {
            SymmetryMode::Fixed(symmetry) => supported_symmetry(symmetry, request.position.size()),
            SymmetryMode::Random { seed } => random_symmetry(seed, request.position),
            SymmetryMode::Average => request.symmetry,
        };
        Request {
            symmetry,
            ..*request
        }
    }

    fn average(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
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
        self.scratch.with(|outputs| {
            outputs.resize_with(transformed.len().max(outputs.len()), Evaluation::default);
            self.inner
                .evaluate(&transformed, &mut outputs[..transformed.len()])?;
            let mut remaining = outputs.as_slice();
            for (request, evaluation) in requests.iter().zip(evaluations) {
                let count = Symmetry::for_size(request.position.size()).count();
                let (group, rest) = remaining.split_at(count);
                write_mean(request.position.size(), group, evaluation);
                evaluation.check()?;
                remaining = rest;
            }
            Ok(())
        })
    }
}

impl<E: Evaluator> Evaluator for SymmetryEvaluator<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        match (self.mode, requests) {
            (SymmetryMode::Average, _) => self.average(requests, evaluations),
            (_, [request]) => self.inner.evaluate(&[self.transform(request)], evaluations),
            _ => {
                let transformed: Vec<_> = requests
                    .iter()
                    .map(|request| self.transform(request))
                    .collect();
                self.inner.evaluate(&transformed, evaluations)
            }
        }
    }

    fn predicts_lead(&self) -> bool {
        self.inner.predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.inner.supports_size(size)
    }

    fn reset(&self) {
        self.inner.reset();
    }
}

fn supported_symmetry(symmetry: Symmetry, size: BoardSize) -> Symmetry {
    if Symmetry::for_size(size).any(|candidate| candidate == symmetry) {
        return symmetry;
    }
    Symmetry::from_number(symmetry.number() % 4).expect("a number below four is below eight")
}

fn random_symmetry(seed: u64, position: &Position) -> Symmetry {
    let word = splitmix64(position.situation_hash() ^ splitmix64(seed));
    let count = Symmetry::for_size(position.size()).count();
    // The symmetries of a board are the first of all, four or eight.
    Symmetry::ALL[(word >> 32) as usize % count]
}

/// Writes the mean of the answers; an ownership that one of them lacks is left out.
fn write_mean(size: BoardSize, evaluations: &[Evaluation], output: &mut Evaluation) {
    priors::clear(output, size);
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
    output.details = Details::mean(evaluations.iter().map(|evaluation| evaluation.details));
}
