//! Evaluators without a network.

use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::uniform::UniformEvaluator;
use honinbo::eval::{Evaluator, Request};
use honinbo::game::symmetry::Symmetry;

use super::support::{check_evaluation, evaluate, positions};

#[test]
fn evaluations_are_valid() {
    let evaluators: [&dyn Evaluator; 2] = [&UniformEvaluator, &HashEvaluator];
    for evaluator in evaluators {
        for position in &positions(1) {
            for ownership in [false, true] {
                let request = Request {
                    ownership,
                    ..Request::new(position)
                };
                check_evaluation(&request, &evaluate(evaluator, request));
            }
        }
    }
}

#[test]
fn uniform_policy_is_uniform() {
    for position in &positions(2) {
        let evaluation = evaluate(&UniformEvaluator, Request::new(position));
        let share = 1.0 / (position.legal_points().len() + 1) as f32;
        let size = position.size();
        for point in position.legal_points() {
            assert_eq!(evaluation.policy[size.index(point)], share);
        }
        assert_eq!(evaluation.policy[size.area()], share);
        assert_eq!(evaluation.value, 0.0);
    }
}

#[test]
fn hashed_depends_only_on_position() {
    let positions = positions(3);
    let mut values = Vec::new();
    for position in &positions {
        let evaluation = evaluate(&HashEvaluator, Request::new(position));
        for symmetry in Symmetry::for_size(position.size()) {
            let turned = Request {
                symmetry,
                ..Request::new(position)
            };
            assert_eq!(evaluate(&HashEvaluator, turned), evaluation);
        }
        values.push(evaluation.value.to_bits());
        let highest = evaluation.policy.iter().copied().fold(0.0, f32::max);
        let even = 1.0 / evaluation.policy.len() as f32;
        assert!(highest > 1.2 * even, "the priors are flat");
    }
    values.sort_unstable();
    values.dedup();
    // Empty boards of the same size are the same position.
    assert_eq!(values.len(), positions.len() - 1);
}
