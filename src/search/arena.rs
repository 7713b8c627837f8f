//! Room for items by the million: taken without a lock, without memory before it is used, and given back to the system
//! whole.
//!
//! An arena grows by chunks that never move. They are so large that the system hands them out as fresh zeros, page by
//! page as they are touched, and takes them back as soon as they are dropped; smaller pieces would stay with the
//! allocator.

use std::alloc::{Layout, handle_alloc_error};
use std::sync::OnceLock;

use super::sync::{AtomicUsize, Ordering, Zeroed};

/// Bytes of a chunk, about: more than any size that allocators still cut out of what they hold.
const CHUNK_BYTES: usize = 64 << 20;
/// Chunks of an arena at most.
const CHUNKS: usize = 1 << 12;

/// Items, fresh ones all zeros.
#[derive(Debug)]
pub struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    used: AtomicUsize,
}

impl<T: Zeroed> Arena<T> {
    /// Items of a chunk: a power of two.
    const CHUNK: usize = 1 << (CHUNK_BYTES / size_of::<T>()).ilog2();
    /// Items that there is room for.
    pub const CAPACITY: usize = CHUNKS * Self::CHUNK;

    /// Without an item.
    #[must_use]
    pub fn new() -> Self {
        Self {
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(0),
        }
    }

    /// Items taken, with those left out at the ends of chunks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Where a row of `count` items begins that is taken after so many: rows lie within one chunk.
    #[must_use]
    pub const fn place(used: usize, count: usize) -> usize {
        let left = Self::CHUNK - used % Self::CHUNK;
        if count <= left { used } else { used + left }
    }

    /// Takes a row of `count` fresh items, at least one and at most a chunk's; where it begins.
    pub fn take(&self, count: usize) -> usize {
        let after = |used| Some(Self::place(used, count) + count);
        let (Ok(used) | Err(used)) =
            self.used
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, after);
        let place = Self::place(used, count);
        self.chunks[place / Self::CHUNK].get_or_init(zeroed);
        place
    }

    /// A row that was taken.
    ///
    /// # Panics
    /// When it was not.
    #[must_use]
    #[inline]
    pub fn row(&self, place: usize, count: usize) -> &[T] {
        let chunk = self.chunks[place / Self::CHUNK]
            .get()
            .expect("the row was taken");
        &chunk[place % Self::CHUNK..][..count]
    }

    /// Gives back all items but the first so many.
    pub fn truncate(&mut self, kept: usize) {
        let used = self.used.get_mut();
        let (chunk, rest) = (kept / Self::CHUNK, kept % Self::CHUNK);
        let dirty = (*used - chunk * Self::CHUNK).min(Self::CHUNK);
        *used = kept;
        if let Some(items) = self.chunks[chunk].get_mut() {
            items[rest..dirty.max(rest)].iter_mut().for_each(T::zero);
        }
        for later in &mut self.chunks[chunk + 1..] {
            if later.take().is_none() {
                break;
            }
        }
    }
}

/// A chunk.
fn zeroed<T: Zeroed>() -> Box<[T]> {
    let count = Arena::<T>::CHUNK;
    <[T]>::new_box_zeroed_with_elems(count).unwrap_or_else(|_| {
        handle_alloc_error(Layout::array::<T>(count).unwrap_or(Layout::new::<T>()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sync::AtomicU64;
    use super::*;

    const CHUNK: usize = Arena::<AtomicU64>::CHUNK;

    #[test]
    fn rows_do_not_meet_and_lie_within_a_chunk() {
        let arena = Arena::<AtomicU64>::new();
        let places: Vec<usize> = [CHUNK - 3, 2, 2, 5].map(|count| arena.take(count)).into();
        assert_eq!(
            places,
            [0, CHUNK - 3, CHUNK, CHUNK + 2],
            "one item is left out"
        );
        assert_eq!(arena.len(), CHUNK + 7);
        for (value, &place) in places.iter().enumerate() {
            arena.row(place, 2)[1].store(value as u64 + 1, Ordering::Relaxed);
        }
        let second = |place| arena.row(place, 2)[1].load(Ordering::Relaxed);
        assert_eq!(
            places.into_iter().map(second).collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn what_is_given_back_is_zero_when_it_is_taken_again() {
        let mut arena = Arena::<AtomicU64>::new();
        for kept in [5, CHUNK - 1, 2 * CHUNK] {
            while arena.len() < 2 * CHUNK + 9 {
                let place = arena.take(7);
                for item in arena.row(place, 7) {
                    assert_eq!(item.swap(1, Ordering::Relaxed), 0, "{place}");
                }
            }
            arena.truncate(kept);
            assert_eq!(arena.len(), kept);
            assert_eq!(arena.row(kept / 2, 1)[0].load(Ordering::Relaxed), 1);
        }
    }
}
