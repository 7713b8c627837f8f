//! An evaluator that is created on first use.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::{EvalError, Evaluation, Evaluator, Request};

/// Evaluator that is created for the first request and reused afterwards.
pub struct LazyEvaluator<F> {
    make: F,
    evaluator: OnceCell<Arc<dyn Evaluator>>,
}

impl<F: Fn() -> Result<Arc<dyn Evaluator>, EvalError>> LazyEvaluator<F> {
    /// Creates a lazy evaluator. The first request calls `make` to create the actual evaluator. If `make` fails, the
    /// request returns the error, and the next request calls `make` again.
    pub const fn new(make: F) -> Self {
        Self {
            make,
            evaluator: OnceCell::new(),
        }
    }
}

impl<F: Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync> Evaluator
    for LazyEvaluator<F>
{
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let evaluator = self.evaluator.get_or_try_init(&self.make)?;
        evaluator.evaluate(requests, evaluations)
    }

    /// Returns the actual evaluator, or `None` before it has been created. Until then, the default methods assume that
    /// the evaluator predicts the lead and supports all board sizes, as most evaluators do.
    fn inner(&self) -> Option<&dyn Evaluator> {
        self.evaluator.get().map(|evaluator| &**evaluator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::uniform::UniformEvaluator;
    use crate::game::point::BoardSize;
    use crate::game::position::Position;
    use crate::game::rules::Rules;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn evaluator_is_created_once_on_first_use() {
        let tries = AtomicU32::new(0);
        let lazy = LazyEvaluator::new(|| -> Result<Arc<dyn Evaluator>, EvalError> {
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 => Err(EvalError::Panicked),
                _ => Ok(Arc::new(UniformEvaluator)),
            }
        });
        assert_eq!(tries.load(Ordering::Relaxed), 0);
        let position = Position::new(BoardSize::new(3, 3).unwrap(), Rules::default());
        let mut evaluations = [Evaluation::default()];
        let mut evaluate = || lazy.evaluate(&[Request::new(&position)], &mut evaluations);
        assert!(evaluate().is_err());
        assert!(evaluate().is_ok() && evaluate().is_ok());
        assert_eq!(tries.load(Ordering::Relaxed), 2);
        assert_eq!(evaluations[0].policy.len(), 10);
    }
}
