//! Devices of networks: candle's operations lead to the same moves as the CPU kernels, and a GPU with wrong results is
//! rejected.

use crate::nets::drawn::{self, Extras, KINDS};
use crate::stored;
use honinbo::encode::Encoding;
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::device::{DeviceConfig, check_agrees_with_cpu};
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Request, embedded};
use honinbo::game::point::Move;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::net::candle::device::{Backend, DeviceChoice};
use honinbo::net::formats::honinbo::from_bytes;
use honinbo::net::model::Network;
use honinbo::net::precision::Precision;
use honinbo::net::spec::NetSpec;
use honinbo::random::Rng;

use super::support::{evaluate, random_position, size};

fn embedded_on(device: DeviceChoice) -> std::sync::Arc<NetworkEvaluator> {
    let device_config = DeviceConfig {
        device,
        precision: Precision::F32,
    };
    embedded::evaluator(device_config).unwrap()
}

#[test]
fn candle_agrees_with_the_kernels() {
    let [cpu, candle] = [DeviceChoice::Cpu, DeviceChoice::Candle].map(embedded_on);
    assert_eq!(candle.network().isa_name_or_candle(), "candle");
    for (side, moves) in [(9, 20), (13, 70), (19, 150)] {
        let position = random_position(size(side, side), moves, &mut Rng::new(moves as u64));
        let request = || Request {
            symmetry: Symmetry::IDENTITY,
            ..Request::new(&position)
        };
        let (found, expected) = (evaluate(&*candle, request()), evaluate(&*cpu, request()));
        assert!((found.value - expected.value).abs() < 1e-3, "{side}");
        for (found, expected) in found.policy.iter().zip(&expected.policy) {
            assert!(
                (found - expected).abs() < 1e-3,
                "{side}: {found}, {expected}"
            );
        }
    }
}

/// Plays a game of likely moves with candle's operations, until both sides pass or `max_moves` moves have been played.
fn play_legal_game(spec: &NetSpec, side: usize, max_moves: usize) {
    let network = Network::with_backend(spec, &Backend::default()).unwrap();
    let evaluator = NetworkEvaluator::new(network, Profile::default()).unwrap();
    let mut position = Position::new(size(side, side), Rules::default());
    let mut passes = 0;
    for _ in 0..max_moves {
        let policy = evaluate(&evaluator, Request::new(&position)).policy;
        let best = (0..policy.len()).max_by(|a, b| policy[*a].total_cmp(&policy[*b]));
        let mv = match best.unwrap() {
            index if index < position.size().area() => Move::Play(position.size().point_at(index)),
            _ => Move::Pass,
        };
        passes = if mv == Move::Pass { passes + 1 } else { 0 };
        position.play(position.to_move(), mv).unwrap();
        if passes == 2 {
            return;
        }
    }
}

#[test]
fn all_kinds_of_networks_play_in_candle() {
    let all: Vec<usize> = (0..KINDS).collect();
    for version in [3, 7, 8, 17] {
        let spec = drawn::katago(version, Extras::default(), 3, &all);
        play_legal_game(&spec, 9, 250);
    }
    play_legal_game(&from_bytes(&stored::bytes("classic")).unwrap(), 9, 250);
    let planes = Encoding::FULL.plane_count();
    play_legal_game(
        &drawn::honinbo(planes, Encoding::FULL.global_count(), 3),
        9,
        250,
    );
    play_legal_game(&drawn::leela_zero(3, false, 3), 19, 40);
}

#[test]
fn wrong_results_are_rejected() {
    let net = |seed| drawn::katago(16, Extras::default(), seed, &[0]);
    let network = |seed| Network::with_backend(&net(seed), &Backend::default()).unwrap();
    check_agrees_with_cpu(&network(1), &network(1)).unwrap();
    let differ = (2..8).filter(|&seed| check_agrees_with_cpu(&network(seed), &network(1)).is_err());
    assert!(differ.count() > 0);
}
