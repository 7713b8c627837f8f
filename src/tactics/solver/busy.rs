//! Who searches what: threads that share a table put off a move that another thread is busy with, and find its result
//! in the table later (the deferring of ABDADA, Weill 1996, with marks beside the table instead of in it).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Marks; two positions that fall on the same mark only put one another off.
const MARKS: usize = 1 << 12;

/// The positions that threads are busy with.
#[derive(Debug)]
pub struct Busy {
    marks: Vec<AtomicU64>,
}

impl Default for Busy {
    fn default() -> Self {
        Self {
            marks: (0..MARKS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Busy {
    fn mark(&self, key: u64) -> &AtomicU64 {
        &self.marks[key as usize % MARKS]
    }

    /// Whether somebody is busy with that position.
    #[must_use]
    pub fn has(&self, key: u64) -> bool {
        self.mark(key).load(Relaxed) == key
    }

    /// Somebody begins with it.
    pub fn begin(&self, key: u64) {
        self.mark(key).store(key, Relaxed);
    }

    /// Somebody is done with it.
    pub fn end(&self, key: u64) {
        self.mark(key).store(0, Relaxed);
    }
}
