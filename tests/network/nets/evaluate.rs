//! Nets of other engines as evaluators: results refer to the requested position under every symmetry.

use std::sync::Arc;

use crate::eval::support::{evaluate, with_ownership};
use crate::nets::drawn::{self, Extras, KINDS};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::net::model::Network;
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;

fn evaluator(net: &NetSpec, profile: Profile) -> NetworkEvaluator {
    NetworkEvaluator::new(Network::new(net).unwrap(), profile).unwrap()
}

fn ask(evaluator: &NetworkEvaluator, position: &Position, symmetry: Symmetry) -> Evaluation {
    let request = Request {
        symmetry,
        ..with_ownership(position)
    };
    evaluate(evaluator, request)
}

/// Returns the same random game twice: unchanged and transformed by `symmetry`.
fn games(size: BoardSize, rules: Rules, symmetry: Symmetry, seed: u64) -> (Position, Position) {
    let mut rng = Rng::new(seed);
    let mut plain = Position::new(size, rules);
    let mut turned = Position::new(symmetry.map_size(size), rules);
    for _ in 0..size.area() / 2 {
        let point = size.point_at(rng.below(size.area()));
        let there = Move::Play(symmetry.map_point(size, point));
        let played = plain.play(plain.to_move(), Move::Play(point));
        assert_eq!(turned.play(turned.to_move(), there), played);
    }
    (plain, turned)
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-4
}

#[test]
fn symmetry_equals_evaluating_the_transformed_game() {
    for version in [3, 5, 6, 7, 8, 17] {
        let extras = Extras {
            profile: version == 17,
            ..Extras::default()
        };
        let kinds: Vec<usize> = (0..KINDS).collect();
        let net = drawn::katago(
            version,
            extras,
            5,
            &kinds[..if version < 17 { 3 } else { KINDS }],
        );
        let evaluator = evaluator(&net, "rank_5k_1d".parse().unwrap());
        for (number, rules) in ["chinese", "japanese", "tromp-taylor", "aga-button"]
            .iter()
            .enumerate()
        {
            let (width, height) = [(7, 7), (5, 6), (9, 9), (6, 4)][number];
            let size = BoardSize::new(width, height).unwrap();
            let rules = Rules::parse(rules).unwrap();
            for symmetry in Symmetry::ALL {
                let (plain, turned) = games(size, rules, symmetry, number as u64);
                let through = ask(&evaluator, &plain, symmetry);
                let direct = ask(&evaluator, &turned, Symmetry::IDENTITY);
                for (index, point) in size.points().enumerate() {
                    let there = symmetry
                        .map_size(size)
                        .index(symmetry.map_point(size, point));
                    assert!(near(through.policy[index], direct.policy[there]));
                    assert!(near(through.ownership[index], direct.ownership[there]));
                }
                assert!(near(through.value, direct.value));
                assert!(near(through.score_lead / 100.0, direct.score_lead / 100.0));
            }
        }
    }
}

#[test]
fn profile_changes_the_evaluation() {
    let extras = Extras {
        profile: true,
        ..Extras::default()
    };
    let net = drawn::katago(15, extras, 9, &[0]);
    let position = Position::new(BoardSize::new(9, 9).unwrap(), Rules::default());
    let value = |name: &str| {
        let evaluator = evaluator(&net, name.parse().unwrap());
        ask(&evaluator, &position, Symmetry::IDENTITY).value
    };
    assert_eq!(value(""), value("_"));
    assert_ne!(value("rank_20k"), value("rank_9d"));
    assert_ne!(value("preaz_9d"), value("proyear_1850"));
}

#[test]
fn stack_reports_human_style_network() {
    for profile in [false, true] {
        let extras = Extras {
            profile,
            ..Extras::default()
        };
        let net = drawn::katago(15, extras, 9, &[0]);
        let judge = BaseEvaluator::Network(Arc::new(evaluator(&net, Profile::default())));
        let settings = StackSettings {
            cache_mib: 0,
            ..StackSettings::default()
        };
        assert_eq!(EvaluatorStack::new(judge, settings).takes_profile, profile);
    }
}

#[test]
fn leela_zero_nets_support_only_one_size() {
    let net = drawn::leela_zero(1, false, 3);
    let evaluator = evaluator(&net, Profile::default());
    let mut rng = Rng::new(3);
    let mut position = Position::new(BoardSize::STANDARD, Rules::default());
    for _ in 0..150 {
        let point = BoardSize::STANDARD.point_at(rng.below(361));
        // Illegal moves change nothing.
        let _ = position.play(position.to_move(), Move::Play(point));
    }
    for symmetry in Symmetry::ALL {
        let answer = ask(&evaluator, &position, symmetry);
        let sum: f32 = answer.policy.iter().sum();
        assert!(near(sum, 1.0) && answer.value.abs() <= 1.0 && answer.ownership.is_empty());
        for point in position.board().occupied_points() {
            assert_eq!(answer.policy[BoardSize::STANDARD.index(point)], 0.0);
        }
    }
    let small = Position::new(BoardSize::new(9, 9).unwrap(), Rules::default());
    let error = evaluator.evaluate(&[Request::new(&small)], &mut [Evaluation::default()]);
    let expected = "evaluator: the network only supports 19x19 boards, not 9x9";
    assert_eq!(error.unwrap_err().to_string(), expected);
}

#[test]
fn leela_zero_version_two_values_are_blacks() {
    let (mover, black) = (
        evaluator(&drawn::leela_zero(1, false, 3), Profile::default()),
        evaluator(&drawn::leela_zero(1, true, 3), Profile::default()),
    );
    let mut position = Position::new(BoardSize::STANDARD, Rules::default());
    let value =
        |net: &NetworkEvaluator, position: &Position| ask(net, position, Symmetry::IDENTITY).value;
    assert_eq!(value(&mover, &position), value(&black, &position));
    position.play(position.to_move(), Move::Pass).unwrap();
    assert_eq!(value(&mover, &position), -value(&black, &position));
}
