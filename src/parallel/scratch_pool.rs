//! Pool of reusable scratch values for worker threads.

use parking_lot::Mutex;

/// Pool of values, each borrowed by one thread at a time. The pool grows to the maximum number of values that are in
/// use at the same time.
#[derive(Debug, Default)]
pub struct ScratchPool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T: Default> ScratchPool<T> {
    /// Calls `f` with exclusive access to a pooled value, creating a value if none is idle. If `f` panics, the value is
    /// dropped.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let pooled = self.idle.lock().pop();
        let mut value = pooled.unwrap_or_default();
        let result = f(&mut value);
        self.idle.lock().push(value);
        result
    }
}
