//! An evaluator without knowledge: uniform priors and an even game.

use super::{EvalError, Evaluation, Evaluator, Request};

/// Evaluator that assigns the same prior to all legal moves, including a pass, and the value 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let size = request.position.size();
            let legal = request.position.legal_points();
            let prior = 1.0 / (legal.len() + 1) as f32;
            evaluation.clear(size);
            for point in legal {
                evaluation.policy[size.index(point)] = prior;
            }
            evaluation.policy[size.area()] = prior;
        }
        Ok(())
    }
}
