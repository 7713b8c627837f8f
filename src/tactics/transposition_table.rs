//! A transposition table: what searches have found out about positions, in a fixed amount of memory, shared by threads.
//!
//! No locks: a slot is two atomic words, the packed entry and the key exclusive-or the entry, so that a slot half
//! written by one thread and half by another matches no key (Hyatt and Mann, "A Lock-less Transposition Table
//! Implementation for Parallel Search", ICGA Journal 2002). What two positions with the same 64-bit key would share is
//! not told apart; with the 64 bits at hand that is taken not to happen.
//!
//! Looks go all over the table, so that each waits for memory, and where pages are small once more for the page's
//! address. A table of some size asks the system for large pages.
//!
//! **Positions that can repeat.** A result that rests on a repetition is true for one past only. The table does not know
//! of it: each search says in its own room which results it keeps for every past, and which it does not
//! ([`solver::past`](super::solver::past)).

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use zerocopy::{FromBytes, IntoBytes};

/// Slots that a key may lie in: one cache line.
const BUCKET_SIZE: usize = 4;
/// A table of this size is asked for in large pages.
const HUGE_PAGE_MIN_MIB: usize = 32;

/// What a table keeps: packed into 64 bits, of which it leaves the upper six to the table.
pub trait TableEntry: Copy {
    /// As a number below 2^58, not 0.
    fn pack(self) -> u64;
    /// From such a number.
    fn unpack(bits: u64) -> Self;
    /// How much is lost with it; of two in a full bucket the one worth less goes.
    fn keep_priority(self) -> u32;
}

const GENERATION_SHIFT: u32 = 58;
const ENTRY_BITS: u64 = (1 << GENERATION_SHIFT) - 1;
const NUM_GENERATIONS: u8 = 1 << (u64::BITS - GENERATION_SHIFT);

#[derive(Debug, FromBytes, IntoBytes)]
#[repr(C)]
struct Slot {
    /// The key exclusive-or the entry.
    check: AtomicU64,
    /// Age and entry; 0 in an empty slot.
    entry: AtomicU64,
}

/// Why there is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// It could keep nothing.
    #[error("expected a table of at least 1 MiB, found 0")]
    ZeroSize,
    /// The system has not that much memory.
    #[error("there is no memory for a table of {0} MiB")]
    OutOfMemory(usize),
}

type Slots<'a> = &'a [Slot];

self_cell!(
    /// Slots in memory that the system gave.
    struct Pages {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Slots,
    }
);

/// Entries by key.
pub struct TranspositionTable<E> {
    /// Bucket after bucket; pages begin at a cache line, and so does each of them.
    pages: Pages,
    generation: AtomicU8,
    entry_type: std::marker::PhantomData<fn(E) -> E>,
}

impl<E> std::fmt::Debug for TranspositionTable<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slots = self.pages.borrow_dependent().len();
        f.debug_struct("TranspositionTable")
            .field("slots", &slots)
            .finish_non_exhaustive()
    }
}

impl<E: TableEntry> TranspositionTable<E> {
    /// An empty table of that size.
    ///
    /// # Errors
    /// When the size is 0 or the system has not that much memory.
    pub fn new(mib: usize) -> Result<Self, TableError> {
        if mib == 0 {
            return Err(TableError::ZeroSize);
        }
        let out_of_memory = || TableError::OutOfMemory(mib);
        let bytes = mib.checked_mul(1 << 20).ok_or_else(out_of_memory)?;
        // Zeros come from the system when they are first touched, and a short search pays for what it uses.
        let map = MmapMut::map_anon(bytes).map_err(|_| out_of_memory())?;
        #[cfg(target_os = "linux")]
        if mib >= HUGE_PAGE_MIN_MIB {
            // Where there are none it works as well with small ones.
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

    /// A new search begins: what the earlier ones have left is overwritten first.
    pub fn new_generation(&self) {
        let _ = self
            .generation
            .fetch_update(Relaxed, Relaxed, |generation| {
                Some((generation + 1) % NUM_GENERATIONS)
            });
    }

    /// What is known of the key.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<E> {
        self.bucket(key).iter().find_map(|slot| {
            let entry = slot.entry.load(Relaxed);
            (entry != 0 && slot.check.load(Relaxed) ^ entry == key)
                .then(|| E::unpack(entry & ENTRY_BITS))
        })
    }

    /// What is known of each key, in their order. All their lines come from memory side by side: a look at an entry waits
    /// for it before it is known which way to go on, and so looks one after the other mostly wait in turn.
    pub fn get_all(&self, keys: &[u64]) -> impl Iterator<Item = Option<E>> {
        let first_check = |key: u64| self.bucket(key)[0].check.load(Relaxed);
        let prefetched = keys.iter().fold(0, |sum, &key| sum ^ first_check(key));
        std::hint::black_box(prefetched);
        keys.iter().map(|&key| self.get(key))
    }

    /// Keeps the entry, in place of another of the same key or of the one worth least in its bucket.
    pub fn store(&self, key: u64, entry: E) {
        let generation = self.generation.load(Relaxed);
        let priority = |slot: &Slot| {
            let stored = slot.entry.load(Relaxed);
            if stored == 0 || slot.check.load(Relaxed) ^ stored == key {
                return 0;
            }
            let is_current = (stored >> GENERATION_SHIFT) as u8 == generation;
            1 + u64::from(E::unpack(stored & ENTRY_BITS).keep_priority())
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
        assert_eq!(
            TranspositionTable::<TestEntry>::new(0).unwrap_err(),
            TableError::ZeroSize
        );
        let too_large = TranspositionTable::<TestEntry>::new(usize::MAX >> 20).unwrap_err();
        assert_eq!(too_large, TableError::OutOfMemory(usize::MAX >> 20));
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
        let all: Vec<_> = table.get_all(&[9, 8, 7]).collect();
        assert_eq!(all, [None, Some(TestEntry(4)), Some(TestEntry(1))]);
    }

    #[test]
    fn oldest_lowest_priority_is_replaced() {
        let table = TranspositionTable::new(1).unwrap();
        for key in 0..4 {
            table.store(key, TestEntry(10 + key as u32));
        }
        table.store(4, TestEntry(0));
        assert_eq!(table.get(0), None, "worth least");
        table.new_generation();
        table.store(5, TestEntry(0));
        table.store(6, TestEntry(0));
        assert_eq!(table.get(4), None, "old and worth least");
        assert_eq!(table.get(1), None, "old and worth less than others as old");
        for key in [2, 3, 5, 6] {
            assert!(table.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn concurrent_reads_are_never_torn() {
        let table = TranspositionTable::new(1).unwrap();
        // Nine keys share a bucket; an entry tells its key. Keys are spread, as those of positions are: of small ones
        // that of a slot half written could by chance be another's.
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
