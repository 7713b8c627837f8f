//! Nets of other engines as evaluators: results refer to the requested position under every symmetry.

use std::sync::Arc;

use crate::eval::support::{evaluate, with_ownership};
use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::{katago, leela_zero, read_katago, read_leela_zero};
use crate::stored;
use honinbo::encode::Encoding;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::stack::{BaseEvaluator, EvaluatorStack, StackSettings};
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::net::candle::device::Backend;
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::{from_bytes, v2};
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

/// Number of moves after which both players pass.
const MAX_MOVES: usize = 120;

/// Plays a complete game of the likeliest moves on the board. The players pass only if no other move is legal, or at the
/// end of the game.
fn play_game(network: Network, side: usize) {
    let evaluator = NetworkEvaluator::new(network, Profile::default()).unwrap();
    let size = BoardSize::new(side, side).unwrap();
    let mut position = Position::new(size, Rules::default());
    let (mut moves, mut passes) = (0, 0);
    while passes < 2 {
        let policy = ask(&evaluator, &position, Symmetry::IDENTITY).policy;
        let mut points: Vec<usize> = (0..size.area()).collect();
        points.sort_by(|a, b| policy[*b].total_cmp(&policy[*a]));
        let played = points.into_iter().find(|&index| {
            let play = Move::Play(size.point_at(index));
            let legal = moves < MAX_MOVES && position.play(position.to_move(), play).is_ok();
            assert!(legal || moves == MAX_MOVES || policy[index] == 0.0);
            legal
        });
        match played {
            Some(_) => (moves, passes) = (moves + 1, 0),
            None => {
                position.play(position.to_move(), Move::Pass).unwrap();
                passes += 1;
            }
        }
    }
    assert!(moves > 20, "{moves} moves");
}

/// Runs with and without the CPU kernels; without them, both networks consist of candle's operations.
#[test]
fn every_kind_of_network_plays_a_complete_game() {
    let katago = |version: u8, kinds: &[usize]| {
        let net = drawn::katago(version, Extras::default(), 3, kinds);
        read_katago(&katago::file(&net, true)).unwrap()
    };
    let (planes, globals) = (Encoding::FULL.plane_count(), Encoding::FULL.global_count());
    let own = v2::to_bytes(drawn::honinbo(planes, globals, 3), FilePrecision::F32).unwrap();
    let leela_zero = leela_zero::lines(&drawn::leela_zero(3, false, 3)).join("\n");
    for (name, net, side) in [
        ("own format 1", from_bytes(&stored::bytes("classic")), 9),
        ("own format 2", from_bytes(&own), 9),
        ("residual", Ok(katago(8, &[0, 1])), 9),
        ("old residual", Ok(katago(3, &[0, 1])), 9),
        ("transformer", Ok(katago(17, &[2, 5, 3, 6, 4, 5])), 9),
        ("nested bottleneck", Ok(katago(16, &[7])), 9),
        ("Leela Zero", read_leela_zero(leela_zero.as_bytes()), 19),
    ] {
        let net = net.unwrap_or_else(|error| panic!("{name}: {error}"));
        play_game(Network::new(&net).unwrap(), side);
        play_game(
            Network::with_backend(&net, &Backend::default()).unwrap(),
            side,
        );
    }
}
