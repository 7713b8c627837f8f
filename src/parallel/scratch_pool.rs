//! Memory to work in, lent to one thread after another.

use parking_lot::Mutex;

/// Values lent out one at a time; there are soon as many as threads that ever worked at the same time.
#[derive(Debug, Default)]
pub struct ScratchPool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T: Default> ScratchPool<T> {
    /// Calls `f` with a value nobody else has. A value that `f` panics with is not seen again.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let pooled = self.idle.lock().pop();
        let mut value = pooled.unwrap_or_default();
        let result = f(&mut value);
        self.idle.lock().push(value);
        result
    }
}
