//! Tactical reading: all ladders on a board, which the network's input planes require, and attacks on all chains within
//! a few plies.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use honinbo::game::board::Board;
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Point};
use honinbo::random::Rng;
use honinbo::tactics::eye::is_eye_like;
use honinbo::tactics::ladder::LadderReader;
use honinbo::tactics::reading::{CaptureReader, ReadingLimits, ReadingSide};

/// Returns the board after `moves` random moves that do not fill eyes. Such a board has far more capturing races than
/// the boards of real games.
fn random_game(moves: usize) -> Board {
    let mut rng = Rng::new(1);
    let mut board = Board::new(BoardSize::STANDARD);
    let mut color = Color::Black;
    for _ in 0..moves {
        let open: Vec<Point> = board
            .empty_points()
            .iter()
            .filter(|&point| !board.is_suicide(color, point) && !is_eye_like(&board, color, point))
            .collect();
        board.place(color, open[rng.below(open.len())]);
        color = color.opposite();
    }
    board
}

fn ladders(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ladders of 19x19");
    for moves in [60, 120, 180, 240] {
        let board = random_game(moves);
        let mut reader = LadderReader::new();
        group.bench_function(format!("after {moves} random moves"), |bencher| {
            bencher.iter(|| {
                Color::BOTH
                    .map(|defender| reader.ladders_against(black_box(&board), defender, None))
            });
        });
    }
}

/// Measures attacks on all chains. Uses a new reader for each iteration, because a reader caches its results.
fn captures(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("attacks on all chains of 19x19");
    for plies in [3, 5, 7] {
        let board = random_game(120);
        let limits = ReadingLimits {
            plies,
            ..ReadingLimits::default()
        };
        group.bench_function(format!("within {plies} plies"), |bencher| {
            bencher.iter_batched_ref(
                CaptureReader::default,
                |reader| {
                    for chain in board.chains() {
                        let target = chain.stones.first().expect("a chain has a stone");
                        black_box(reader.read(&board, target, ReadingSide::Maker, None, limits))
                            .expect("a stone");
                    }
                },
                criterion::BatchSize::LargeInput,
            );
        });
    }
}

criterion_group!(benches, ladders, captures);
criterion_main!(benches);
