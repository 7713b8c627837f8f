//! Buffers aligned to cache lines, so that no SIMD vector in them crosses a cache-line boundary.

use std::ops::{Deref, DerefMut};

/// Size of a cache line in 32-bit words; also the size of the longest SIMD vector.
pub const CACHE_LINE_WORDS: usize = 16;

/// Fixed-length buffer of 32-bit words that starts at a cache-line boundary. A word is a float, or the bits of a pair of
/// 16-bit numbers.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    store: Vec<f32>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    pub fn zeros(length: usize) -> Self {
        Self::from_storage(vec![0.0; length + CACHE_LINE_WORDS])
    }

    /// Creates a buffer of `length` words: `values`, followed by zeros.
    pub fn zero_padded(values: &[f32], length: usize) -> Self {
        let mut padded = Self::zeros(length);
        padded[..values.len()].copy_from_slice(values);
        padded
    }

    /// Replaces the buffer by zeros if it has fewer than `length` words. Otherwise, its content is preserved.
    pub fn reallocate_if_shorter(&mut self, length: usize) {
        if self.length < length {
            *self = Self::zeros(length);
        }
    }

    /// Creates a buffer from its storage, as returned by [`into_storage`](Self::into_storage). An empty vector becomes an
    /// empty buffer.
    pub fn from_storage(store: Vec<f32>) -> Self {
        Self {
            start: Self::start(&store),
            length: store.len().saturating_sub(CACHE_LINE_WORDS),
            store,
        }
    }

    /// Returns the storage of the buffer, including the unused words before and after the buffer.
    pub fn into_storage(self) -> Vec<f32> {
        self.store
    }

    /// Returns the content of a buffer, given its storage as returned by [`into_storage`](Self::into_storage).
    pub fn storage_content(store: &[f32]) -> &[f32] {
        let length = store.len().saturating_sub(CACHE_LINE_WORDS);
        &store[Self::start(store)..][..length]
    }

    /// Returns the index in `store` at which the buffer starts.
    fn start(store: &[f32]) -> usize {
        // If the alignment cannot be determined, any start is correct but slower.
        match store
            .as_ptr()
            .align_offset(CACHE_LINE_WORDS * size_of::<f32>())
        {
            offset if offset < CACHE_LINE_WORDS.min(store.len()) => offset,
            _ => 0,
        }
    }
}

impl Deref for AlignedBuffer {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        &self.store[self.start..][..self.length]
    }
}

impl DerefMut for AlignedBuffer {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.store[self.start..][..self.length]
    }
}
