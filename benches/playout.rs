//! Random playouts from the empty board.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use honinbo::eval::random_playout::RandomPlayout;
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

fn playouts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playout");
    group.throughput(Throughput::Elements(1));
    for side in [9, 13, 19] {
        let size = BoardSize::new(side, side).expect("a valid size");
        let position = Position::new(size, Rules::default());
        let mut rng = Rng::new(1);
        let mut playout = RandomPlayout::default();
        group.bench_function(size.to_string(), |bencher| {
            bencher.iter(|| playout.run(black_box(&position), &mut rng));
        });
    }
}

criterion_group!(benches, playouts);
criterion_main!(benches);
