//! A wrapper that remembers answers within a bound of memory.
//!
//! Answers are kept exactly, as far as they were asked for. They are found by position as far as evaluations see it
//! ([`situation_hash`](crate::game::position::Position::situation_hash) and the points that ko forbids) and symmetry; how
//! the position came about is not looked at. So a search with a cache gives the same tree as one without where the
//! evaluator judges by the position alone; one that looks at the moves before it too, as many networks do, has answered for
//! the way that came first. The memory is split into shards by hash, each with a lock of its own. In a full shard a hand goes
//! round the answers and drops those that were not asked for since it came by last ("second chance").

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::{Mutex, MutexGuard};

use super::{Details, EvalError, Evaluation, Evaluator, FIRST_MOVES, Request};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::rules::Scoring;
use crate::rng::splitmix64;

/// Shards; a power of two, more than threads that ask at the same time.
const SHARDS: usize = 64;
/// Bytes of an answer's place in the table of places, at most. The table has a power of two of them. While answers come and go
/// it doubles as long as it is more than half full, and seven eighths are as full as it gets.
const PLACE: usize = 4 * (size_of::<(u64, u32)>() + 1) * 8 / 7;
/// When the slots are used up, this part of them is added: doubled, half of the memory would lie idle at worst.
const GROWTH: usize = 8;
/// Bytes of an answer's slot, at most.
const SLOT: usize = size_of::<Option<Entry>>() * (GROWTH + 1) / GROWTH;
/// Bytes that the allocator keeps for itself beside numbers that lie elsewhere.
const BOXED: usize = size_of::<u128>();

/// Remembers what `inner` answered.
#[derive(Debug)]
pub struct Cache<E> {
    inner: E,
    shards: Vec<Mutex<Shard>>,
}

/// What the cache has done since it was made or cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Requests answered from memory.
    pub hits: u64,
    /// Requests passed on.
    pub misses: u64,
    /// Answers kept now.
    pub entries: usize,
    /// Bytes they take, about.
    pub bytes: usize,
}

#[derive(Debug, Default)]
struct Shard {
    /// Where the entries are.
    places: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    entries: Vec<Option<Entry>>,
    /// Places of the entries that are none.
    free: Vec<u32>,
    /// The place of the entry that is to go next.
    hand: usize,
    bound: usize,
    statistics: CacheStatistics,
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

impl<E: Evaluator> Cache<E> {
    /// A cache of at most about `mebibytes`, not counting what `inner` takes.
    #[must_use]
    pub fn new(inner: E, mebibytes: usize) -> Self {
        let bound = mebibytes.saturating_mul(1 << 20) / SHARDS;
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(bound)));
        Self {
            inner,
            shards: shards.collect(),
        }
    }

    /// Forgets all answers and counts.
    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            *shard = Shard::new(shard.bound);
        }
    }

    /// What it holds and what it was good for.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        let mut sum = CacheStatistics::default();
        for shard in &self.shards {
            let part = shard.lock().statistics;
            sum.hits += part.hits;
            sum.misses += part.misses;
            sum.entries += part.entries;
            sum.bytes += part.bytes;
        }
        sum
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        // The table picks its buckets by the low bits and the highest seven.
        self.shards[(key >> 40) as usize % SHARDS].lock()
    }

    fn keep(&self, key: u64, request: &Request<'_>, answer: &Evaluation) -> Result<(), EvalError> {
        answer.check()?;
        self.shard(key).insert(key, request, answer);
        Ok(())
    }

    /// Passes on the requests at `missed` alone.
    fn evaluate_some(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
        missed: &[(usize, u64)],
    ) -> Result<(), EvalError> {
        let asked: Vec<Request<'_>> = missed.iter().map(|&(index, _)| requests[index]).collect();
        let mut slots: Vec<Evaluation> = missed
            .iter()
            .map(|&(index, _)| std::mem::take(&mut evaluations[index]))
            .collect();
        self.inner.evaluate(&asked, &mut slots)?;
        for (&(index, _), slot) in missed.iter().zip(slots) {
            evaluations[index] = slot;
        }
        Ok(())
    }
}

impl<E: Evaluator> Evaluator for Cache<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        let mut missed = Vec::new();
        for (index, (request, evaluation)) in requests.iter().zip(&mut *evaluations).enumerate() {
            let key = key(request);
            if !self.shard(key).find(key, request, evaluation) {
                missed.push((index, key));
            }
        }
        if missed.len() == requests.len() {
            self.inner.evaluate(requests, evaluations)?;
        } else if !missed.is_empty() {
            self.evaluate_some(requests, evaluations, &missed)?;
        }
        for (index, key) in missed {
            self.keep(key, &requests[index], &evaluations[index])?;
        }
        Ok(())
    }

    fn tells_lead(&self) -> bool {
        self.inner.tells_lead()
    }

    fn plays_on(&self, size: BoardSize) -> bool {
        self.inner.plays_on(size)
    }

    fn forget(&self) {
        self.clear();
        self.inner.forget();
    }
}

impl Shard {
    fn new(bound: usize) -> Self {
        Self {
            bound,
            ..Self::default()
        }
    }

    fn find(&mut self, key: u64, request: &Request<'_>, answer: &mut Evaluation) -> bool {
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

    fn insert(&mut self, key: u64, request: &Request<'_>, answer: &Evaluation) {
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
        // Another thread was faster, or the earlier answer lacked something.
        if let Some(&earlier) = self.places.get(&key) {
            self.drop_at(earlier as usize);
        }
        while self.statistics.bytes + bytes > self.bound {
            self.turn();
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

fn key(request: &Request<'_>) -> u64 {
    let position = request.position;
    let forbidden = position.ko_points().iter().map(|point| point.number());
    // Who has more prisoners is ahead by as much, where they count.
    let ahead = match position.rules().scoring {
        Scoring::Area => 0,
        Scoring::Territory => position
            .prisoners(Color::Black)
            .wrapping_sub(position.prisoners(Color::White)),
    };
    let seen = [request.symmetry.number(), ahead as usize]
        .into_iter()
        .chain(forbidden);
    seen.fold(position.situation_hash(), |key, number| {
        splitmix64(key ^ number as u64)
    })
}
