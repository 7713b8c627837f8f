//! The cache: unchanged results, fewer evaluations and bounded memory.

use std::sync::Arc;
use std::thread;

use honinbo::eval::cache::Cache;
use honinbo::eval::hashed::HashEvaluator;
use honinbo::eval::{EvalError, Evaluation, Evaluator, NUM_TOP_PRIORS, Request};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

use super::support::{
    AsymmetricEvaluator, FaultyEvaluator, evaluate, evaluate_all, positions, random_position, size,
};

fn requests(position: &Position) -> Vec<Request<'_>> {
    let request = |symmetry, ownership| Request {
        symmetry,
        ownership,
        ..Request::new(position)
    };
    Symmetry::for_size(position.size())
        .flat_map(|symmetry| [request(symmetry, false), request(symmetry, true)])
        .collect()
}

#[test]
fn cached_results_match_evaluator() {
    let positions = positions(7);
    let cache = Cache::new(AsymmetricEvaluator::default(), 64);
    for round in 0..3 {
        for position in &positions {
            let mut batch = requests(position);
            batch.rotate_left(round);
            assert_eq!(
                evaluate_all(&cache, &batch),
                evaluate_all(&AsymmetricEvaluator::default(), &batch)
            );
        }
    }
    let stats = cache.stats();
    assert!(stats.hits > 2 * stats.misses, "{stats:?}");
    cache.clear();
    assert_eq!(cache.stats(), Default::default());
}

#[test]
fn cached_positions_are_not_reevaluated() {
    let mut rng = Rng::new(8);
    let known: Vec<Position> = (1..9)
        .map(|moves| random_position(size(9, 9), moves, &mut rng))
        .collect();
    let inner = Arc::new(AsymmetricEvaluator::default());
    let cache = Cache::new(Arc::clone(&inner), 64);
    for position in known.iter().step_by(2) {
        evaluate(&cache, Request::new(position));
    }
    assert_eq!(inner.request_count(), 4);
    let batch: Vec<Request<'_>> = known.iter().map(Request::new).collect();
    evaluate_all(&cache, &batch);
    assert_eq!(*inner.calls.lock().unwrap(), [1, 1, 1, 1, 4]);
    // An entry without ownership cannot be used for a request with ownership, but the reverse is possible.
    let with_ownership = Request {
        ownership: true,
        ..batch[0]
    };
    assert_eq!(evaluate(&cache, with_ownership).ownership.len(), 81);
    assert_eq!(evaluate(&cache, batch[0]).ownership.len(), 0);
    assert_eq!(inner.request_count(), 9);
}

#[test]
fn highest_priors_are_cached_exactly() {
    for position in positions(7) {
        let cache = Cache::new(AsymmetricEvaluator::default(), 64);
        let full = evaluate(&AsymmetricEvaluator::default(), Request::new(&position));
        let first = Request {
            all_moves: false,
            ..Request::new(&position)
        };
        assert_eq!(evaluate(&cache, first), full);
        let cached = evaluate(&cache, first);
        assert_eq!(cached.policy.len(), full.policy.len());
        assert_eq!(
            (cached.value, cached.score_lead),
            (full.value, full.score_lead)
        );
        // Equal priors are ordered by index.
        let mut order: Vec<usize> = (0..full.policy.len()).collect();
        order.sort_by(|&a, &b| full.policy[b].total_cmp(&full.policy[a]));
        for (rank, index) in order.into_iter().enumerate() {
            let expected = if rank < NUM_TOP_PRIORS {
                full.policy[index]
            } else {
                0.0
            };
            assert_eq!(cached.policy[index], expected, "rank {rank}");
        }
        let few = cache.stats();
        assert_eq!((few.hits, few.misses), (1, 1));
        // The entry is insufficient for a request for all moves. Its replacement can be used for both requests.
        assert_eq!(evaluate(&cache, Request::new(&position)), full);
        assert_eq!(evaluate(&cache, first), full);
        let all = cache.stats();
        assert_eq!((all.hits, all.misses, all.entries), (2, 2, 1));
        assert!(all.bytes > few.bytes || full.policy.len() < 2 * NUM_TOP_PRIORS);
    }
}

#[test]
fn ko_distinguishes_positions() {
    let board = diagram::parse_board(
        ". X O .
         X O . O
         . X O .
         . . . .",
    )
    .unwrap();
    let mut captured = Position::from_board(board, Color::Black, Rules::default());
    let capture = captured.size().parse_move("C3").unwrap();
    captured.play(Color::Black, capture).unwrap();
    assert_eq!(captured.ko_points().len(), 1);
    // The same stones and side to move, but without the ko.
    let open = Position::from_board(captured.board().clone(), Color::White, Rules::default());
    let cache = Cache::new(HashEvaluator, 8);
    let [with, without] =
        [&captured, &open].map(|position| evaluate(&cache, Request::new(position)));
    let back = captured.size().index(captured.ko_points().first().unwrap());
    assert_eq!(with.policy[back], 0.0);
    assert!(without.policy[back] > 0.0);
    assert_eq!(cache.stats().misses, 2);
}

#[test]
fn prisoners_distinguish_positions_under_territory_scoring() {
    let misses = |rules: &str| {
        let rules = Rules::parse(rules).unwrap();
        let position = |moves: &str| {
            let mut position = Position::new(size(5, 5), rules);
            for (turn, vertex) in moves.split(' ').enumerate() {
                let mv = position.size().parse_move(vertex).unwrap();
                position
                    .play([Color::Black, Color::White][turn % 2], mv)
                    .unwrap();
            }
            position
        };
        // White passes, or plays a stone that is captured.
        let (passed, thrown) = (position("A2 pass B1"), position("A2 A1 B1"));
        assert_eq!(passed.board(), thrown.board());
        let cache = Cache::new(HashEvaluator, 8);
        for position in [&passed, &thrown] {
            evaluate(&cache, Request::new(position));
        }
        cache.stats().misses
    };
    assert_eq!(misses("japanese"), 2);
    assert_eq!(misses("chinese"), 1);
}

#[test]
fn memory_is_bounded_with_many_threads() {
    let mebibytes = 1;
    let cache = Cache::new(HashEvaluator, mebibytes);
    thread::scope(|scope| {
        for thread in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                // Pairs of threads send the same requests.
                let mut rng = Rng::new(thread / 2);
                for _ in 0..400 {
                    let moves = rng.below(120);
                    let position = random_position(size(9, 9), moves, &mut rng);
                    let request = Request {
                        ownership: rng.chance(0.3),
                        ..Request::new(&position)
                    };
                    assert_eq!(evaluate(cache, request), evaluate(&HashEvaluator, request));
                    assert!(cache.stats().bytes <= mebibytes << 20);
                }
            });
        }
    });
    let stats = cache.stats();
    assert_eq!(stats.hits + stats.misses, 8 * 400);
    // Entries have been evicted. Each has at least 81 priors.
    assert!(stats.bytes > (mebibytes << 20) * 3 / 4, "{stats:?}");
    assert!(stats.entries * 82 * 4 <= stats.bytes, "{stats:?}");
    assert!((stats.entries as u64) < stats.misses);
}

#[test]
fn recently_used_entries_are_not_evicted() {
    let mut rng = Rng::new(9);
    let frequent = random_position(size(19, 19), 30, &mut rng);
    let cache = Cache::new(HashEvaluator, 1);
    evaluate(&cache, Request::new(&frequent));
    for moves in 0..3_000 {
        let other = random_position(size(19, 19), 1 + moves % 5, &mut rng);
        evaluate(&cache, Request::new(&other));
        let before = cache.stats();
        evaluate(&cache, Request::new(&frequent));
        // The cache has space for a few hundred entries. The entry stays in it while thousands of others are added.
        assert_eq!(cache.stats().hits, before.hits + 1, "{before:?}");
    }
}

#[test]
fn non_finite_evaluations_are_not_cached() {
    let mut rng = Rng::new(10);
    let [good, bad] = [1, 2].map(|moves| random_position(size(9, 9), moves, &mut rng));
    let faulty = FaultyEvaluator {
        at: 2,
        fails: false,
    };
    let cache = Cache::new(faulty, 8);
    for _ in 0..2 {
        let batch = [Request::new(&good), Request::new(&bad)];
        let mut evaluations = vec![Evaluation::default(); 2];
        let error = cache.evaluate(&batch, &mut evaluations).unwrap_err();
        assert!(matches!(error, EvalError::NotFinite { part: "value", .. }));
    }
    assert_eq!(evaluate(&cache, Request::new(&good)).value, 0.5);
}
