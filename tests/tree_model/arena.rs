//! A small arena, because the model checker creates all items again in every run.

use super::sync::{AtomicUsize, Ordering, Zeroed};

#[derive(Debug)]
pub struct Arena<T> {
    items: Vec<T>,
    used: AtomicUsize,
}

impl<T: Zeroed> Arena<T> {
    pub const CAPACITY: usize = 1 << 20;
    const LEN: usize = 8;

    pub fn new() -> Self {
        Self {
            items: (0..Self::LEN).map(|_| T::default()).collect(),
            used: AtomicUsize::new(0),
        }
    }

    pub fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub const fn next_range_start(used: usize, _: usize) -> usize {
        used
    }

    pub fn allocate(&self, count: usize) -> usize {
        self.used.fetch_add(count, Ordering::Relaxed)
    }

    pub fn slice(&self, start: usize, count: usize) -> &[T] {
        &self.items[start..][..count]
    }

    pub fn truncate(&mut self, len: usize) {
        self.used.store(len, Ordering::Relaxed);
    }
}
