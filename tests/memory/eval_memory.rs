//! The cache keeps to its memory, however many answers come and go.

use honinbo::eval::cache::Cache;
use honinbo::eval::hashed::Hashed;
use honinbo::eval::{Evaluation, Evaluator, Request};
use honinbo::game::color::Color;
use honinbo::game::point::{BoardSize, Move};
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::random::Rng;

use crate::{MEMORY, measuring};

#[test]
fn a_cache_takes_no_more_than_its_bound() {
    let _guard = measuring();
    let mebibytes = 8;
    let size = BoardSize::new(9, 9).expect("a board");
    let mut rng = Rng::new(11);
    let mut answer = Evaluation::default();
    let before = MEMORY.current_usage();
    let cache = Cache::new(Hashed, mebibytes);
    let mut most = 0;
    // At first small answers, then large ones in their place, and small ones again.
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
        let answers = std::slice::from_mut(&mut answer);
        cache.evaluate(&[request], answers).expect("an answer");
        most = most.max(MEMORY.current_usage().saturating_sub(before));
    }
    let statistics = cache.stats();
    assert!(
        statistics.misses > 2 * statistics.entries as u64,
        "{statistics:?}"
    );
    assert!(most < mebibytes << 20, "{most} bytes: {statistics:?}");
    assert!(
        statistics.bytes > (mebibytes << 20) * 9 / 10,
        "{statistics:?}"
    );
}
