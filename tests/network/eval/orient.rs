//! Symmetries: answers come turned back, whatever was looked through.

use std::collections::HashSet;

use honinbo::eval::symmetry::{SymmetryEvaluator, SymmetryMode};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;

use super::support::{Faulty, Lopsided, ask, check_answer, lopsided, positions, size};

fn with_ownership(position: &Position) -> Request<'_> {
    Request {
        ownership: true,
        ..Request::new(position)
    }
}

fn bare(position: &Position, symmetry: Symmetry) -> Evaluation {
    let request = Request {
        symmetry,
        ..with_ownership(position)
    };
    ask(&Lopsided::default(), request)
}

#[test]
fn a_fixed_symmetry_is_the_one_looked_through() {
    for position in &positions(4) {
        let from = position.size();
        for symmetry in Symmetry::for_size(from) {
            let turned = SymmetryEvaluator::new(Lopsided::default(), SymmetryMode::Fixed(symmetry));
            let answer = ask(&turned, with_ownership(position));
            check_answer(&with_ownership(position), &answer);
            assert_eq!(answer, bare(position, symmetry));
            for point in from.points() {
                let seen = symmetry
                    .map_size(from)
                    .index(symmetry.map_point(from, point));
                assert_eq!(answer.ownership[from.index(point)], 1.0 / lopsided(seen));
            }
        }
    }
}

#[test]
fn boards_that_are_not_square_are_never_transposed() {
    let oblong = Position::new(size(5, 8), Default::default());
    for symmetry in Symmetry::ALL {
        let turned = SymmetryEvaluator::new(Lopsided::default(), SymmetryMode::Fixed(symmetry));
        let plain = Symmetry::from_number(symmetry.number() & 3).unwrap();
        assert_eq!(
            ask(&turned, with_ownership(&oblong)),
            bare(&oblong, plain),
            "{symmetry:?}"
        );
    }
}

#[test]
fn random_symmetries_belong_to_seed_and_position_and_all_occur() {
    let mut seen = HashSet::new();
    for position in &positions(5) {
        for seed in 0..40 {
            let turned = SymmetryEvaluator::new(Lopsided::default(), SymmetryMode::Random { seed });
            let answer = ask(&turned, with_ownership(position));
            assert_eq!(answer, ask(&turned, with_ownership(position)));
            let number = (answer.value * 8.0) as usize;
            let symmetry = Symmetry::from_number(number).unwrap();
            assert_eq!(answer, bare(position, symmetry));
            seen.insert((position.size(), symmetry));
        }
    }
    // Three square sizes and an oblong one.
    assert_eq!(seen.len(), 3 * 8 + 4);
}

#[test]
fn the_average_is_the_mean_of_all() {
    let positions = positions(6);
    let requests: Vec<Request<'_>> = positions.iter().map(with_ownership).collect();
    let mut answers = vec![Evaluation::default(); requests.len()];
    let average = SymmetryEvaluator::new(Lopsided::default(), SymmetryMode::Average);
    average.evaluate(&requests, &mut answers).unwrap();
    for (request, answer) in requests.iter().zip(&answers) {
        check_answer(request, answer);
        let parts: Vec<Evaluation> = Symmetry::for_size(request.position.size())
            .map(|symmetry| bare(request.position, symmetry))
            .collect();
        let mean = |number: &dyn Fn(&Evaluation) -> f32| {
            parts.iter().map(number).sum::<f32>() / parts.len() as f32
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} is not {b}");
        near(answer.value, mean(&|part| part.value));
        near(answer.score_lead, mean(&|part| part.score_lead));
        for (index, &prior) in answer.policy.iter().enumerate() {
            near(prior, mean(&|part| part.policy[index]));
        }
        for (index, &owner) in answer.ownership.iter().enumerate() {
            near(owner, mean(&|part| part.ownership[index]));
        }
    }
}

#[test]
fn an_average_over_no_number_is_an_error() {
    let position = Position::new(size(9, 9), Default::default());
    for fails in [false, true] {
        let average = SymmetryEvaluator::new(Faulty { at: 0, fails }, SymmetryMode::Average);
        let mut answers = [Evaluation::default()];
        let result = average.evaluate(&[Request::new(&position)], &mut answers);
        assert!(result.is_err(), "{answers:?}");
    }
}
