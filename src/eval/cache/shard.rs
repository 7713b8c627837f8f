//! One part of the cache: its answers in slots, found by their keys, within a bound of bytes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::CacheStatistics;
use crate::eval::{Details, Evaluation, FIRST_MOVES, Request};

/// Bytes of an answer's place in the table of places, at most. The table has a power of two of them. While answers come
/// and go it doubles as long as it is more than half full, and seven eighths are as full as it gets.
const PLACE: usize = 4 * (size_of::<(u64, u32)>() + 1) * 8 / 7;
/// When the slots are used up, this part of them is added, and when as many are free they are given back: doubled, half
/// of the memory would lie idle at worst.
const GROWTH: usize = 8;
/// Bytes of an answer's slot, at most.
const SLOT: usize = size_of::<Option<Entry>>() * (GROWTH + 1) / (GROWTH - 1);
/// Bytes that the allocator keeps for itself beside numbers that lie elsewhere.
const BOXED: usize = size_of::<u128>();

/// Answers that share a lock.
#[derive(Debug, Default)]
pub(super) struct Shard {
    /// Where the entries are.
    places: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    entries: Vec<Option<Entry>>,
    /// Places of the entries that are none.
    free: Vec<u32>,
    /// The place of the entry that is to go next.
    hand: usize,
    pub(super) bound: usize,
    pub(super) statistics: CacheStatistics,
}

#[derive(Debug)]
struct Entry {
    key: u64,
    policy: Priors,
    ownership: Box<[f32]>,
    value: f32,
    no_result: f32,
    score_lead: f32,
    details: Option<Details>,
    /// Ownership was asked for when this answer was given; it may be empty all the same.
    ownership_asked: bool,
    /// Found since the hand came by.
    found: bool,
}

/// The priors of an answer.
#[derive(Debug)]
enum Priors {
    /// Of all moves.
    All(Box<[f32]>),
    /// The highest: a tenth of the memory on a large board. They lie in the slot itself: so small a piece of memory each
    /// would stay with the program when all are forgotten.
    First(First),
}

/// The highest priors and where they are among those of all moves; zeros behind them where there are not so many.
#[derive(Debug)]
struct First {
    moves: u16,
    places: [u16; FIRST_MOVES],
    priors: [f32; FIRST_MOVES],
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
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
    pub(super) fn new(bound: usize) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    pub(super) fn find(
        &mut self,
        key: u64,
        request: &Request<'_>,
        answer: &mut Evaluation,
    ) -> bool {
        let entry =
            (self.places.get(&key)).and_then(|&place| self.entries[place as usize].as_mut());
        let Some(entry) = entry.filter(|entry| entry.answers(request)) else {
            self.statistics.misses += 1;
            return false;
        };
        self.statistics.hits += 1;
        entry.found = true;
        entry.policy.write(&mut answer.policy);
        answer.ownership.clear();
        if request.ownership {
            answer.ownership.extend_from_slice(&entry.ownership);
        }
        answer.value = entry.value;
        answer.no_result = entry.no_result;
        answer.score_lead = entry.score_lead;
        answer.details = entry.details;
        true
    }

    pub(super) fn insert(&mut self, key: u64, request: &Request<'_>, answer: &Evaluation) {
        let entry = Entry {
            key,
            policy: Priors::of(&answer.policy, request.all_moves),
            ownership: answer.ownership.as_slice().into(),
            value: answer.value,
            no_result: answer.no_result,
            score_lead: answer.score_lead,
            details: answer.details,
            ownership_asked: request.ownership,
            found: false,
        };
        let bytes = entry.bytes();
        if bytes > self.bound {
            return;
        }
        if let Some(&earlier) = self.places.get(&key) {
            let known = self.entries[earlier as usize].as_ref();
            if known.is_some_and(|known| known.answers(request)) {
                // Another thread was faster.
                return;
            }
            self.drop_at(earlier as usize);
        }
        while self.statistics.bytes + bytes > self.bound {
            self.turn();
        }
        if self.free.len() > self.entries.len() / GROWTH {
            self.close_up();
        }
        self.statistics.bytes += bytes;
        self.statistics.entries += 1;
        let place = self.free.pop().unwrap_or_else(|| {
            if self.entries.len() == self.entries.capacity() {
                self.entries.reserve_exact(self.entries.len() / GROWTH + 1);
            }
            self.entries.push(None);
            self.entries.len() as u32 - 1
        });
        self.entries[place as usize] = Some(entry);
        self.places.insert(key, place);
    }

    /// Moves the hand on, past an entry that was found since it came by last; another is dropped.
    fn turn(&mut self) {
        let place = self.hand % self.entries.len();
        self.hand = place + 1;
        match &mut self.entries[place] {
            Some(entry) if entry.found => entry.found = false,
            Some(_) => self.drop_at(place),
            None => {}
        }
    }

    /// Gives back the free slots: answers that are larger than those before are fewer.
    fn close_up(&mut self) {
        let behind = self.entries.iter().take(self.hand);
        self.hand = behind.flatten().count();
        self.entries.retain(Option::is_some);
        self.entries.shrink_to_fit();
        self.free = Vec::new();
        self.places.clear();
        self.places.shrink_to(self.entries.len());
        let kept = (0..).zip(self.entries.iter().flatten());
        self.places
            .extend(kept.map(|(place, entry)| (entry.key, place)));
    }

    fn drop_at(&mut self, place: usize) {
        if let Some(entry) = self.entries[place].take() {
            self.places.remove(&entry.key);
            self.free.push(place as u32);
            self.statistics.bytes -= entry.bytes();
            self.statistics.entries -= 1;
        }
    }
}

impl Entry {
    /// Whether it has all that is wanted.
    fn answers(&self, request: &Request<'_>) -> bool {
        (self.ownership_asked || !request.ownership)
            && (matches!(self.policy, Priors::All(_)) || !request.all_moves)
    }

    fn bytes(&self) -> usize {
        let boxed = |numbers: &[f32]| match size_of_val(numbers) {
            0 => 0,
            bytes => BOXED + bytes,
        };
        let policy = match &self.policy {
            Priors::All(priors) => boxed(priors),
            Priors::First(_) => 0,
        };
        PLACE + SLOT + policy + boxed(&self.ownership)
    }
}

impl Priors {
    /// All of them, or the first alone.
    fn of(policy: &[f32], all: bool) -> Self {
        if all {
            return Self::All(policy.into());
        }
        let mut places: Vec<(u16, f32)> = (0..).zip(policy.iter().copied()).collect();
        places.retain(|&(_, prior)| prior > 0.0);
        if places.len() > FIRST_MOVES {
            // Of equals the first in order, as the search takes them.
            places.select_nth_unstable_by(FIRST_MOVES - 1, |(a, one), (b, other)| {
                other.total_cmp(one).then(a.cmp(b))
            });
            places.truncate(FIRST_MOVES);
        }
        let mut first = First {
            moves: policy.len() as u16,
            places: [0; FIRST_MOVES],
            priors: [0.0; FIRST_MOVES],
        };
        for (at, (place, prior)) in places.into_iter().enumerate() {
            (first.places[at], first.priors[at]) = (place, prior);
        }
        Self::First(first)
    }

    fn write(&self, policy: &mut Vec<f32>) {
        policy.clear();
        match self {
            Self::All(priors) => policy.extend_from_slice(priors),
            Self::First(first) => {
                policy.resize(usize::from(first.moves), 0.0);
                let known = first.places.iter().zip(&first.priors);
                for (&place, &prior) in known.take_while(|&(_, &prior)| prior > 0.0) {
                    policy[usize::from(place)] = prior;
                }
            }
        }
    }
}
