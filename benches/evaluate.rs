//! Evaluations by networks (see the module `networks`) and by playouts, in one thread.
//!
//! Measures each network with the CPU kernels (`kernels`) and with candle's operations (`candle`).

mod networks;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::rollout::RolloutEvaluator;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::net::candle::device::Backend;
use honinbo::net::formats;
use honinbo::net::model::Network;

/// Numbers of positions per evaluation.
const BATCHES: [usize; 2] = [1, 4];

fn measure(criterion: &mut Criterion, name: &str, evaluator: &dyn Evaluator) {
    let mut group = criterion.benchmark_group(name);
    for side in [9, 19] {
        let size = BoardSize::new(side, side).expect("a valid size");
        let position = Position::new(size, Rules::default());
        for batch in BATCHES {
            let requests = vec![Request::new(&position); batch];
            let mut evaluations = vec![Evaluation::default(); batch];
            group.throughput(Throughput::Elements(batch as u64));
            group.bench_function(format!("{size} by {batch}"), |bencher| {
                bencher.iter(|| evaluator.evaluate(&requests, &mut evaluations));
            });
        }
    }
}

fn evaluations(criterion: &mut Criterion) {
    for file in networks::files() {
        let spec = formats::read(&file).expect("a valid network");
        let kernels = Network::new(&spec).expect("an instruction set of this processor");
        for (executor, network) in [
            ("kernels", kernels),
            (
                "candle",
                Network::with_backend(&spec, &Backend::default()).unwrap(),
            ),
        ] {
            let evaluator = NetworkEvaluator::new(network, Profile::default());
            let evaluator = evaluator.expect("a network with known inputs");
            measure(criterion, &format!("{} {executor}", spec.name), &evaluator);
        }
    }
    measure(criterion, "rollout", &RolloutEvaluator::default());
}

criterion_group!(benches, evaluations);
criterion_main!(benches);
