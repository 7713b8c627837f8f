//! A lock-free arena allocator for millions of items.
//!
//! An arena grows in chunks that never move. Each chunk is so large that the global allocator requests it directly from
//! the operating system: the pages are zeroed, occupy memory only once they are used, and are returned when the chunk
//! is dropped. The memory of smaller chunks would stay with the global allocator.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::OnceLock;

use super::sync::{AtomicUsize, Ordering, Zeroed};

/// Approximate size of a chunk in bytes. Global allocators request blocks of this size directly from the operating
/// system.
const CHUNK_BYTES: usize = 64 << 20;
/// Maximum number of chunks.
const MAX_CHUNKS: usize = 1 << 12;

/// A growing array of items. New items consist of zero bytes.
#[derive(Debug)]
pub struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    used: AtomicUsize,
}

impl<T: Zeroed> Arena<T> {
    /// Number of items per chunk, a power of two.
    const CHUNK_LEN: usize = 1 << (CHUNK_BYTES / size_of::<T>()).ilog2();
    /// Maximum number of items.
    pub const CAPACITY: usize = MAX_CHUNKS * Self::CHUNK_LEN;

    pub fn new() -> Self {
        Self {
            chunks: (0..MAX_CHUNKS).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(0),
        }
    }

    /// Returns the number of allocated items, including the items skipped at the ends of chunks.
    pub fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the index at which a new range of `count` items starts if `used` items are already allocated. A range
    /// never spans two chunks.
    pub const fn next_range_start(used: usize, count: usize) -> usize {
        let remaining = Self::CHUNK_LEN - used % Self::CHUNK_LEN;
        if count <= remaining {
            used
        } else {
            used + remaining
        }
    }

    /// Allocates a range of `count` new items and returns the index of the first one. `count` must be at least one and
    /// at most the length of a chunk.
    ///
    /// # Panics
    /// Panics if the arena is full.
    pub fn allocate(&self, count: usize) -> usize {
        let next = |used| Some(Self::next_range_start(used, count) + count);
        let (Ok(used) | Err(used)) =
            self.used
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        let start = Self::next_range_start(used, count);
        self.chunks[start / Self::CHUNK_LEN].get_or_init(zeroed_chunk);
        start
    }

    /// Returns the `count` items that start at index `start`. All of them must belong to the same allocated range.
    ///
    /// # Panics
    /// Panics if the items lie in a chunk that has not been allocated, or span two chunks.
    #[inline]
    pub fn slice(&self, start: usize, count: usize) -> &[T] {
        let chunk = self.chunks[start / Self::CHUNK_LEN]
            .get()
            .expect("the range is allocated");
        &chunk[start % Self::CHUNK_LEN..][..count]
    }

    /// Frees all items except the first `len`. `len` must not exceed the number of allocated items.
    pub fn truncate(&mut self, len: usize) {
        let used = self.used.get_mut();
        let (chunk, offset) = (len / Self::CHUNK_LEN, len % Self::CHUNK_LEN);
        let used_in_chunk = (*used - chunk * Self::CHUNK_LEN).min(Self::CHUNK_LEN);
        *used = len;
        if let Some(items) = self.chunks[chunk].get_mut() {
            items[offset..used_in_chunk.max(offset)]
                .iter_mut()
                .for_each(T::zero);
        }
        for chunk in &mut self.chunks[chunk + 1..] {
            if chunk.take().is_none() {
                break;
            }
        }
    }
}

fn zeroed_chunk<T: Zeroed>() -> Box<[T]> {
    let count = Arena::<T>::CHUNK_LEN;
    <[T]>::new_box_zeroed_with_elems(count).unwrap_or_else(|_| {
        handle_alloc_error(Layout::array::<T>(count).unwrap_or(Layout::new::<T>()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sync::AtomicU64;
    use super::*;

    const CHUNK_LEN: usize = Arena::<AtomicU64>::CHUNK_LEN;

    #[test]
    fn slices_are_disjoint_and_within_a_chunk() {
        let arena = Arena::<AtomicU64>::new();
        let starts: Vec<usize> = [CHUNK_LEN - 3, 2, 2, 5]
            .map(|count| arena.allocate(count))
            .into();
        assert_eq!(
            starts,
            [0, CHUNK_LEN - 3, CHUNK_LEN, CHUNK_LEN + 2],
            "one item is skipped"
        );
        assert_eq!(arena.len(), CHUNK_LEN + 7);
        for (value, &start) in starts.iter().enumerate() {
            arena.slice(start, 2)[1].store(value as u64 + 1, Ordering::Relaxed);
        }
        let second = |start| arena.slice(start, 2)[1].load(Ordering::Relaxed);
        assert_eq!(
            starts.into_iter().map(second).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn truncated_items_are_zero_when_reallocated() {
        let mut arena = Arena::<AtomicU64>::new();
        for len in [5, CHUNK_LEN - 1, 2 * CHUNK_LEN] {
            while arena.len() < 2 * CHUNK_LEN + 9 {
                let start = arena.allocate(7);
                for item in arena.slice(start, 7) {
                    assert_eq!(item.swap(1, Ordering::Relaxed), 0, "{start}");
                }
            }
            arena.truncate(len);
            assert_eq!(arena.len(), len);
            assert_eq!(arena.slice(len / 2, 1)[0].load(Ordering::Relaxed), 1);
        }
    }
}
