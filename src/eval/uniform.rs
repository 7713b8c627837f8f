//! The evaluator that knows nothing: every legal move is as good as any other, and the game is even.

use super::{EvalError, Evaluation, Evaluator, Request, priors};

/// Gives every legal move and the pass the same prior, and the value 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Evaluator for Uniform {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let size = request.position.size();
            let legal = request.position.legal_points();
            let prior = 1.0 / (legal.len() + 1) as f32;
            priors::clear(evaluation, size);
            for point in legal {
                evaluation.policy[size.index(point)] = prior;
            }
            evaluation.policy[size.area()] = prior;
        }
        Ok(())
    }
}
