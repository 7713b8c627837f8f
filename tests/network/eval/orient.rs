//! Symmetries: results are mapped back to the original board.

use std::collections::HashSet;

use honinbo::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;

use super::support::{
    AsymmetricEvaluator, FaultyEvaluator, check_evaluation, evaluate, evaluate_all, point_weight,
    positions, size, with_ownership,
};

fn symmetric(mode: SymmetryMode) -> SymmetryEvaluator<AsymmetricEvaluator> {
    SymmetryEvaluator::new(AsymmetricEvaluator::default(), mode)
}

fn with_symmetry(position: &Position, symmetry: Symmetry) -> Evaluation {
    let request = Request {
        symmetry,
        ..with_ownership(position)
    };
    evaluate(&AsymmetricEvaluator::default(), request)
}

#[test]
fn fixed_symmetry_is_applied() {
    for position in &positions(4) {
        let from = position.size();
        for symmetry in Symmetry::for_size(from) {
            let symmetric = symmetric(SymmetryMode::Fixed(symmetry));
            let evaluation = evaluate(&symmetric, with_ownership(position));
            check_evaluation(&with_ownership(position), &evaluation);
            assert_eq!(evaluation, with_symmetry(position, symmetry));
            for point in from.points() {
                let seen = symmetry
                    .map_size(from)
                    .index(symmetry.map_point(from, point));
                assert_eq!(
                    evaluation.ownership[from.index(point)],
                    1.0 / point_weight(seen)
                );
            }
        }
    }
}

#[test]
fn oblong_boards_are_not_transposed() {
    let oblong = Position::new(size(5, 8), Default::default());
    for symmetry in Symmetry::ALL {
        let symmetric = symmetric(SymmetryMode::Fixed(symmetry));
        let plain = Symmetry::from_number(symmetry.number() & 3).unwrap();
        assert_eq!(
            evaluate(&symmetric, with_ownership(&oblong)),
            with_symmetry(&oblong, plain),
            "{symmetry:?}"
        );
    }
}

#[test]
fn random_symmetries_depend_on_seed_and_position() {
    let mut seen = HashSet::new();
    for position in &positions(5) {
        for seed in 0..40 {
            let symmetric = symmetric(SymmetryMode::Random { seed });
            let evaluation = evaluate(&symmetric, with_ownership(position));
            assert_eq!(evaluation, evaluate(&symmetric, with_ownership(position)));
            let number = (evaluation.value * 8.0) as usize;
            let symmetry = Symmetry::from_number(number).unwrap();
            assert_eq!(evaluation, with_symmetry(position, symmetry));
            seen.insert((position.size(), symmetry));
        }
    }
    // Three square sizes with eight symmetries each, and an oblong one with four.
    assert_eq!(seen.len(), 3 * 8 + 4);
}

#[test]
fn average_is_mean_over_symmetries() {
    let positions = positions(6);
    let requests: Vec<Request<'_>> = positions.iter().map(with_ownership).collect();
    let average = symmetric(SymmetryMode::Average);
    let evaluations = evaluate_all(&average, &requests);
    for (request, evaluation) in requests.iter().zip(&evaluations) {
        check_evaluation(request, evaluation);
        let parts: Vec<Evaluation> = Symmetry::for_size(request.position.size())
            .map(|symmetry| with_symmetry(request.position, symmetry))
            .collect();
        let mean = |number: &dyn Fn(&Evaluation) -> f32| {
            parts.iter().map(number).sum::<f32>() / parts.len() as f32
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} is not {b}");
        near(evaluation.value, mean(&|part| part.value));
        near(evaluation.score_lead, mean(&|part| part.score_lead));
        for (index, &prior) in evaluation.policy.iter().enumerate() {
            near(prior, mean(&|part| part.policy[index]));
        }
        for (index, &owner) in evaluation.ownership.iter().enumerate() {
            near(owner, mean(&|part| part.ownership[index]));
        }
    }
}

#[test]
fn average_reports_invalid_values() {
    let position = Position::new(size(9, 9), Default::default());
    for fails in [false, true] {
        let average =
            SymmetryEvaluator::new(FaultyEvaluator { at: 0, fails }, SymmetryMode::Average);
        let mut evaluations = [Evaluation::default()];
        let result = average.evaluate(&[Request::new(&position)], &mut evaluations);
        assert!(result.is_err(), "{evaluations:?}");
    }
}
