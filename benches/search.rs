//! Searches that start with an empty tree and use the cheap hashed evaluator, so that operations on the tree and on
//! positions dominate the running time.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use honinbo::bench::{bench_positions, measure_hashed_search};

const VISITS: u64 = 2_000;

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Elements(VISITS));
    group.sample_size(20);
    for case in bench_positions() {
        group.bench_function(BenchmarkId::from_parameter(case.name), |bencher| {
            bencher.iter(|| measure_hashed_search(&case.position, VISITS));
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
