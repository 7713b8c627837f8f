//! A wrapper that chooses the symmetry to look through.
//!
//! A network answers a little differently through each symmetry. Turning positions at random keeps one symmetry's
//! mistakes from steering a whole game, and the mean of all is better than any one, at their joint price.

use super::{Details, EvalError, Evaluation, Evaluator, Request, priors};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::rng::splitmix64;
use crate::scratch_pool::ScratchPool;

/// How to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orientation {
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
pub struct Orient<E> {
    inner: E,
    orientation: Orientation,
    scratch: ScratchPool<Vec<Evaluation>>,
}

impl<E: Evaluator> Orient<E> {
    /// Turns the positions that `inner` is asked about.
    #[must_use]
    pub fn new(inner: E, orientation: Orientation) -> Self {
        Self {
            inner,
            orientation,
            scratch: ScratchPool::default(),
        }
    }

    /// The request through the one symmetry chosen for it.
    fn turned<'a>(&self, request: &Request<'a>) -> Request<'a> {
        let symmetry = match self.orientation {
            Orientation::Fixed(symmetry) => fitting(symmetry, request.position.size()),
            Orientation::Random { seed } => random(seed, request.position),
            Orientation::Average => request.symmetry,
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
        let turned: Vec<Request<'_>> = requests
            .iter()
            .flat_map(|request| {
                Symmetry::of(request.position.size()).map(|symmetry| Request {
                    symmetry,
                    ..*request
                })
            })
            .collect();
        self.scratch.with(|answers| {
            answers.resize_with(turned.len().max(answers.len()), Evaluation::default);
            self.inner.evaluate(&turned, &mut answers[..turned.len()])?;
            let mut rest = answers.as_slice();
            for (request, evaluation) in requests.iter().zip(evaluations) {
                let count = Symmetry::of(request.position.size()).count();
                let (answers, others) = rest.split_at(count);
                mean(request.position.size(), answers, evaluation);
                evaluation.check()?;
                rest = others;
            }
            Ok(())
        })
    }
}

impl<E: Evaluator> Evaluator for Orient<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        match (self.orientation, requests) {
            (Orientation::Average, _) => self.average(requests, evaluations),
            (_, [request]) => self.inner.evaluate(&[self.turned(request)], evaluations),
            _ => {
                let turned: Vec<_> = requests
                    .iter()
                    .map(|request| self.turned(request))
                    .collect();
                self.inner.evaluate(&turned, evaluations)
            }
        }
    }

    fn tells_lead(&self) -> bool {
        self.inner.tells_lead()
    }

    fn plays_on(&self, size: BoardSize) -> bool {
        self.inner.plays_on(size)
    }

    fn forget(&self) {
        self.inner.forget();
    }
}

fn fitting(symmetry: Symmetry, size: BoardSize) -> Symmetry {
    if Symmetry::of(size).any(|known| known == symmetry) {
        return symmetry;
    }
    Symmetry::from_number(symmetry.number() % 4).expect("a number below four is below eight")
}

fn random(seed: u64, position: &Position) -> Symmetry {
    let word = splitmix64(position.situation_hash() ^ splitmix64(seed));
    let count = Symmetry::of(position.size()).count();
    // The symmetries of a board are the first of all, four or eight.
    Symmetry::ALL[(word >> 32) as usize % count]
}

/// Writes the mean of the answers; an ownership that one of them lacks is left out.
fn mean(size: BoardSize, answers: &[Evaluation], into: &mut Evaluation) {
    priors::clear(into, size);
    let share = 1.0 / answers.len() as f32;
    let add = |sums: &mut [f32], numbers: &[f32]| {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += share * number;
        }
    };
    let owned = answers
        .iter()
        .all(|answer| answer.ownership.len() == size.area());
    if owned {
        into.ownership.resize(size.area(), 0.0);
    }
    for answer in answers {
        add(&mut into.policy, &answer.policy);
        add(&mut into.ownership, &answer.ownership);
        into.value += share * answer.value;
        into.no_result += share * answer.no_result;
        into.score_lead += share * answer.score_lead;
    }
    into.details = Details::mean(answers.iter().map(|answer| answer.details));
}
