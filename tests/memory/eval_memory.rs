//! The memory limit of the evaluation cache.

use honinbo::eval::cache::Cache;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

use crate::{MEMORY, measuring};

#[test]
fn cache_stays_within_memory_limit() {
    let _guard = measuring();
    let mebibytes = 8;
    let size = BoardSize::new(9, 9).expect("a board");
    let mut rng = Rng::new(11);
    let mut evaluation = Evaluation::default();
    let before = MEMORY.current_usage();
    let cache = Cache::new(HashEvaluator, mebibytes);
    let mut peak = 0;
    // Small entries at first, then large ones that replace them, and small ones again.
    for number in 0..100_000 {
        let large = (60_000..80_000).contains(&number);
        let mut position = Position::new(size, Rules::default());
        for turn in 0..6 {
            let points = position.legal_points();
            let point = points.iter().nth(rng.below(points.len()));
            position.play_unchecked(
                Color::BOTH[turn % 2],
                Move::Play(point.expect("a legal point")),
            );
        }
        let request = Request {
            all_moves: large,
            ownership: large,
            ..Request::new(&position)
        };
        let evaluations = std::slice::from_mut(&mut evaluation);
        cache
            .evaluate(&[request], evaluations)
            .expect("an evaluation");
        peak = peak.max(MEMORY.current_usage().saturating_sub(before));
    }
    let stats = cache.stats();
    assert!(stats.misses > 2 * stats.entries as u64, "{stats:?}");
    assert!(peak < mebibytes << 20, "{peak} bytes: {stats:?}");
    assert!(stats.bytes > (mebibytes << 20) * 9 / 10, "{stats:?}");
}
