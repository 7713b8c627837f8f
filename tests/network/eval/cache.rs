//! The cache: the same answers, fewer questions, bounded memory.

use std::thread;

use honinbo::eval::cache::Cache;
use honinbo::eval::hashed::Hashed;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request, TOP_MOVES};
use honinbo::game::color::Color;
use honinbo::game::diagram;
use honinbo::game::position::Position;
use honinbo::game::rules::Rules;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

use super::support::{Faulty, Lopsided, ask, positions, random_position, size};

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
fn answers_are_those_of_the_evaluator_first_and_later() {
    let positions = positions(7);
    let cache = Cache::new(Lopsided::default(), 64);
    for round in 0..3 {
        for position in &positions {
            let mut batch = requests(position);
            batch.rotate_left(round);
            let mut answers = vec![Evaluation::default(); batch.len()];
            cache.evaluate(&batch, &mut answers).unwrap();
            for (request, answer) in batch.iter().zip(&answers) {
                assert_eq!(*answer, ask(&Lopsided::default(), *request));
            }
        }
    }
    let statistics = cache.stats();
    assert!(statistics.hits > 2 * statistics.misses, "{statistics:?}");
    cache.clear();
    assert_eq!(cache.stats(), Default::default());
}

#[test]
fn what_is_known_is_not_asked_again() {
    let mut rng = Rng::new(8);
    let known: Vec<Position> = (1..9)
        .map(|moves| random_position(size(9, 9), moves, &mut rng))
        .collect();
    let inner = std::sync::Arc::new(Lopsided::default());
    let cache = Cache::new(std::sync::Arc::clone(&inner), 64);
    for position in known.iter().step_by(2) {
        ask(&cache, Request::new(position));
    }
    assert_eq!(inner.asked(), 4);
    let batch: Vec<Request<'_>> = known.iter().map(Request::new).collect();
    let mut answers = vec![Evaluation::default(); batch.len()];
    cache.evaluate(&batch, &mut answers).unwrap();
    assert_eq!(*inner.calls.lock().unwrap(), [1, 1, 1, 1, 4]);
    // An answer without ownership does not serve a request for it, the other way round it does.
    let wanted = Request {
        ownership: true,
        ..batch[0]
    };
    assert_eq!(ask(&cache, wanted).ownership.len(), 81);
    assert_eq!(ask(&cache, batch[0]).ownership.len(), 0);
    assert_eq!(inner.asked(), 9);
}

#[test]
fn of_the_first_moves_alone_the_highest_priors_are_remembered_exactly() {
    for position in positions(7) {
        let cache = Cache::new(Lopsided::default(), 64);
        let whole = ask(&Lopsided::default(), Request::new(&position));
        let first = Request {
            all_moves: false,
            ..Request::new(&position)
        };
        assert_eq!(ask(&cache, first), whole);
        let remembered = ask(&cache, first);
        assert_eq!(remembered.policy.len(), whole.policy.len());
        assert_eq!(
            (remembered.value, remembered.score_lead),
            (whole.value, whole.score_lead)
        );
        // The highest first, of equals the first in order.
        let mut order: Vec<usize> = (0..whole.policy.len()).collect();
        order.sort_by(|&a, &b| whole.policy[b].total_cmp(&whole.policy[a]));
        for (rank, place) in order.into_iter().enumerate() {
            let kept = if rank < TOP_MOVES {
                whole.policy[place]
            } else {
                0.0
            };
            assert_eq!(remembered.policy[place], kept, "rank {rank}");
        }
        let few = cache.stats();
        assert_eq!((few.hits, few.misses), (1, 1));
        // It does not serve who wants all; that serves everybody, and takes its place.
        assert_eq!(ask(&cache, Request::new(&position)), whole);
        assert_eq!(ask(&cache, first), whole);
        let all = cache.stats();
        assert_eq!((all.hits, all.misses, all.entries), (2, 2, 1));
        assert!(all.bytes > few.bytes || whole.policy.len() < 2 * TOP_MOVES);
    }
}

#[test]
fn a_ko_makes_another_position() {
    let board = diagram::parse(
        ". X O .
         X O . O
         . X O .
         . . . .",
    )
    .unwrap();
    let mut taken = Position::from_board(board, Color::Black, Rules::default());
    let take = taken.size().parse_move("C3").unwrap();
    taken.play(Color::Black, take).unwrap();
    assert_eq!(taken.ko_points().len(), 1);
    // The same stones and turn, but the ko is open.
    let open = Position::from_board(taken.board().clone(), Color::White, Rules::default());
    let cache = Cache::new(Hashed, 8);
    let (with, without) = (
        ask(&cache, Request::new(&taken)),
        ask(&cache, Request::new(&open)),
    );
    let back = taken.size().index(taken.ko_points().first().unwrap());
    assert_eq!(with.policy[back], 0.0);
    assert!(without.policy[back] > 0.0);
    assert_eq!(cache.stats().misses, 2);
}

#[test]
fn prisoners_make_another_position_where_they_count() {
    let misses = |rules: &str| {
        let rules = Rules::named(rules).unwrap();
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
        // White passes, or throws a stone away.
        let (passed, thrown) = (position("A2 pass B1"), position("A2 A1 B1"));
        assert_eq!(passed.board(), thrown.board());
        let cache = Cache::new(Hashed, 8);
        for position in [&passed, &thrown] {
            ask(&cache, Request::new(position));
        }
        cache.stats().misses
    };
    assert_eq!(misses("japanese"), 2);
    assert_eq!(misses("chinese"), 1);
}

#[test]
fn memory_is_bounded_and_threads_get_their_own_answers() {
    let mebibytes = 1;
    let cache = Cache::new(Hashed, mebibytes);
    thread::scope(|scope| {
        for thread in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                // Pairs of threads ask the same questions.
                let mut rng = Rng::new(thread / 2);
                for _ in 0..400 {
                    let moves = rng.below(120);
                    let position = random_position(size(9, 9), moves, &mut rng);
                    let request = Request {
                        ownership: rng.chance(0.3),
                        ..Request::new(&position)
                    };
                    assert_eq!(ask(cache, request), ask(&Hashed, request));
                    assert!(cache.stats().bytes <= mebibytes << 20);
                }
            });
        }
    });
    let statistics = cache.stats();
    assert_eq!(statistics.hits + statistics.misses, 8 * 400);
    // Full, so that answers have been dropped; each takes 81 priors and perhaps owners.
    assert!(
        statistics.bytes > (mebibytes << 20) * 3 / 4,
        "{statistics:?}"
    );
    assert!(
        statistics.entries * 82 * 4 <= statistics.bytes,
        "{statistics:?}"
    );
    assert!((statistics.entries as u64) < statistics.misses);
}

#[test]
fn what_is_asked_again_stays_longest() {
    let mut rng = Rng::new(9);
    let favourite = random_position(size(19, 19), 30, &mut rng);
    let cache = Cache::new(Hashed, 1);
    ask(&cache, Request::new(&favourite));
    for moves in 0..3_000 {
        ask(
            &cache,
            Request::new(&random_position(size(19, 19), 1 + moves % 5, &mut rng)),
        );
        let before = cache.stats();
        ask(&cache, Request::new(&favourite));
        // Of a few hundred places the favourite kept one through thousands of others.
        assert_eq!(cache.stats().hits, before.hits + 1, "{before:?}");
    }
}

#[test]
fn answers_that_are_no_numbers_are_errors_and_not_kept() {
    let mut rng = Rng::new(10);
    let (good, bad) = (
        random_position(size(9, 9), 1, &mut rng),
        random_position(size(9, 9), 2, &mut rng),
    );
    let cache = Cache::new(
        Faulty {
            at: 2,
            fails: false,
        },
        8,
    );
    for _ in 0..2 {
        let batch = [Request::new(&good), Request::new(&bad)];
        let mut answers = vec![Evaluation::default(); 2];
        let error = cache.evaluate(&batch, &mut answers).unwrap_err();
        assert!(matches!(error, EvalError::NotFinite { part: "value", .. }));
    }
    assert_eq!(ask(&cache, Request::new(&good)).value, 0.5);
}
