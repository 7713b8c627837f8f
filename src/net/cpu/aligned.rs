//! Buffers aligned to cache lines, so that no SIMD vector in them crosses a cache-line boundary.

use std::ops::{Deref, DerefMut};

use super::gemm::prefetch::CACHE_LINE_BYTES;

/// Fixed-length buffer that starts at a cache-line boundary.
#[derive(Debug)]
pub struct AlignedBuffer<T = f32> {
    store: Vec<T>,
    start: usize,
    length: usize,
}

impl<T> Default for AlignedBuffer<T> {
    fn default() -> Self {
        Self {
            store: Vec::new(),
            start: 0,
            length: 0,
        }
    }
}

impl<T: Copy + Default> AlignedBuffer<T> {
    /// Creates a buffer of `length` zeros.
    pub fn zeros(length: usize) -> Self {
        Self::from_storage(vec![T::default(); length + Self::SPARE])
    }

    /// Replaces the buffer by zeros if it has fewer than `length` elements. Otherwise, its content is preserved.
    pub fn reallocate_if_shorter(&mut self, length: usize) {
        if self.length < length {
            *self = Self::zeros(length);
        }
    }

    /// Number of elements that the storage has in addition to the buffer, so that the buffer can be aligned.
    const SPARE: usize = CACHE_LINE_BYTES / size_of::<T>();

    /// Creates a buffer from its storage, as returned by [`into_storage`](Self::into_storage). An empty vector becomes an
    /// empty buffer.
    pub fn from_storage(store: Vec<T>) -> Self {
        Self {
            start: Self::start(&store),
            length: store.len().saturating_sub(Self::SPARE),
            store,
        }
    }

    /// Returns the storage of the buffer, including the unused elements before and after the buffer.
    pub fn into_storage(self) -> Vec<T> {
        self.store
    }

    /// Returns the content of a buffer, given its storage as returned by [`into_storage`](Self::into_storage).
    pub fn storage_content(store: &[T]) -> &[T] {
        let length = store.len().saturating_sub(Self::SPARE);
        &store[Self::start(store)..][..length]
    }

    /// Returns the index in `store` at which the buffer starts.
    fn start(store: &[T]) -> usize {
        // If the alignment cannot be determined, any start is correct but slower.
        match store.as_ptr().align_offset(CACHE_LINE_BYTES) {
            offset if offset < Self::SPARE.min(store.len()) => offset,
            _ => 0,
        }
    }

    /// Creates a buffer of `length` elements: `values`, followed by zeros.
    pub fn zero_padded(values: &[T], length: usize) -> Self {
        let mut padded = Self::zeros(length);
        padded[..values.len()].copy_from_slice(values);
        padded
    }
}

impl<T> Deref for AlignedBuffer<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.store[self.start..][..self.length]
    }
}

impl<T> DerefMut for AlignedBuffer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.store[self.start..][..self.length]
    }
}
