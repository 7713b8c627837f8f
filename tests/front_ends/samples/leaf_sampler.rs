//! Samples of positions found by searches.

use std::sync::Arc;

use honinbo::eval::Evaluation;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::learn::leaf_sampler::LeafSampler;
use honinbo::learn::sample::{SampleSettings, Sampler};
use honinbo::learn::teacher::Teacher;
use honinbo::random::Rng;

use crate::samples::{
    FnEvaluator, MOVES, SETTINGS, game, optimistic, policy, sample_game_with, samples,
};

/// Plays on the first empty point, and passes after a pass.
fn first_empty_point(position: &Position) -> Evaluation {
    let size = position.size();
    let empty = |point: &Point| !position.board().occupied().contains(*point);
    let first = size.points().find(empty).filter(|_| position.passes() == 0);
    let mut policy = vec![0.0; size.area() + 1];
    policy[first.map_or(size.area(), |point| size.index(point))] = 1.0;
    Evaluation {
        policy,
        ..Evaluation::default()
    }
}

#[test]
fn leaves_are_reached_by_search() {
    let size = BoardSize::new(9, 9).unwrap();
    let leaf_sampler = LeafSampler::new(Arc::new(FnEvaluator(first_empty_point)), 6);
    let start = Position::new(size, Rules::default());
    let found = leaf_sampler
        .sample_leaves(&start, 50, &mut Rng::new(3))
        .unwrap();
    assert_eq!(found.len(), 50);
    let mut depths = [0; 6];
    for position in &found {
        let stones: Vec<usize> = size
            .points()
            .filter(|&point| position.board().occupied().contains(point))
            .map(|point| size.index(point))
            .collect();
        assert_eq!(stones, (0..stones.len()).collect::<Vec<_>>());
        depths[stones.len()] += 1;
    }
    // The tree is a single line, so all leaves are at its end: five moves after six visits, one of which is the root's.
    assert_eq!(depths, [0, 0, 0, 0, 0, 50]);
    let mut passed = start;
    passed.play_unchecked(Color::Black, Move::Pass);
    assert_eq!(
        leaf_sampler
            .sample_leaves(&passed, 50, &mut Rng::new(3))
            .unwrap(),
        []
    );
}

#[test]
fn leaves_have_teacher_targets() {
    let size = BoardSize::new(9, 9).unwrap();
    let teacher = Teacher::new(Arc::new(FnEvaluator(optimistic)), 1.0, 1.0);
    let leaf_sampler = LeafSampler::new(Arc::new(FnEvaluator(first_empty_point)), 6);
    let settings = SampleSettings {
        off_policy_moves: 2,
        ..SETTINGS
    };
    let explored = || {
        let mut sampler =
            Sampler::new(settings, Some(&teacher)).with_leaf_sampler(Some(&leaf_sampler));
        sampler.sample_game(&game(size), &mut Rng::new(5)).unwrap()
    };
    let found = explored();
    assert_eq!(found, explored());
    let straight = samples(size, false, Some(&teacher));
    assert_eq!(found.len(), 3 * straight.len());
    for (at, three) in found.chunks(3).enumerate() {
        assert_eq!(three[0], straight[at]);
        for explored in &three[1..] {
            assert_eq!((explored.value, policy(explored)[0]), (0.5, 1.0 / 81.0));
            assert_ne!(explored.planes, three[0].planes);
        }
    }
}

#[test]
fn leaves_have_teacher_inputs_without_targets() {
    let size = BoardSize::new(9, 9).unwrap();
    let leaf_sampler = LeafSampler::new(Arc::new(FnEvaluator(first_empty_point)), 6);
    let settings = SampleSettings {
        off_policy_moves: 2,
        with_teacher_inputs: true,
        ..SETTINGS
    };
    let mut sampler = Sampler::new(settings, None).with_leaf_sampler(Some(&leaf_sampler));
    let found = sampler.sample_game(&game(size), &mut Rng::new(5)).unwrap();
    let plain = SampleSettings {
        off_policy_moves: 0,
        ..settings
    };
    let straight = sample_game_with(size, plain, None);
    assert_eq!(found.len(), 3 * MOVES);
    for (at, three) in found.chunks(3).enumerate() {
        assert_eq!(three[0], straight[at]);
        for explored in &three[1..] {
            assert_ne!(explored.planes, three[0].planes);
            assert_ne!(explored.teacher_input, three[0].teacher_input);
            assert!(explored.teacher_input.is_some());
            assert_eq!((explored.value, explored.lead), (0.0, None));
            assert_eq!(policy(explored), [1.0 / 82.0; 82]);
        }
    }
}

/// Evaluates Black as ten points ahead.
fn black_ten_ahead(position: &Position) -> Evaluation {
    Evaluation {
        score_lead: position.to_move().to_perspective(10.0),
        ..first_empty_point(position)
    }
}

#[test]
fn leaf_sampler_balances_komi() {
    let start = Position::new(BoardSize::new(9, 9).unwrap(), Rules::default());
    let leaf_sampler = LeafSampler::new(Arc::new(FnEvaluator(black_ten_ahead)), 6);
    let komi = |seed| {
        let even = leaf_sampler
            .balance_komi(&start, &mut Rng::new(seed))
            .unwrap();
        even.rules().komi.points()
    };
    let mean = (0..200).map(komi).sum::<f64>() / 200.0;
    let wanted = start.rules().komi.points() + 10.0;
    assert!((mean - wanted).abs() < 1.0, "{mean}, {wanted}");
}
