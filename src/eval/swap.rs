//! An evaluator that can be replaced while the program runs.

use std::sync::Arc;

use parking_lot::RwLock;

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::BoardSize;

/// Evaluator that forwards all requests to its current evaluator, which can be replaced at any time.
///
/// A search [pins](Evaluator::pinned) the current evaluator when it starts. A replacement therefore takes effect
/// between two searches, and never within one.
pub struct SwappableEvaluator {
    current: RwLock<Arc<dyn Evaluator>>,
}

impl SwappableEvaluator {
    pub fn new(evaluator: Arc<dyn Evaluator>) -> Self {
        Self {
            current: RwLock::new(evaluator),
        }
    }

    /// Replaces the evaluator. Searches that are already running keep the old one until they end.
    pub fn replace(&self, evaluator: Arc<dyn Evaluator>) {
        // The old evaluator may be large. It is dropped after the lock has been released.
        let old = std::mem::replace(&mut *self.current.write(), evaluator);
        drop(old);
    }

    fn current(&self) -> Arc<dyn Evaluator> {
        Arc::clone(&self.current.read())
    }
}

impl Evaluator for SwappableEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.current().evaluate(requests, evaluations)
    }

    fn pinned(&self) -> Option<Arc<dyn Evaluator>> {
        Some(self.current())
    }

    fn predicts_lead(&self) -> bool {
        self.current().predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.current().supports_size(size)
    }

    fn batch_hint(&self, threads: usize) -> usize {
        self.current().batch_hint(threads)
    }

    fn reset(&self) {
        self.current().reset();
    }
}
