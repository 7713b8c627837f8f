//! Buffers aligned to cache lines, so that no vector in them crosses a line.

use std::ops::{Deref, DerefMut};

use super::gemm::prefetch::LINE;

/// Fixed-length buffer that starts at a cache line.
#[derive(Debug)]
pub struct Aligned<T = f32> {
    store: Vec<T>,
    start: usize,
    length: usize,
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self {
            store: Vec::new(),
            start: 0,
            length: 0,
        }
    }
}

impl<T: Copy + Default> Aligned<T> {
    /// Creates a buffer of `length` zeros.
    pub fn zeros(length: usize) -> Self {
        let spare = LINE / size_of::<T>();
        let store = vec![T::default(); length + spare];
        // If the alignment cannot be determined, any start is correct, only slower.
        let start = match store.as_ptr().align_offset(LINE) {
            offset if offset < spare => offset,
            _ => 0,
        };
        Self {
            store,
            start,
            length,
        }
    }

    /// Creates a buffer of `length` elements: `values`, followed by zeros.
    pub fn padded(values: &[T], length: usize) -> Self {
        let mut padded = Self::zeros(length);
        padded[..values.len()].copy_from_slice(values);
        padded
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.store[self.start..][..self.length]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.store[self.start..][..self.length]
    }
}
