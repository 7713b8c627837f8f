//! A transposition table of fixed size that several threads share without locks.
//!
//! A slot consists of two atomic words: the packed entry, and the XOR of the key and the entry. If the words of two
//! threads that write to a slot concurrently are mixed, the contents match neither key (Hyatt and Mann, "A Lock-less
//! Transposition Table Implementation for Parallel Search", ICGA Journal 2002). Different positions with the same
//! 64-bit key are not distinguished; such collisions are rare enough to be ignored.
//!
//! Probes access memory at random, so each one costs a cache miss and, with small pages, a TLB miss. Large tables
//! therefore request huge pages, which makes life-and-death searches 1.15 to 1.3 times as fast.
//!
//! **Repetitions.** A result that depends on a repetition is valid for only one move history. The table does not
//! distinguish histories. Each search decides which results it stores as valid for all histories (see the solver's
//! `path_history`).

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use zerocopy::{FromBytes, IntoBytes};

/// Number of slots per bucket. A bucket is one cache line.
const BUCKET_SIZE: usize = 4;
/// Minimum size, in MiB, of a table for which huge pages are requested.
#[cfg(target_os = "linux")]
const HUGE_PAGE_MIN_MIB: usize = 32;

/// An entry that can be packed into 58 bits. The table uses the remaining six bits of a word.
pub trait TableEntry: Copy {
    /// Packs the entry into a number that is greater than 0 and less than 2^58.
    fn pack(self) -> u64;
    /// Restores an entry from its packed form.
    fn unpack(bits: u64) -> Self;
    /// Returns the priority of the entry. In a full bucket, entries of earlier searches are replaced first, starting
    /// with the lowest priority.
    fn keep_priority(self) -> u32;
}

const GENERATION_SHIFT: u32 = 58;
const ENTRY_MASK: u64 = (1 << GENERATION_SHIFT) - 1;
const NUM_GENERATIONS: u8 = 1 << (u64::BITS - GENERATION_SHIFT);

#[derive(Debug, FromBytes, IntoBytes)]
#[repr(C)]
struct Slot {
    /// XOR of the key and `entry`.
    check: AtomicU64,
    /// Generation and packed entry, or 0 if the slot is empty.
    entry: AtomicU64,
}

/// Error returned when a table cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The requested size is 0.
    #[error("the transposition table needs at least 1 MiB")]
    ZeroSize,
    /// The system cannot provide the memory for a table of the given size in MiB.
    #[error("not enough memory for a transposition table of {0} MiB")]
    OutOfMemory(usize),
}

type Slots<'a> = &'a [Slot];

self_cell!(
    /// Memory-mapped slots.
    struct Pages {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Slots,
    }
);

/// Transposition table with entries of type `E`.
pub struct TranspositionTable<E> {
    /// Buckets, stored one after another. Memory pages are aligned to cache lines, so each bucket is aligned as well.
    pages: Pages,
    generation: AtomicU8,
    entry_type: std::marker::PhantomData<fn(E) -> E>,
}

impl<E: TableEntry> TranspositionTable<E> {
    /// Creates an empty table of `mib` MiB.
    ///
    /// # Errors
    /// Returns an error if the size is 0 or the memory cannot be allocated.
    pub fn new(mib: usize) -> Result<Self, TableError> {
        if mib == 0 {
            return Err(TableError::ZeroSize);
        }
        let out_of_memory = || TableError::OutOfMemory(mib);
        let bytes = mib.checked_mul(1 << 20).ok_or_else(out_of_memory)?;
        // The system zeroes each page when it is first touched, so a short search does not pay for the rest of the
        // table.
        let map = MmapMut::map_anon(bytes).map_err(|_| out_of_memory())?;
        #[cfg(target_os = "linux")]
        if mib >= HUGE_PAGE_MIN_MIB {
            // The table also works without huge pages.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Self {
            pages: Pages::try_new(MutBorrow::new(map), |map| {
                let slots = <[Slot]>::mut_from_bytes(map.borrow_mut());
                slots.map(|slots| &*slots).map_err(|_| out_of_memory())
            })?,
            generation: AtomicU8::new(0),
            entry_type: std::marker::PhantomData,
        })
    }

    /// Starts a new search. Entries of earlier searches are then replaced first.
    pub fn new_generation(&self) {
        let _ = self
            .generation
            .fetch_update(Relaxed, Relaxed, |generation| {
                Some((generation + 1) % NUM_GENERATIONS)
            });
    }

    /// Returns the entry stored for `key`, if any.
    pub fn get(&self, key: u64) -> Option<E> {
        self.bucket(key).iter().find_map(|slot| {
            let entry = slot.entry.load(Relaxed);
            (entry != 0 && slot.check.load(Relaxed) ^ entry == key)
                .then(|| E::unpack(entry & ENTRY_MASK))
        })
    }

    /// Returns the entries stored for `keys`, in the same order. Accesses the bucket of every key before it reads any
    /// entry, so that the memory accesses overlap instead of waiting for each other.
    pub fn get_many(&self, keys: &[u64]) -> impl Iterator<Item = Option<E>> {
        let first_check = |key: u64| self.bucket(key)[0].check.load(Relaxed);
        let prefetched = keys.iter().fold(0, |sum, &key| sum ^ first_check(key));
        std::hint::black_box(prefetched);
        keys.iter().map(|&key| self.get(key))
    }

    /// Stores an entry. Replaces the entry with the same key if there is one, and otherwise uses an empty slot of the
    /// bucket. If the bucket is full, replaces the entry with the lowest priority among those of earlier searches or,
    /// if there are none, among all entries.
    pub fn store(&self, key: u64, entry: E) {
        let generation = self.generation.load(Relaxed);
        let priority = |slot: &Slot| {
            let stored = slot.entry.load(Relaxed);
            if stored == 0 || slot.check.load(Relaxed) ^ stored == key {
                return 0;
            }
            let is_current = (stored >> GENERATION_SHIFT) as u8 == generation;
            1 + u64::from(E::unpack(stored & ENTRY_MASK).keep_priority())
                + (u64::from(is_current) << u32::BITS)
        };
        let bucket = self.bucket(key);
        let slot = bucket
            .iter()
            .min_by_key(|slot| priority(slot))
            .expect("a bucket has slots");
        let packed = entry.pack() | u64::from(generation) << GENERATION_SHIFT;
        slot.entry.store(packed, Relaxed);
        slot.check.store(packed ^ key, Relaxed);
    }

    fn bucket(&self, key: u64) -> &[Slot] {
        let slots = self.pages.borrow_dependent();
        // The upper half of the product spreads keys evenly over any number of buckets.
        let index = (u128::from(key) * (slots.len() / BUCKET_SIZE) as u128) >> u64::BITS;
        &slots[index as usize * BUCKET_SIZE..][..BUCKET_SIZE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct TestEntry(u32);

    impl TableEntry for TestEntry {
        fn pack(self) -> u64 {
            u64::from(self.0) + 1
        }
        fn unpack(bits: u64) -> Self {
            Self((bits - 1) as u32)
        }
        fn keep_priority(self) -> u32 {
            self.0
        }
    }

    #[test]
    fn impossible_sizes_are_rejected() {
        let error = |mib| TranspositionTable::<TestEntry>::new(mib).err();
        assert_eq!(error(0), Some(TableError::ZeroSize));
        let too_large = usize::MAX >> 20;
        assert_eq!(error(too_large), Some(TableError::OutOfMemory(too_large)));
    }

    #[test]
    fn get_returns_last_stored_entry() {
        let table = TranspositionTable::new(1).unwrap();
        assert_eq!(table.get(7), None::<TestEntry>);
        table.store(7, TestEntry(3));
        table.store(8, TestEntry(4));
        table.store(7, TestEntry(u32::MAX));
        table.store(7, TestEntry(1));
        // 7 and 8 share a bucket.
        assert_eq!(
            (table.get(7), table.get(8), table.get(9)),
            (Some(TestEntry(1)), Some(TestEntry(4)), None)
        );
        let all: Vec<_> = table.get_many(&[9, 8, 7]).collect();
        assert_eq!(all, [None, Some(TestEntry(4)), Some(TestEntry(1))]);
    }

    #[test]
    fn oldest_lowest_priority_is_replaced() {
        let table = TranspositionTable::new(1).unwrap();
        for key in 0..4 {
            table.store(key, TestEntry(10 + key as u32));
        }
        table.store(4, TestEntry(0));
        assert_eq!(table.get(0), None, "lowest priority");
        table.new_generation();
        table.store(5, TestEntry(0));
        table.store(6, TestEntry(0));
        assert_eq!(table.get(4), None, "old, lowest priority");
        assert_eq!(table.get(1), None, "old, lowest priority of the remaining");
        for key in [2, 3, 5, 6] {
            assert!(table.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn concurrent_reads_are_never_torn() {
        let table = TranspositionTable::new(1).unwrap();
        // Nine keys share a bucket, and the value of an entry encodes the index of its key. Keys are spread like
        // position keys: with small keys, a mixed slot could match another key by chance.
        let key = |index: usize| crate::random::splitmix64(index as u64) >> 20;
        let hammer = |seed: u64| {
            let mut rng = crate::random::Rng::new(seed);
            for _ in 0..200_000 {
                let index = rng.below(9);
                table.store(
                    key(index),
                    TestEntry((index * 1000 + rng.below(1000)) as u32),
                );
                let probed = rng.below(9);
                if let Some(TestEntry(value)) = table.get(key(probed)) {
                    assert_eq!(value as usize / 1000, probed);
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| hammer(1));
            scope.spawn(|| hammer(2));
        });
    }
}
