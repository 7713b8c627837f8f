//! Loading of networks (see the module `networks`), and their first evaluation.

mod networks;

use std::path::Path;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use honinbo::encode::katago::player_profile::Profile;
use honinbo::eval::device::DeviceConfig;
use honinbo::eval::network::NetworkEvaluator;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::net::precision::Precision;

fn read(file: &Path) -> NetworkEvaluator {
    NetworkEvaluator::read_calibrated(
        file,
        Profile::default(),
        DeviceConfig::on_cpu(Precision::Auto),
    )
    .expect("a valid network")
}

fn loading(criterion: &mut Criterion) {
    for file in networks::files() {
        let name = file.file_name().expect("a file").to_string_lossy();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        group.bench_function("load", |bencher| bencher.iter(|| read(&file)));
        let position = Position::new(BoardSize::STANDARD, Rules::default());
        let mut evaluation = [Evaluation::default()];
        group.bench_function("first evaluation", |bencher| {
            bencher.iter_batched_ref(
                || read(&file),
                |net| net.evaluate(&[Request::new(&position)], &mut evaluation),
                BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(benches, loading);
criterion_main!(benches);
