//! Numbers that begin where a cache line does, so that no vector of them spans two lines.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the longest vector.
const LINE: usize = 64;
const NUMBERS: usize = LINE / size_of::<f32>();

/// A slice of numbers of fixed length that begins at a whole cache line.
#[derive(Debug, Default)]
pub struct Aligned {
    store: Vec<f32>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// Zeros.
    pub fn zeros(length: usize) -> Self {
        let store = vec![0.0; length + NUMBERS];
        // Where alignment cannot be told, any start is right, if slow.
        let start = match store.as_ptr().align_offset(LINE) {
            offset if offset < NUMBERS => offset,
            _ => 0,
        };
        Self {
            store,
            start,
            length,
        }
    }

    /// Numbers followed by zeros.
    pub fn filled(numbers: &[f32], length: usize) -> Self {
        let mut filled = Self::zeros(length);
        filled[..numbers.len()].copy_from_slice(numbers);
        filled
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.store[self.start..][..self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.store[self.start..][..self.length]
    }
}
