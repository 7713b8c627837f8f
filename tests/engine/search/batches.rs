//! Several leaves per evaluator call: sizes of the batches, and the same invariants of the tree as with single leaves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use honinbo::eval::cache::Cache;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::point::{Move, Point};
use honinbo::game::position::Position;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::search::restriction::Restriction;
use honinbo::search::{Search, default_batch_size};
use parking_lot::Mutex;

use crate::evaluator_fn::evaluator_fn;
use crate::search::{
    arbitrary, batch_search, check_tree, empty_board, flat, result_only_params, run, run_restricted,
};

/// An evaluator that records the number of positions of each call, and prefers batches of 64 positions.
#[derive(Default)]
struct BatchRecorder {
    sizes: Mutex<Vec<usize>>,
}

impl BatchRecorder {
    fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().clone()
    }
}

impl Evaluator for BatchRecorder {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.sizes.lock().push(requests.len());
        for (request, evaluation) in requests.iter().zip(evaluations) {
            *evaluation = arbitrary(request.position);
            if request.ownership {
                evaluation.ownership = vec![0.25; request.position.size().area()];
            }
        }
        Ok(())
    }

    fn batch_hint(&self, threads: usize) -> usize {
        64 / threads
    }
}

/// Searches an empty 7x7 board, where few games end within the search, and returns the sizes of all batches.
fn recorded_sizes(threads: usize, batch_size: usize, visits: u64) -> Vec<usize> {
    let recorder = Arc::new(BatchRecorder::default());
    let evaluator = Arc::<BatchRecorder>::clone(&recorder);
    let root = empty_board(7, "chinese");
    let mut search = batch_search(
        evaluator,
        &root,
        result_only_params(),
        (threads, batch_size),
    );
    assert_eq!(u64::from(run(&mut search, visits).visits), visits);
    check_tree(&search, &|position| arbitrary(position).value);
    recorder.sizes()
}

#[test]
fn batches_grow_to_the_requested_size() {
    let sizes = recorded_sizes(1, 1, 300);
    assert!(sizes.iter().all(|&size| size == 1), "{sizes:?}");
    for batch_size in [2, 8, 32] {
        let sizes = recorded_sizes(1, batch_size, 10_000);
        assert!(sizes.iter().all(|&size| size <= batch_size), "{sizes:?}");
        let mut visits = 0;
        for &size in &sizes {
            assert!(
                size <= 1 + visits / 64,
                "{size} leaves after {visits} visits"
            );
            visits += size;
        }
        let late = &sizes[sizes.len() / 2..];
        let mean = late.iter().sum::<usize>() as f64 / late.len() as f64;
        assert!(mean > 0.7 * batch_size as f64, "{batch_size}: {mean}");
    }
    let sizes = recorded_sizes(4, 8, 3_000);
    assert!(sizes.iter().all(|&size| size <= 8), "{sizes:?}");
    assert!(sizes.contains(&8) && sizes.len() < 1_500, "{}", sizes.len());
}

#[test]
fn default_batch_size_depends_on_evaluator_and_threads() {
    let recorder = BatchRecorder::default();
    for (threads, expected) in [(1, 1), (2, 32), (16, 4), (64, 1), (100, 1)] {
        assert_eq!(default_batch_size(&recorder, threads), expected);
    }
    let wrapped = Cache::new(recorder, 1);
    assert_eq!(default_batch_size(&wrapped, 2), 32, "wrappers pass it on");
    let plain = evaluator_fn(|position| Ok(arbitrary(position)));
    assert_eq!(default_batch_size(&*plain, 8), 1);
}

#[test]
fn sums_are_conserved_with_batches() {
    for (side, visits) in [(2, 3_000), (3, 3_000), (5, 2_000)] {
        for (threads, batch_size) in [(1, 4), (1, 64), (2, 16), (8, 8)] {
            let evaluator = evaluator_fn(|position| {
                let evaluation = arbitrary(position);
                std::thread::yield_now();
                Ok(evaluation)
            });
            let root = empty_board(side, "tromp-taylor");
            let shape = (threads, batch_size);
            let mut search = batch_search(evaluator, &root, result_only_params(), shape);
            let report = run(&mut search, visits);
            assert_eq!(u64::from(report.visits), visits, "{shape:?}");
            let stats = check_tree(&search, &|position| arbitrary(position).value);
            assert_eq!(stats.max_evaluations, 1, "a node is evaluated once");
            assert!(stats.expanded > 100, "{side}, {shape:?}: {stats:?}");
            let must_collide = side < 5;
            assert!(!must_collide || report.collisions > 0, "{side}, {shape:?}");
        }
    }
}

#[test]
fn visit_limit_is_exact_with_batches() {
    for shape in [(1, 2), (1, 16), (3, 5), (8, 64)] {
        let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
        let root = empty_board(3, "chinese");
        let mut search = batch_search(evaluator, &root, result_only_params(), shape);
        for visits in [1, 2, 3, 64, 65, 200, 201, 500] {
            assert_eq!(u64::from(run(&mut search, visits).visits), visits);
        }
    }
}

#[test]
fn partially_expanded_nodes_expand_fully_with_batches() {
    let first = Move::Play(Point::at(3, 3));
    let params = SearchParams {
        fpu_reduction: 0.0,
        root_fpu_reduction: 0.0,
        ..result_only_params()
    };
    for shape in [(1, 16), (4, 8)] {
        let evaluator = evaluator_fn(|position| Ok(flat(position, 0.0)));
        let mut search = batch_search(evaluator, &empty_board(7, "chinese"), params.clone(), shape);
        let report = run_restricted(&mut search, 4_000, Restriction::only(vec![first]));
        assert_eq!(report.visits, 4_000);
        let stats = check_tree(&search, &|_| 0.0);
        assert_eq!(stats.max_evaluations, 1);
        assert!(stats.expanded_later > 1, "{stats:?}");
    }
}

#[test]
fn one_thread_with_batches_is_reproducible() {
    let run = || {
        let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
        let params = SearchParams {
            root_noise: 0.25,
            wide_root_noise: 0.1,
            ..SearchParams::default()
        };
        let mut search = batch_search(evaluator, &empty_board(5, "chinese"), params, (1, 16));
        run(&mut search, 1_000)
    };
    assert_eq!(run(), run());
}

/// Wraps a function that fails or panics in one of its calls. Later calls succeed.
fn failing_search(
    failing: u32,
    shape: (usize, usize),
    fail: fn() -> Result<Evaluation, EvalError>,
) -> Search {
    let calls = AtomicU32::new(0);
    let evaluator = evaluator_fn(move |position: &Position| {
        if calls.fetch_add(1, Ordering::Relaxed) == failing {
            return fail();
        }
        Ok(arbitrary(position))
    });
    batch_search(
        evaluator,
        &empty_board(4, "chinese"),
        result_only_params(),
        shape,
    )
}

#[test]
fn failed_batch_leaves_tree_consistent() {
    let error = || Err(EvalError::Network("out of order".to_owned()));
    let not_finite = || {
        Ok(Evaluation {
            policy: vec![0.0; 17],
            value: f32::NAN,
            ..Evaluation::default()
        })
    };
    for fail in [error, not_finite] {
        for shape in [(1, 8), (4, 16)] {
            for failing in [0, 137, 600] {
                let mut search = failing_search(failing, shape, fail);
                let result = search.run(SearchLimits::with_visits(100_000), Restriction::none());
                assert!(result.is_err(), "{shape:?}");
                check_tree(&search, &|position| arbitrary(position).value);
                let visits = u64::from(search.tree().root().visits()) + 200;
                assert_eq!(u64::from(run(&mut search, visits).visits), visits);
                check_tree(&search, &|position| arbitrary(position).value);
            }
        }
    }
    for shape in [(1, 8), (4, 16)] {
        let mut search = failing_search(600, shape, || panic!("for the test"));
        let result = search.run(SearchLimits::with_visits(100_000), Restriction::none());
        assert!(matches!(result, Err(EvalError::Panicked)), "{result:?}");
        assert_eq!(run(&mut search, 200).visits, 200);
        check_tree(&search, &|position| arbitrary(position).value);
    }
}

#[test]
fn stopped_batches_leave_no_playouts_in_flight() {
    let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
    let mut search = batch_search(
        evaluator,
        &empty_board(5, "chinese"),
        result_only_params(),
        (4, 16),
    );
    search.start(SearchLimits::default(), Restriction::none());
    while search.report().visits < 1_000 {
        assert!(!search.wait_for(Duration::ZERO), "it ended by itself");
    }
    search.stop();
    check_tree(&search, &|position| arbitrary(position).value);
    let limits = SearchLimits {
        time: Some(Duration::ZERO),
        ..SearchLimits::default()
    };
    let before = search.report().visits;
    let report = search.run(limits, Restriction::none()).expect("no failure");
    assert_eq!(
        report.visits, before,
        "no batch starts after the time limit"
    );
}

#[test]
fn ownership_is_averaged_over_all_leaves() {
    let recorder = Arc::new(BatchRecorder::default());
    let root = empty_board(5, "japanese");
    let mut search = batch_search(recorder, &root, result_only_params(), (1, 8));
    let limits = SearchLimits {
        ownership: true,
        per_move_stats: true,
        ..SearchLimits::with_visits(500)
    };
    let report = search.run(limits, Restriction::none()).expect("no failure");
    // Each position is evaluated in favour of the side to move, so the mean depends on the number of leaves at even
    // depths; the mean of the squares does not.
    let squares = |stats: &honinbo::search::ownership_stats::OwnershipStats| {
        let mean = f64::from(stats.ownership[3]);
        let deviation = f64::from(stats.ownership_deviation[3]);
        mean * mean + deviation * deviation
    };
    assert!((squares(&report.stats) - 0.0625).abs() < 1e-4);
    for report in report.moves.iter().filter(|report| report.visits > 0) {
        assert!((squares(&report.stats) - 0.0625).abs() < 1e-4);
    }
}
