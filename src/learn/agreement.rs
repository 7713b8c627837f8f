//! Measures how much an evaluator differs from a more accurate reference.

use parking_lot::Mutex;

use crate::eval::{EvalError, Evaluation, Evaluator, Request};

/// Evaluator that wraps another one and records how much each evaluation differs from that of a reference.
pub struct ComparingEvaluator<'a> {
    evaluator: &'a dyn Evaluator,
    reference: &'a dyn Evaluator,
    differences: Mutex<Vec<Difference>>,
}

/// Difference between the two evaluations of a position.
#[derive(Clone, Copy, Debug)]
struct Difference {
    kl_divergence: f64,
    value_difference: f64,
    is_same_move: bool,
}

/// Statistics of the differences over all compared positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Number of positions compared.
    pub positions: usize,
    /// Mean Kullback-Leibler divergence between the priors of the reference and the evaluator, in nats.
    pub kl_divergence: f64,
    /// Mean absolute difference of the values, which range from -1 to 1.
    pub mean_value_difference: f64,
    /// 99th percentile of the absolute differences of the values.
    pub value_difference_p99: f64,
    /// Fraction of positions in which both evaluators have the highest prior at the same move.
    pub same_move_fraction: f64,
}

impl<'a> ComparingEvaluator<'a> {
    /// Creates an evaluator that returns the evaluations of `evaluator` and compares them with those of `reference`.
    pub fn new(evaluator: &'a dyn Evaluator, reference: &'a dyn Evaluator) -> Self {
        Self {
            evaluator,
            reference,
            differences: Mutex::default(),
        }
    }

    /// Returns the statistics over all positions so far, or `None` if there are none. They do not depend on the order
    /// in which the positions were evaluated.
    pub fn agreement(&self) -> Option<Agreement> {
        let differences = self.differences.lock();
        let positions = differences.len();
        // The values are sorted, so that rounding errors of their sum do not depend on the order of evaluation.
        let sorted = |metric: fn(&Difference) -> f64| {
            let mut sorted_values: Vec<f64> = differences.iter().map(metric).collect();
            sorted_values.sort_by(f64::total_cmp);
            sorted_values
        };
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / positions as f64;
        let values = sorted(|difference| difference.value_difference);
        let same_move = differences
            .iter()
            .filter(|difference| difference.is_same_move);
        Some(Agreement {
            positions,
            kl_divergence: mean(&sorted(|difference| difference.kl_divergence)),
            mean_value_difference: mean(&values),
            value_difference_p99: *values.get((positions * 99).div_ceil(100).checked_sub(1)?)?,
            same_move_fraction: same_move.count() as f64 / positions as f64,
        })
    }
}

impl Evaluator for ComparingEvaluator<'_> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let mut reference = vec![Evaluation::default(); requests.len()];
        self.reference.evaluate(requests, &mut reference)?;
        self.evaluator.evaluate(requests, evaluations)?;
        let differences = reference.iter().zip(&*evaluations).map(difference);
        let mut recorded = self.differences.lock();
        recorded.extend(differences);
        Ok(())
    }
}

fn difference((reference, evaluation): (&Evaluation, &Evaluation)) -> Difference {
    let terms = reference
        .policy
        .iter()
        .zip(&evaluation.policy)
        .map(|(p, q)| {
            let (p, q) = (f64::from(*p), f64::from(q.max(f32::MIN_POSITIVE)));
            if p > 0.0 { p * (p / q).ln() } else { 0.0 }
        });
    Difference {
        kl_divergence: terms.sum(),
        value_difference: f64::from((reference.value - evaluation.value).abs()),
        is_same_move: argmax(&reference.policy) == argmax(&evaluation.policy),
    }
}

/// Returns the index of the highest prior, or the first one if several are equal.
fn argmax(policy: &[f32]) -> Option<usize> {
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

    /// Returns fixed priors, and as value a factor times the number of stones on the board in hundredths.
    struct FixedEvaluator([f32; 2], f32);

    impl Evaluator for FixedEvaluator {
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
    fn agreement_matches_definitions() {
        let (uniform, confident) = (
            FixedEvaluator([0.5, 0.5], 0.0),
            FixedEvaluator([0.2, 0.8], -1.0),
        );
        let comparing = ComparingEvaluator::new(&confident, &uniform);
        assert_eq!(comparing.agreement(), None);
        let size = BoardSize::STANDARD;
        let mut position = Position::new(size, Rules::default());
        // Values differ by 0.01, 0.02 and so on to 1.
        for point in size.points().filter(|point| point.row() % 2 == 0).take(100) {
            position.play_unchecked(position.to_move(), crate::game::point::Move::Play(point));
            let mut evaluation = [Evaluation::default()];
            comparing
                .evaluate(&[Request::new(&position)], &mut evaluation)
                .unwrap();
            assert_eq!(evaluation[0].policy, confident.0);
        }
        let agreement = comparing.agreement().unwrap();
        let divergence = 0.5 * (0.5_f64 / 0.2).ln() + 0.5 * (0.5_f64 / 0.8).ln();
        assert_eq!(
            (agreement.positions, agreement.same_move_fraction),
            (100, 0.0)
        );
        assert!(
            (agreement.kl_divergence - divergence).abs() < 1e-7,
            "{agreement:?}"
        );
        assert!(
            (agreement.mean_value_difference - 0.505).abs() < 1e-7,
            "{agreement:?}"
        );
        assert!(
            (agreement.value_difference_p99 - 0.99).abs() < 1e-7,
            "{agreement:?}"
        );
        let identical = ComparingEvaluator::new(&uniform, &uniform);
        identical
            .evaluate(&[Request::new(&position)], &mut [Evaluation::default()])
            .unwrap();
        let agreement = identical.agreement().unwrap();
        assert_eq!(
            (
                agreement.kl_divergence,
                agreement.mean_value_difference,
                agreement.same_move_fraction
            ),
            (0.0, 0.0, 1.0)
        );
    }
}
