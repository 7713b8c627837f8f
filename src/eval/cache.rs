//! A wrapper that caches evaluations within a memory limit.
//!
//! All numbers are stored with full precision. If a request does not need the priors of all moves, only the
//! [`NUM_TOP_PRIORS`](super::NUM_TOP_PRIORS) highest priors are stored.
//!
//! The key is computed from the symmetry, the
//! [`state_hash`](crate::game::position::Position::state_hash), the points forbidden by ko and, under territory
//! scoring, the difference in prisoners. The move history is not part of the key. Many networks also look at recent
//! moves; for them, a hit may return the evaluation for another move order. If the results of an evaluator depend only
//! on the key, a search produces the same tree with and without a cache.
//!
//! Entries are distributed over shards by hash; each shard has a lock. Full shards evict entries by the CLOCK
//! algorithm ("second chance"): a hand cycles through the entries and evicts those not used since its last visit.

mod shard;

use parking_lot::{Mutex, MutexGuard};
pub use shard::CacheStats;
use shard::Shard;

use super::{EvalError, Evaluation, Evaluator, Request};
use crate::game::color::Color;
use crate::game::rules::Scoring;
use crate::random::splitmix64;

/// Number of shards: a power of two, larger than the usual number of threads.
const NUM_SHARDS: usize = 64;

/// Evaluator that caches the results of `inner`.
#[derive(Debug)]
pub struct Cache<E> {
    inner: E,
    shards: Vec<Mutex<Shard>>,
}

impl<E: Evaluator> Cache<E> {
    /// Creates a cache that uses at most about `mebibytes` of memory, not counting `inner`.
    pub fn new(inner: E, mebibytes: usize) -> Self {
        let max_shard_bytes = mebibytes.saturating_mul(1 << 20) / NUM_SHARDS;
        let shards = (0..NUM_SHARDS).map(|_| Mutex::new(Shard::new(max_shard_bytes)));
        Self {
            inner,
            shards: shards.collect(),
        }
    }

    /// Removes all entries and resets the statistics.
    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            *shard = Shard::new(shard.max_bytes);
        }
    }

    /// Returns the statistics summed over all shards.
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
        // The hash map uses the low bits and the highest seven bits of the key, so other bits select the shard.
        self.shards[(key >> 40) as usize % NUM_SHARDS].lock()
    }

    fn store(
        &self,
        key: u64,
        request: &Request<'_>,
        evaluation: &Evaluation,
    ) -> Result<(), EvalError> {
        evaluation.check_finite()?;
        self.shard(key).insert(key, request, evaluation);
        Ok(())
    }

    /// Evaluates only the requests that were not in the cache. `misses` contains their indices and cache keys.
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
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        let mut misses = Vec::new();
        for (index, (request, evaluation)) in requests.iter().zip(&mut *evaluations).enumerate() {
            let key = request_key(request);
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

    fn inner(&self) -> Option<&dyn Evaluator> {
        Some(&self.inner)
    }

    fn reset(&self) {
        self.clear();
        self.inner.reset();
    }
}

fn request_key(request: &Request<'_>) -> u64 {
    let position = request.position;
    let ko_points = position.ko_points().iter().map(|point| point.number());
    // Under territory scoring, the difference in prisoners is part of the score.
    let prisoner_difference = match position.rules().scoring {
        Scoring::Area => 0,
        Scoring::Territory => position
            .lost_stones(Color::Black)
            .wrapping_sub(position.lost_stones(Color::White)),
    };
    let parts = [request.symmetry.number(), prisoner_difference as usize]
        .into_iter()
        .chain(ko_points);
    parts.fold(position.state_hash(), |key, number| {
        splitmix64(key ^ number as u64)
    })
}
