//! The model checker's atomics, and a cell that it watches.

pub use loom::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The standard cell behind a flag: the checker, which does not look into the standard library, may switch threads between
/// the flag and all else, and shows the flag no earlier than its order allows.
#[derive(Debug, Default)]
pub struct OnceLock<T> {
    cell: std::sync::OnceLock<T>,
    there: AtomicU8,
}

impl<T> OnceLock<T> {
    pub fn new() -> Self {
        Self {
            cell: std::sync::OnceLock::new(),
            there: AtomicU8::new(0),
        }
    }

    pub fn get(&self) -> Option<&T> {
        match self.there.load(Ordering::Acquire) {
            0 => None,
            _ => self.cell.get(),
        }
    }

    pub fn set(&self, value: T) -> Result<(), T> {
        let result = self.cell.set(value);
        self.there.store(1, Ordering::Release);
        result
    }

    pub fn get_or_init(&self, value: impl FnOnce() -> T) -> &T {
        let value = self.cell.get_or_init(value);
        self.there.store(1, Ordering::Release);
        value
    }

    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.cell.get_mut()
    }

    pub fn take(&mut self) -> Option<T> {
        self.there.store(0, Ordering::Release);
        self.cell.take()
    }
}
