//! Evaluators implemented by functions, for several test programs.

use std::sync::Arc;

use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::position::Position;

struct EvaluatorFn<F>(F);

impl<F> Evaluator for EvaluatorFn<F>
where
    F: Fn(&Position) -> Result<Evaluation, EvalError> + Send + Sync,
{
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        for (request, evaluation) in requests.iter().zip(evaluations) {
            *evaluation = (self.0)(request.position)?;
        }
        Ok(())
    }
}

pub fn evaluator_fn<F>(function: F) -> Arc<dyn Evaluator>
where
    F: Fn(&Position) -> Result<Evaluation, EvalError> + Send + Sync + 'static,
{
    Arc::new(EvaluatorFn(function))
}

/// Evaluates one position.
pub fn evaluate(evaluator: &dyn Evaluator, position: &Position) -> Result<Evaluation, EvalError> {
    let mut evaluation = [Evaluation::default()];
    evaluator.evaluate(&[Request::new(position)], &mut evaluation)?;
    let [evaluation] = evaluation;
    Ok(evaluation)
}
