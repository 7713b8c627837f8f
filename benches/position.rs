//! Work that a search does for each position before the evaluation: copying the position and playing a move, listing
//! the legal moves, hashing and encoding.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use honinbo::encode::{Encoder, Encoding};
use honinbo::game::point::{BoardSize, Move, Point};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

/// Returns a position from the middle of a random game.
fn middle_game(side: usize) -> Position {
    let size = BoardSize::new(side, side).expect("a valid size");
    let mut rng = Rng::new(1);
    let mut position = Position::new(size, Rules::default());
    for _ in 0..size.area() / 2 {
        let legal: Vec<Point> = position.legal_points().iter().collect();
        let point = legal[rng.below(legal.len())];
        position.play_unchecked(position.to_move(), Move::Play(point));
    }
    position
}

fn positions(criterion: &mut Criterion) {
    for side in [9, 19] {
        let position = middle_game(side);
        let mut group = criterion.benchmark_group(position.size().to_string());
        group.bench_function("legal moves", |bencher| {
            bencher.iter(|| black_box(&position).legal_points());
        });
        group.bench_function("hash", |bencher| {
            bencher.iter(|| black_box(&position).state_hash());
        });
        let mut copy = position.clone();
        let legal: Vec<Point> = position.legal_points().iter().collect();
        let mut next = legal.iter().cycle();
        group.bench_function("copy and play", |bencher| {
            bencher.iter(|| {
                copy.clone_from(&position);
                if let Some(&point) = next.next() {
                    copy.play_unchecked(copy.to_move(), Move::Play(point));
                }
            });
        });
        let mut encoder = Encoder::default();
        for (name, encoding) in [
            ("encode", Encoding::FULL),
            ("encode classic", Encoding::CLASSIC),
        ] {
            let mut planes = vec![0.0; encoding.plane_count() * position.size().area()];
            let mut globals = vec![0.0; encoding.global_count()];
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let identity = Symmetry::IDENTITY;
                    encoder.encode(encoding, &position, identity, &mut planes, &mut globals);
                });
            });
        }
    }
}

criterion_group!(benches, positions);
criterion_main!(benches);
