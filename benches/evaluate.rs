//! Evaluations by the default network and by playouts, one thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use honinbo::eval::rollout::Rollout;
use honinbo::eval::{Evaluation, Evaluator, Request, embedded};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;

fn evaluations(criterion: &mut Criterion) {
    let network = embedded::network().expect("the default network is usable");
    let rollout = Rollout::default();
    let evaluators: [(&str, &dyn Evaluator); 2] = [("network", &*network), ("rollout", &rollout)];
    for (name, evaluator) in evaluators {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(1));
        for side in [9, 19] {
            let size = BoardSize::new(side, side).expect("a side from 2 to 19");
            let position = Position::new(size, Rules::default());
            let mut answer = [Evaluation::default()];
            group.bench_function(size.to_string(), |bencher| {
                bencher.iter(|| evaluator.evaluate(&[Request::new(&position)], &mut answer));
            });
        }
    }
}

criterion_group!(benches, evaluations);
criterion_main!(benches);
