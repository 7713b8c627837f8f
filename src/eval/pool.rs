//! Scratch shared by the threads that call an evaluator.

use std::sync::{Mutex, PoisonError};

/// Values lent out one at a time; there are soon as many as threads that ever called at the same time.
#[derive(Debug, Default)]
pub(super) struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T: Default> Pool<T> {
    /// Calls `work` with a value nobody else has. A value that `work` panics with is not seen again.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let mut value = lent.unwrap_or_default();
        let result = work(&mut value);
        idle().push(value);
        result
    }
}
