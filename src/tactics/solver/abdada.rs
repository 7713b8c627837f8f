//! Who searches what: threads that share a table put off a move that another thread is busy with, and find its result
//! in the table later (the deferring of ABDADA, Weill 1996, with marks beside the table instead of in it).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Marks; two positions that fall on the same mark only put one another off.
const NUM_MARKS: usize = 1 << 12;

/// The positions that threads are busy with.
#[derive(Debug)]
pub struct SearchMarks {
    marks: Vec<AtomicU64>,
}

impl Default for SearchMarks {
    fn default() -> Self {
        Self {
            marks: (0..NUM_MARKS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl SearchMarks {
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.marks[key as usize % NUM_MARKS]
    }

    /// Whether somebody is busy with that position.
    #[must_use]
    pub fn is_marked(&self, key: u64) -> bool {
        self.slot(key).load(Relaxed) == key
    }

    /// Somebody begins with it.
    pub fn mark(&self, key: u64) {
        self.slot(key).store(key, Relaxed);
    }

    /// Somebody is done with it.
    pub fn unmark(&self, key: u64) {
        self.slot(key).store(0, Relaxed);
    }
}
