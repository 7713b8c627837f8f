//! A pseudo-random but deterministic evaluator, for tests and search benchmarks.
//!
//! The evaluator uses only integer arithmetic and basic floating-point operations in a fixed order. The results
//! therefore depend on the hash of the position, but not on the mathematical library of the platform. Symmetries are
//! ignored.

use super::{EvalError, Evaluation, Evaluator, Request, priors};
use crate::random::splitmix64;

/// Evaluator that derives non-uniform priors of the legal moves, a value, a lead of up to 32 points and an ownership
/// map from [`state_hash`](crate::game::position::Position::state_hash).
#[derive(Clone, Copy, Debug, Default)]
pub struct HashEvaluator;

/// Index of the first random number for each output except the priors. The numbers of the priors start at index 0. The
/// ranges do not overlap, so no two outputs use the same numbers.
const VALUE_START: u64 = 1 << 32;
const LEAD_START: u64 = 2 << 32;
const OWNERSHIP_START: u64 = 3 << 32;

/// Converts a random word to a number in [-1, 1), in steps of 2^-15.
fn signed_unit_f32(word: u64) -> f32 {
    let steps = (word >> 48) as u16;
    (f32::from(steps) - 32_768.0) / 32_768.0
}

impl Evaluator for HashEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot per request");
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let size = request.position.size();
            let hash = request.position.state_hash();
            let hash_word = |index: u64| splitmix64(hash ^ splitmix64(index));
            // Cubing uniform numbers concentrates the priors on a few moves, as in the policy of a network.
            let weight = |index: usize| {
                let uniform = (hash_word(index as u64) >> 56) as f32 + 1.0;
                uniform * uniform * uniform
            };
            evaluation.clear(size);
            for point in request.position.legal_points() {
                evaluation.policy[size.index(point)] = weight(size.index(point));
            }
            evaluation.policy[size.area()] = weight(size.area());
            priors::normalise(&mut evaluation.policy);
            evaluation.value = signed_unit_f32(hash_word(VALUE_START));
            evaluation.score_lead = 32.0 * signed_unit_f32(hash_word(LEAD_START));
            if request.ownership {
                let owners = (0..size.area())
                    .map(|index| signed_unit_f32(hash_word(OWNERSHIP_START + index as u64)));
                evaluation.ownership.extend(owners);
            }
        }
        Ok(())
    }
}
