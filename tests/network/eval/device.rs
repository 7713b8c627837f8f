//! Devices of networks: candle's operations lead to the same moves as the CPU kernels, and a GPU with wrong results is
//! rejected.

use crate::nets::drawn::{self, Extras};
use honinbo::eval::device::{DeviceConfig, check_agrees_with_cpu};
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Request, embedded};
use honinbo::game::symmetry::Symmetry;
use honinbo::net::candle::device::{Backend, DeviceChoice};
use honinbo::net::model::Network;
use honinbo::net::precision::Precision;
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

#[test]
fn wrong_results_are_rejected() {
    let net = |seed| drawn::katago(16, Extras::default(), seed, &[0]);
    let network = |seed| Network::with_backend(&net(seed), &Backend::default()).unwrap();
    check_agrees_with_cpu(&network(1), &network(1)).unwrap();
    let differ = (2..8).filter(|&seed| check_agrees_with_cpu(&network(seed), &network(1)).is_err());
    assert!(differ.count() > 0);
}
