//! How nearly two evaluators say the same of the positions of games: the one that is trusted and one that is faster.

use parking_lot::Mutex;

use crate::eval::{EvalError, Evaluation, Evaluator, Request};

/// Answers as one evaluator does, and keeps by how much another would have answered differently.
pub struct Beside<'a> {
    answering: &'a dyn Evaluator,
    trusted: &'a dyn Evaluator,
    seen: Mutex<Vec<Difference>>,
}

/// What two evaluators make of one position.
#[derive(Clone, Copy, Debug)]
struct Difference {
    divergence: f64,
    value: f64,
    same_move: bool,
}

/// Figures of all positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Positions looked at.
    pub positions: usize,
    /// The mean Kullback-Leibler divergence of the priors from the trusted ones, in nats.
    pub divergence: f64,
    /// The mean size of the difference of values, which are from -1 to 1.
    pub value: f64,
    /// 99 of 100 of these differences are not larger.
    pub value_99: f64,
    /// The share of positions whose highest prior is of the same move.
    pub same_move: f64,
}

impl<'a> Beside<'a> {
    /// Answers as `answering`, to be compared with `trusted`.
    #[must_use]
    pub fn new(answering: &'a dyn Evaluator, trusted: &'a dyn Evaluator) -> Self {
        Self {
            answering,
            trusted,
            seen: Mutex::default(),
        }
    }

    /// The figures of all positions so far, none if there were none. They do not depend on the order.
    pub fn agreement(&self) -> Option<Agreement> {
        let seen = self.seen.lock();
        let positions = seen.len();
        // In one order, so that sums round the same way every time.
        let sorted = |of: fn(&Difference) -> f64| {
            let mut numbers: Vec<f64> = seen.iter().map(of).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / positions as f64;
        let values = sorted(|difference| difference.value);
        let same = seen.iter().filter(|difference| difference.same_move);
        Some(Agreement {
            positions,
            divergence: mean(&sorted(|difference| difference.divergence)),
            value: mean(&values),
            value_99: *values.get((positions * 99).div_ceil(100).checked_sub(1)?)?,
            same_move: same.count() as f64 / positions as f64,
        })
    }
}

impl Evaluator for Beside<'_> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let mut trusted = vec![Evaluation::default(); requests.len()];
        self.trusted.evaluate(requests, &mut trusted)?;
        self.answering.evaluate(requests, evaluations)?;
        let differences = trusted.iter().zip(&*evaluations).map(difference);
        let mut seen = self.seen.lock();
        seen.extend(differences);
        Ok(())
    }
}

fn difference((trusted, other): (&Evaluation, &Evaluation)) -> Difference {
    let terms = trusted.policy.iter().zip(&other.policy).map(|(p, q)| {
        let (p, q) = (f64::from(*p), f64::from(q.max(f32::MIN_POSITIVE)));
        if p > 0.0 { p * (p / q).ln() } else { 0.0 }
    });
    Difference {
        divergence: terms.sum(),
        value: f64::from((trusted.value - other.value).abs()),
        same_move: top(&trusted.policy) == top(&other.policy),
    }
}

/// The place of the highest prior, the first of equals.
fn top(policy: &[f32]) -> Option<usize> {
    (0..policy.len())
        .rev()
        .max_by(|a, b| policy[*a].total_cmp(&policy[*b]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::BoardSize;
    use crate::game::position::Position;
    use crate::game::rules::Rules;

    /// Says these priors and the number of stones on the board, in hundredths and so many more, as value.
    struct Saying([f32; 2], f32);

    impl Evaluator for Saying {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            evaluations: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            for (request, evaluation) in requests.iter().zip(evaluations) {
                let stones = request.position.board().occupied().len() as f32;
                evaluation.policy = self.0.to_vec();
                evaluation.value = self.1 * stones / 100.0;
            }
            Ok(())
        }
    }

    #[test]
    fn figures_are_those_of_the_definitions() {
        let (even, sure) = (Saying([0.5, 0.5], 0.0), Saying([0.2, 0.8], -1.0));
        let beside = Beside::new(&sure, &even);
        assert_eq!(beside.agreement(), None);
        let size = BoardSize::STANDARD;
        let mut position = Position::new(size, Rules::default());
        // Values differ by 0.01, 0.02 and so on to 1.
        for point in size.points().filter(|point| point.row() % 2 == 0).take(100) {
            position.play_legal(position.to_move(), crate::game::point::Move::Play(point));
            let mut answer = [Evaluation::default()];
            beside
                .evaluate(&[Request::new(&position)], &mut answer)
                .unwrap();
            assert_eq!(answer[0].policy, sure.0);
        }
        let found = beside.agreement().unwrap();
        let divergence = 0.5 * (0.5_f64 / 0.2).ln() + 0.5 * (0.5_f64 / 0.8).ln();
        assert_eq!((found.positions, found.same_move), (100, 0.0));
        assert!((found.divergence - divergence).abs() < 1e-7, "{found:?}");
        assert!((found.value - 0.505).abs() < 1e-7, "{found:?}");
        assert!((found.value_99 - 0.99).abs() < 1e-7, "{found:?}");
        let alike = Beside::new(&even, &even);
        alike
            .evaluate(&[Request::new(&position)], &mut [Evaluation::default()])
            .unwrap();
        let found = alike.agreement().unwrap();
        assert_eq!(
            (found.divergence, found.value, found.same_move),
            (0.0, 0.0, 1.0)
        );
    }
}
