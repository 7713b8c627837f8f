//! A shard of the cache: entries in slots, a hash map from keys to slots, and a memory limit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::eval::{Evaluation, KataDetails, NUM_TOP_PRIORS, Request};

/// Upper bound on the memory of the hash map per entry, in bytes.
///
/// The number of buckets is a power of two. Because entries are constantly inserted and removed, the map may double as
/// soon as it is more than half full. Its maximum load is seven eighths.
const INDEX_BYTES: usize = 4 * (size_of::<(u64, u32)>() + 1) * 8 / 7;
/// Divisor for size changes of the slot vector: the vector grows by an eighth at a time, and is compacted when more
/// than an eighth of it is empty. Doubling its size would leave up to half of the memory unused.
const GROWTH_DIVISOR: usize = 8;
/// Upper bound on the slot memory per entry, in bytes.
const SLOT_BYTES: usize =
    size_of::<Option<CacheEntry>>() * (GROWTH_DIVISOR + 1) / (GROWTH_DIVISOR - 1);
/// Allocator overhead of a boxed slice, in bytes.
const ALLOCATION_OVERHEAD: usize = size_of::<u128>();

/// Cache statistics since creation or the last clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Requests found in the cache.
    pub hits: u64,
    /// Requests passed to the inner evaluator.
    pub misses: u64,
    /// Entries currently stored.
    pub entries: usize,
    /// Approximate memory used by the entries, in bytes.
    pub bytes: usize,
}

/// Part of the cache that is protected by one lock.
#[derive(Debug, Default)]
pub(super) struct Shard {
    /// Slot of each key.
    index: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    entries: Vec<Option<CacheEntry>>,
    /// Indices of empty entries.
    free_slots: Vec<u32>,
    /// Index of the next entry to consider for eviction.
    clock_hand: usize,
    pub(super) max_bytes: usize,
    pub(super) stats: CacheStats,
}

#[derive(Debug)]
struct CacheEntry {
    key: u64,
    policy: CachedPolicy,
    ownership: Box<[f32]>,
    value: f32,
    no_result: f32,
    score_lead: f32,
    details: Option<KataDetails>,
    /// True if ownership was requested. `ownership` may still be empty, because not all evaluators predict it.
    ownership_requested: bool,
    /// True if the entry was used since the last visit of the clock hand.
    recently_used: bool,
}

#[derive(Debug)]
enum CachedPolicy {
    /// The priors of all moves.
    Full(Box<[f32]>),
    /// Only the highest priors. On a 19x19 board, they take a tenth of the memory of all priors. They are stored in the
    /// slot itself, because small allocations would fragment the heap. The memory of a fragmented heap would not be
    /// returned to the system when the cache is cleared.
    Top(TopPriors),
}

/// The highest priors and the indices of their moves. Unused elements of the arrays have the prior 0.
#[derive(Debug)]
struct TopPriors {
    policy_len: u16,
    moves: [u16; NUM_TOP_PRIORS],
    priors: [f32; NUM_TOP_PRIORS],
}

/// Hasher for keys that are already hashes. Returns the key unchanged.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = self.0.rotate_left(8) ^ word;
    }
}

impl Shard {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            ..Self::default()
        }
    }

    /// Copies the entry for `key` into `evaluation`. Returns false if there is no entry that satisfies the request.
    /// Counts the hit or miss.
    pub(super) fn lookup(
        &mut self,
        key: u64,
        request: &Request<'_>,
        evaluation: &mut Evaluation,
    ) -> bool {
        let entry = (self.index.get(&key)).and_then(|&slot| self.entries[slot as usize].as_mut());
        let Some(entry) = entry.filter(|entry| entry.satisfies(request)) else {
            self.stats.misses += 1;
            return false;
        };
        self.stats.hits += 1;
        entry.recently_used = true;
        entry.policy.write(&mut evaluation.policy);
        evaluation.ownership.clear();
        if request.ownership {
            evaluation.ownership.extend_from_slice(&entry.ownership);
        }
        evaluation.value = entry.value;
        evaluation.no_result = entry.no_result;
        evaluation.score_lead = entry.score_lead;
        evaluation.details = entry.details;
        true
    }

    /// Stores `evaluation` under `key`, evicting other entries if necessary. Does nothing if the existing entry for
    /// `key` satisfies the request, or if the new entry is larger than the memory limit of the shard.
    pub(super) fn insert(&mut self, key: u64, request: &Request<'_>, evaluation: &Evaluation) {
        let entry = CacheEntry {
            key,
            policy: CachedPolicy::new(&evaluation.policy, request.all_moves),
            ownership: evaluation.ownership.as_slice().into(),
            value: evaluation.value,
            no_result: evaluation.no_result,
            score_lead: evaluation.score_lead,
            details: evaluation.details,
            ownership_requested: request.ownership,
            recently_used: false,
        };
        let bytes = entry.bytes();
        if bytes > self.max_bytes {
            return;
        }
        if let Some(&old_slot) = self.index.get(&key) {
            let old_entry = self.entries[old_slot as usize].as_ref();
            if old_entry.is_some_and(|old_entry| old_entry.satisfies(request)) {
                // Another thread evaluated the same position concurrently.
                return;
            }
            self.remove(old_slot as usize);
        }
        while self.stats.bytes + bytes > self.max_bytes {
            self.evict_step();
        }
        if self.free_slots.len() > self.entries.len() / GROWTH_DIVISOR {
            self.compact();
        }
        self.stats.bytes += bytes;
        self.stats.entries += 1;
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            if self.entries.len() == self.entries.capacity() {
                self.entries
                    .reserve_exact(self.entries.len() / GROWTH_DIVISOR + 1);
            }
            self.entries.push(None);
            self.entries.len() as u32 - 1
        });
        self.entries[slot as usize] = Some(entry);
        self.index.insert(key, slot);
    }

    /// Advances the clock hand by one slot. If the entry in the slot was used recently, clears that mark; otherwise
    /// evicts the entry.
    fn evict_step(&mut self) {
        let slot = self.clock_hand % self.entries.len();
        self.clock_hand = slot + 1;
        match &mut self.entries[slot] {
            Some(entry) if entry.recently_used => entry.recently_used = false,
            Some(_) => self.remove(slot),
            None => {}
        }
    }

    /// Removes the empty slots, which accumulate if new entries are larger than evicted ones.
    fn compact(&mut self) {
        let before_hand = self.entries.iter().take(self.clock_hand);
        self.clock_hand = before_hand.flatten().count();
        self.entries.retain(Option::is_some);
        self.entries.shrink_to_fit();
        self.free_slots = Vec::new();
        self.index.clear();
        self.index.shrink_to(self.entries.len());
        let occupied = (0..).zip(self.entries.iter().flatten());
        self.index
            .extend(occupied.map(|(slot, entry)| (entry.key, slot)));
    }

    fn remove(&mut self, slot: usize) {
        if let Some(entry) = self.entries[slot].take() {
            self.index.remove(&entry.key);
            self.free_slots.push(slot as u32);
            self.stats.bytes -= entry.bytes();
            self.stats.entries -= 1;
        }
    }
}

impl CacheEntry {
    /// Returns true if the entry contains all outputs that the request needs.
    fn satisfies(&self, request: &Request<'_>) -> bool {
        (self.ownership_requested || !request.ownership)
            && (matches!(self.policy, CachedPolicy::Full(_)) || !request.all_moves)
    }

    fn bytes(&self) -> usize {
        let boxed_bytes = |numbers: &[f32]| match size_of_val(numbers) {
            0 => 0,
            bytes => ALLOCATION_OVERHEAD + bytes,
        };
        let policy = match &self.policy {
            CachedPolicy::Full(priors) => boxed_bytes(priors),
            CachedPolicy::Top(_) => 0,
        };
        INDEX_BYTES + SLOT_BYTES + policy + boxed_bytes(&self.ownership)
    }
}

impl CachedPolicy {
    /// Creates the stored form of `policy`: the priors of all moves if `is_full` is true, otherwise only the
    /// [`NUM_TOP_PRIORS`] highest priors.
    fn new(policy: &[f32], is_full: bool) -> Self {
        if is_full {
            return Self::Full(policy.into());
        }
        let mut candidates: Vec<(u16, f32)> = (0..).zip(policy.iter().copied()).collect();
        candidates.retain(|&(_, prior)| prior > 0.0);
        if candidates.len() > NUM_TOP_PRIORS {
            // Among equal priors the first moves are selected, as in the search.
            candidates.select_nth_unstable_by(NUM_TOP_PRIORS - 1, |(a, one), (b, other)| {
                other.total_cmp(one).then(a.cmp(b))
            });
            candidates.truncate(NUM_TOP_PRIORS);
        }
        let mut top = TopPriors {
            policy_len: policy.len() as u16,
            moves: [0; NUM_TOP_PRIORS],
            priors: [0.0; NUM_TOP_PRIORS],
        };
        for (rank, (mv, prior)) in candidates.into_iter().enumerate() {
            (top.moves[rank], top.priors[rank]) = (mv, prior);
        }
        Self::Top(top)
    }

    fn write(&self, policy: &mut Vec<f32>) {
        policy.clear();
        match self {
            Self::Full(priors) => policy.extend_from_slice(priors),
            Self::Top(top) => {
                policy.resize(usize::from(top.policy_len), 0.0);
                let pairs = top.moves.iter().zip(&top.priors);
                for (&mv, &prior) in pairs.take_while(|&(_, &prior)| prior > 0.0) {
                    policy[usize::from(mv)] = prior;
                }
            }
        }
    }
}
