//! Evaluator stacks.

use honinbo::eval::Request;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::rollout::RolloutSettings;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::symmetry::SymmetryMode;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;

use super::support::{evaluate, evaluate_all, positions, size};

#[test]
fn stacks_match_base_evaluator() {
    let positions = positions(16);
    let requests: Vec<Request<'_>> = positions.iter().map(Request::new).collect();
    for (cache, batch, max_concurrent) in [(0, 0, 1), (0, 4, 2), (8, 0, 1), (8, 4, 1)] {
        let settings = StackSettings {
            cache_mib: cache,
            batch_size: batch,
            max_concurrent_batches: max_concurrent,
            ..StackSettings::default()
        };
        let stack = EvaluatorStack::new(BaseEvaluator::Hashed, settings);
        assert_eq!(stack.cache.is_some(), cache > 0);
        for _ in 0..2 {
            assert_eq!(
                evaluate_all(&*stack.evaluator, &requests),
                evaluate_all(&HashEvaluator, &requests)
            );
        }
        if let Some(cache) = stack.cache {
            assert!(cache.stats().hits >= requests.len() as u64);
            stack.evaluator.reset();
            assert_eq!(cache.stats().entries, 0);
        }
    }
}

#[test]
fn rollouts_are_not_cached() {
    let settings = RolloutSettings {
        playouts: 1,
        ..RolloutSettings::default()
    };
    let stack = EvaluatorStack::new(BaseEvaluator::Rollout(settings), StackSettings::default());
    let empty = Position::new(size(9, 9), Rules::default());
    let mut leads: Vec<f32> = (0..10)
        .map(|_| evaluate(&*stack.evaluator, Request::new(&empty)).score_lead)
        .collect();
    leads.dedup();
    assert!(leads.len() > 1);
}

#[test]
fn average_of_uniform_is_uniform() {
    let settings = StackSettings {
        symmetry: SymmetryMode::Average,
        ..StackSettings::default()
    };
    let stack = EvaluatorStack::new(BaseEvaluator::Uniform, settings);
    for position in &positions(17) {
        let request = Request::new(position);
        let (wrapped, bare) = (
            evaluate(&*stack.evaluator, request),
            evaluate(&*stack.base, request),
        );
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(wrapped.policy.iter().zip(&bare.policy).all(near));
    }
}
