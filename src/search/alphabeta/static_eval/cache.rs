//! Cache of static evaluations, shared by the threads of a search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of entries.
const NUM_ENTRIES: usize = 1 << 15;
/// Number of bits of a value. The other bits of an entry contain the high bits of the position's key.
const VALUE_BITS: u32 = 24;
const VALUE_OFFSET: i32 = 1 << (VALUE_BITS - 1);

/// Values by position. A position replaces another one with the same index.
pub struct EvalCache {
    entries: Box<[AtomicU64]>,
}

impl Default for EvalCache {
    fn default() -> Self {
        Self {
            entries: (0..NUM_ENTRIES).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl EvalCache {
    /// Returns the value of the position with the given key, computing it if it is not stored.
    pub fn get_or_insert_with(&self, key: u64, compute: impl FnOnce() -> i32) -> i32 {
        let entry = &self.entries[key as usize % NUM_ENTRIES];
        let stored = entry.load(Relaxed);
        // The index contains the lowest bits of the key.
        if stored != 0 && stored >> VALUE_BITS == key >> VALUE_BITS {
            let value = stored & ((1 << VALUE_BITS) - 1);
            return value as i32 - VALUE_OFFSET;
        }
        let value = compute();
        entry.store(
            key >> VALUE_BITS << VALUE_BITS | (value + VALUE_OFFSET) as u64,
            Relaxed,
        );
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_values_are_returned_for_equal_keys_only() {
        let cache = EvalCache::default();
        for value in [0, -123_456, 654_321] {
            let key = value as u64;
            assert_eq!(cache.get_or_insert_with(key, || value), value);
            assert_eq!(cache.get_or_insert_with(key, || 1), value);
            // The key of the same entry replaces the value.
            assert_eq!(cache.get_or_insert_with(key ^ 1 << 40, || 2), 2);
            assert_eq!(cache.get_or_insert_with(key, || 3), 3);
        }
    }
}
