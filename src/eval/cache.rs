//! A wrapper that remembers answers within a bound of memory.
//!
//! Answers are kept exactly, as far as they were asked for. They are found by position as far as evaluations see it
//! ([`situation_hash`](crate::game::position::Position::situation_hash), the points that ko forbids, and the prisoners
//! where territory counts) and symmetry; how the position came about is not looked at. So a search with a cache gives the
//! same tree as one without where the evaluator judges by the position alone; one that looks at the moves before it too,
//! as many networks do, has answered for the way that came first. The memory is split into shards by hash, each with a
//! lock of its own. In a full shard a hand goes round the answers and drops those that were not asked for since it came
//! by last ("second chance").

mod shard;

use parking_lot::{Mutex, MutexGuard};
use shard::Shard;

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::rules::Scoring;
use crate::random::splitmix64;

/// Shards; a power of two, more than threads that ask at the same time.
const SHARDS: usize = 64;

/// Remembers what `inner` answered.
#[derive(Debug)]
pub struct Cache<E> {
    inner: E,
    shards: Vec<Mutex<Shard>>,
}

/// What the cache has done since it was made or cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Requests answered from memory.
    pub hits: u64,
    /// Requests passed on.
    pub misses: u64,
    /// Answers kept now.
    pub entries: usize,
    /// Bytes they take, about.
    pub bytes: usize,
}

impl<E: Evaluator> Cache<E> {
    /// A cache of at most about `mebibytes`, not counting what `inner` takes.
    #[must_use]
    pub fn new(inner: E, mebibytes: usize) -> Self {
        let max_shard_bytes = mebibytes.saturating_mul(1 << 20) / SHARDS;
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(max_shard_bytes)));
        Self {
            inner,
            shards: shards.collect(),
        }
    }

    /// Forgets all answers and counts.
    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            *shard = Shard::new(shard.max_bytes);
        }
    }

    /// What it holds and what it was good for.
    #[must_use]
    pub fn stats(&self) -> CacheStats {
        let mut sum = CacheStats::default();
        for shard in &self.shards {
            let shard_stats = shard.lock().stats;
            sum.hits += shard_stats.hits;
            sum.misses += shard_stats.misses;
            sum.entries += shard_stats.entries;
            sum.bytes += shard_stats.bytes;
        }
        sum
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        // The table picks its buckets by the low bits and the highest seven.
        self.shards[(key >> 40) as usize % SHARDS].lock()
    }

    fn store(
        &self,
        key: u64,
        request: &Request<'_>,
        evaluation: &Evaluation,
    ) -> Result<(), EvalError> {
        evaluation.check()?;
        self.shard(key).insert(key, request, evaluation);
        Ok(())
    }

    /// Passes on the requests at `misses` alone.
    fn evaluate_misses(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
        misses: &[(usize, u64)],
    ) -> Result<(), EvalError> {
        let missed_requests: Vec<Request<'_>> =
            misses.iter().map(|&(index, _)| requests[index]).collect();
        let mut slots: Vec<Evaluation> = misses
            .iter()
            .map(|&(index, _)| std::mem::take(&mut evaluations[index]))
            .collect();
        self.inner.evaluate(&missed_requests, &mut slots)?;
        for (&(index, _), slot) in misses.iter().zip(slots) {
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
        let mut misses = Vec::new();
        for (index, (request, evaluation)) in requests.iter().zip(&mut *evaluations).enumerate() {
            let key = key(request);
            if !self.shard(key).lookup(key, request, evaluation) {
                misses.push((index, key));
            }
        }
        if misses.len() == requests.len() {
            self.inner.evaluate(requests, evaluations)?;
        } else if !misses.is_empty() {
            self.evaluate_misses(requests, evaluations, &misses)?;
        }
        for (index, key) in misses {
            self.store(key, &requests[index], &evaluations[index])?;
        }
        Ok(())
    }

    fn predicts_lead(&self) -> bool {
        self.inner.predicts_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.inner.supports_size(size)
    }

    fn reset(&self) {
        self.clear();
        self.inner.reset();
    }
}

fn key(request: &Request<'_>) -> u64 {
    let position = request.position;
    let ko_points = position.ko_points().iter().map(|point| point.number());
    // Who has more prisoners is ahead by as much, where they count.
    let prisoner_difference = match position.rules().scoring {
        Scoring::Area => 0,
        Scoring::Territory => position
            .prisoners(Color::Black)
            .wrapping_sub(position.prisoners(Color::White)),
    };
    let parts = [request.symmetry.number(), prisoner_difference as usize]
        .into_iter()
        .chain(ko_points);
    parts.fold(position.situation_hash(), |key, number| {
        splitmix64(key ^ number as u64)
    })
}
