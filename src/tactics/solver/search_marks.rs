//! Marks of the positions that are being searched. A thread defers a move that another thread is searching, and later
//! finds the result of the move in the table. This is the deferral of ABDADA (Weill 1996), except that the marks are
//! stored outside the table.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of slots for marks. If two positions share a slot, a mark can be lost; another thread may then search the
/// same position, which only costs time.
const NUM_MARKS: usize = 1 << 12;

/// Marks of the positions that threads are searching.
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

    /// Returns true if a thread is searching the position.
    pub fn is_marked(&self, key: u64) -> bool {
        self.slot(key).load(Relaxed) == key
    }

    /// Marks a position when its search starts.
    pub fn mark(&self, key: u64) {
        self.slot(key).store(key, Relaxed);
    }

    /// Removes the mark of a position when its search ends.
    pub fn unmark(&self, key: u64) {
        self.slot(key).store(0, Relaxed);
    }
}
