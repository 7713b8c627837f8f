//! A small arena: the model checker makes all its items anew in every run.

use super::sync::{AtomicUsize, Ordering, Zeroed};

#[derive(Debug)]
pub struct Arena<T> {
    items: Vec<T>,
    used: AtomicUsize,
}

impl<T: Zeroed> Arena<T> {
    pub const CAPACITY: usize = 1 << 20;
    const ROOM: usize = 8;

    pub fn new() -> Self {
        Self {
            items: (0..Self::ROOM).map(|_| T::default()).collect(),
            used: AtomicUsize::new(0),
        }
    }

    pub fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub const fn place(used: usize, _: usize) -> usize {
        used
    }

    pub fn take(&self, count: usize) -> usize {
        self.used.fetch_add(count, Ordering::Relaxed)
    }

    pub fn row(&self, place: usize, count: usize) -> &[T] {
        &self.items[place..][..count]
    }

    pub fn truncate(&mut self, kept: usize) {
        self.used.store(kept, Ordering::Relaxed);
    }
}
