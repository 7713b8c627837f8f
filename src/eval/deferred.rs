//! An evaluator that is made when somebody first asks it.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::BoardSize;

/// Makes its evaluator at the first request, and keeps it.
pub struct Deferred<F> {
    make: F,
    made: OnceCell<Arc<dyn Evaluator>>,
}

impl<F: Fn() -> Result<Arc<dyn Evaluator>, EvalError>> Deferred<F> {
    /// Will ask what `make` makes; after a failure the next request tries again.
    pub const fn new(make: F) -> Self {
        Self {
            make,
            made: OnceCell::new(),
        }
    }
}

impl<F: Fn() -> Result<Arc<dyn Evaluator>, EvalError> + Send + Sync> Evaluator for Deferred<F> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let evaluator = self.made.get_or_try_init(&self.make)?;
        evaluator.evaluate(requests, evaluations)
    }

    /// As long as it is not made nothing is known of it: as most can.
    fn tells_lead(&self) -> bool {
        self.made.get().is_none_or(|made| made.tells_lead())
    }

    fn plays_on(&self, size: BoardSize) -> bool {
        self.made.get().is_none_or(|made| made.plays_on(size))
    }

    fn forget(&self) {
        if let Some(made) = self.made.get() {
            made.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::uniform::Uniform;
    use crate::game::position::Position;
    use crate::game::rules::Rules;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn the_evaluator_is_made_once_and_only_when_asked() {
        let tries = AtomicU32::new(0);
        let deferred = Deferred::new(|| -> Result<Arc<dyn Evaluator>, EvalError> {
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 => Err(EvalError::Stopped),
                _ => Ok(Arc::new(Uniform)),
            }
        });
        assert_eq!(tries.load(Ordering::Relaxed), 0);
        let position = Position::new(BoardSize::new(3, 3).unwrap(), Rules::default());
        let mut answers = [Evaluation::default()];
        let mut ask = || deferred.evaluate(&[Request::new(&position)], &mut answers);
        assert!(ask().is_err());
        assert!(ask().is_ok() && ask().is_ok());
        assert_eq!(tries.load(Ordering::Relaxed), 2);
        assert_eq!(answers[0].policy.len(), 10);
    }
}
