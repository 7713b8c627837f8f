//! The evaluators that need no network.

use honinbo::eval::hashed::Hashed;
use honinbo::eval::uniform::Uniform;
use honinbo::eval::{Evaluator, Request};
use honinbo::game::symmetry::Symmetry;

use super::support::{ask, check_answer, positions};

#[test]
fn answers_are_answers() {
    let evaluators: [&dyn Evaluator; 2] = [&Uniform, &Hashed];
    for evaluator in evaluators {
        for position in &positions(1) {
            for ownership in [false, true] {
                let request = Request {
                    ownership,
                    ..Request::new(position)
                };
                check_answer(&request, &ask(evaluator, request));
            }
        }
    }
}

#[test]
fn uniform_prefers_nothing() {
    for position in &positions(2) {
        let answer = ask(&Uniform, Request::new(position));
        let share = 1.0 / (position.legal_points().len() + 1) as f32;
        let size = position.size();
        for point in position.legal_points() {
            assert_eq!(answer.policy[size.index(point)], share);
        }
        assert_eq!(answer.policy[size.area()], share);
        assert_eq!(answer.value, 0.0);
    }
}

#[test]
fn hashed_answers_belong_to_the_position_and_differ_between_positions() {
    let positions = positions(3);
    let mut values = Vec::new();
    for position in &positions {
        let answer = ask(&Hashed, Request::new(position));
        for symmetry in Symmetry::for_size(position.size()) {
            let turned = Request {
                symmetry,
                ..Request::new(position)
            };
            assert_eq!(ask(&Hashed, turned), answer);
        }
        values.push(answer.value.to_bits());
        let highest = answer.policy.iter().copied().fold(0.0, f32::max);
        let even = 1.0 / answer.policy.len() as f32;
        assert!(highest > 1.2 * even, "the priors are flat");
    }
    values.sort_unstable();
    values.dedup();
    // Empty boards of the same size are the same position.
    assert_eq!(values.len(), positions.len() - 1);
}
