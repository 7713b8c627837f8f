//! Many threads on one tree: consistent counts and sums, exact limits, reported errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use honinbo::eval::swap::SwappableEvaluator;
use honinbo::eval::{EvalError, Evaluator};
use honinbo::game::point::{Move, Point};
use honinbo::search::early_stop::TimeTarget;
use honinbo::search::limits::SearchLimits;
use honinbo::search::params::SearchParams;
use honinbo::search::report::Report;
use honinbo::search::restriction::Restriction;
use honinbo::search::{Search, SearchConfig};

use crate::evaluator_fn::evaluator_fn;
use crate::search::{
    TREE_BYTES, after, arbitrary, arbitrary_search, check_tree, empty_board, flat,
    result_only_params, run, run_restricted, search,
};

#[test]
fn sums_are_conserved_with_many_threads() {
    // Threads collide more often on smaller boards. On 2x2 most lines end with two passes.
    for (side, visits) in [(2, 3_000), (3, 3_000), (5, 2_000)] {
        for threads in [1, 2, 8] {
            let evaluator = evaluator_fn(|position| {
                let evaluation = arbitrary(position);
                std::thread::yield_now();
                Ok(evaluation)
            });
            let root = empty_board(side, "tromp-taylor");
            let mut search = search(evaluator, &root, result_only_params(), threads);
            run(&mut search, visits);
            let stats = check_tree(&search, &|position| arbitrary(position).value);
            assert_eq!(u64::from(search.tree().root().visits()), visits);
            assert_eq!(stats.max_evaluations, 1, "a node is evaluated once");
            assert!(stats.expanded > 100, "{side}, {threads}: {stats:?}");
            assert!(
                side == 5 || stats.ended > 10,
                "{side}, {threads}: {stats:?}"
            );
            assert!(side > 2 || stats.forbidden_by_ko > 10, "{stats:?}");
        }
    }
}

#[test]
fn only_active_threads_work() {
    let (running, most) = (AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
    let observed = Arc::clone(&most);
    let evaluator = evaluator_fn(move |position| {
        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
        observed.fetch_max(now, Ordering::SeqCst);
        std::thread::yield_now();
        running.fetch_sub(1, Ordering::SeqCst);
        Ok(arbitrary(position))
    });
    let root = empty_board(5, "tromp-taylor");
    let mut search = search(evaluator, &root, result_only_params(), 8);
    for (active, limit) in [(0, 1), (1, 1), (2, 2), (99, 8)] {
        most.store(0, Ordering::SeqCst);
        search.clear_tree_and_table();
        search.set_active_threads(active);
        run(&mut search, 2_000);
        assert_eq!(search.tree().root().visits(), 2_000);
        let most = most.load(Ordering::SeqCst);
        assert!((1..=limit).contains(&most), "{active}: {most}");
    }
    // Waiting threads do not keep a search from being stopped.
    search.set_active_threads(1);
    search.start(SearchLimits::default(), Restriction::none());
    search.stop();
    // They start to work when the limit rises.
    most.store(0, Ordering::SeqCst);
    search.start(SearchLimits::default(), Restriction::none());
    search.set_active_threads(2);
    while most.load(Ordering::SeqCst) < 2 {
        std::thread::yield_now();
    }
    search.stop();
}

/// Returns an evaluator that counts its evaluations and calls `act` with the count.
fn counted(act: impl Fn(u32) + Send + Sync + 'static) -> (Arc<dyn Evaluator>, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&count);
    let evaluator = evaluator_fn(move |position| {
        act(counter.fetch_add(1, Ordering::Relaxed));
        Ok(arbitrary(position))
    });
    (evaluator, count)
}

#[test]
fn evaluator_is_replaced_between_searches() {
    for threads in [1, 4] {
        let (new, new_count) = counted(|_| ());
        let swap = Arc::new(SwappableEvaluator::new(Arc::clone(&new)));
        let (weak, replacement) = (Arc::downgrade(&swap), new);
        // The evaluator is replaced in the middle of the first search.
        let (old, old_count) = counted(move |count| {
            if let (10, Some(swap)) = (count, weak.upgrade()) {
                swap.replace(Arc::clone(&replacement));
            }
        });
        swap.replace(old);
        let evaluator = Arc::<SwappableEvaluator>::clone(&swap);
        let root = empty_board(5, "chinese");
        let mut search = search(evaluator, &root, result_only_params(), threads);
        run(&mut search, 200);
        let (old, new) = [&old_count, &new_count]
            .map(|count| count.load(Ordering::Relaxed))
            .into();
        assert!(old > 11 && new == 0, "{old} {new}");
        run(&mut search, 400);
        assert_eq!(old_count.load(Ordering::Relaxed), old);
        assert!(new_count.load(Ordering::Relaxed) > 0);
    }
}

#[test]
fn visit_limit_is_exact() {
    for threads in 1..=8 {
        let mut search = arbitrary_search(&empty_board(3, "chinese"), threads);
        // Increasing limits, with a smaller one after a larger one, which leaves the tree unchanged.
        let mut max_visits = 0;
        for visits in [0, 1, 2, 3, 7, 64, 65, 40, 500] {
            let report = run(&mut search, visits);
            max_visits = max_visits.max(visits.max(1));
            assert_eq!(u64::from(report.visits), max_visits, "{threads} threads");
        }
    }
}

#[test]
fn single_threaded_search_is_reproducible() {
    let noisy = SearchParams {
        root_noise: 0.25,
        ..SearchParams::default()
    };
    let run = |params: &SearchParams, seed: u64| -> Report {
        let setup = SearchConfig {
            threads: 1,
            batch_size: 1,
            tree_bytes: TREE_BYTES,
            seed,
        };
        let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
        let root = empty_board(5, "chinese");
        let mut search = Search::new(evaluator, root, params.clone(), setup).expect("a thread");
        run(&mut search, 400)
    };
    assert_eq!(run(&noisy, 1), run(&noisy, 1));
    assert_ne!(run(&noisy, 1), run(&noisy, 2), "the seed makes the noise");
    let plain = SearchParams::default();
    assert_eq!(run(&plain, 1), run(&plain, 2), "no other randomness");
    assert_ne!(run(&plain, 1), run(&noisy, 1), "noise changes the visits");
    let wide = SearchParams {
        wide_root_noise: 0.3,
        ..SearchParams::default()
    };
    assert_eq!(run(&wide, 1), run(&wide, 1));
    assert_ne!(run(&wide, 1), run(&wide, 2));
    // The preferred move gets fewer visits, other moves get more.
    let max_visits = |params| run(params, 1).moves.iter().map(|mv| mv.visits).max();
    assert!(max_visits(&wide) < max_visits(&plain));
}

#[test]
fn root_noise_preserves_sums() {
    let params = SearchParams {
        root_noise: 1.0,
        ..result_only_params()
    };
    let evaluator = evaluator_fn(|position| Ok(arbitrary(position)));
    let mut search = search(evaluator, &empty_board(5, "chinese"), params, 4);
    // Two searches with different noise: the children are not in the order of the edges. Then the root moves.
    for visits in [300, 600] {
        run(&mut search, visits);
        check_tree(&search, &|position| arbitrary(position).value);
    }
    let best_move = search
        .report()
        .moves
        .into_iter()
        .max_by_key(|report| report.visits);
    let best_move = best_move.expect("moves were visited");
    search.set_root(&after(search.root(), &[best_move.mv]));
    assert_eq!(search.tree().root().visits(), best_move.visits);
    check_tree(&search, &|position| arbitrary(position).value);
}

#[test]
fn unlimited_search_ends_when_stopped() {
    let mut search = arbitrary_search(&empty_board(5, "chinese"), 4);
    search.start(SearchLimits::default(), Restriction::none());
    while search.report().visits < 200 {
        assert!(!search.wait_for(Duration::ZERO), "it ended by itself");
    }
    search.stop();
    assert!(search.wait_for(Duration::ZERO));
    assert!(search.report().visits >= 200);
    check_tree(&search, &|position| arbitrary(position).value);
    // Dropped while running: if the threads were not released, this test would not end.
    search.start(SearchLimits::default(), Restriction::none());
}

#[test]
fn time_limit_ends_search_with_move() {
    let mut search = arbitrary_search(&empty_board(5, "chinese"), 2);
    for time in [Duration::ZERO, Duration::from_millis(5)] {
        let limits = SearchLimits {
            time: Some(time),
            ..SearchLimits::default()
        };
        let report = search.run(limits, Restriction::none()).expect("no failure");
        assert!(report.visits >= 1 && !report.moves.is_empty());
    }
}

#[test]
fn forced_move_ends_search_early() {
    let root = empty_board(5, "chinese");
    let only = Restriction::only(vec![Move::Play(Point::at(2, 2))]);
    for carries_over in [false, true] {
        let mut search = arbitrary_search(&root, 2);
        let hour = Duration::from_secs(3_600);
        let limits = SearchLimits {
            time: Some(hour),
            time_target: Some(TimeTarget {
                target: hour,
                expected_value: None,
                carries_over,
            }),
            ..SearchLimits::with_visits(1_000_000)
        };
        let report = search.run(limits, only.clone()).expect("no failure");
        assert!(report.visits < 1_000_000, "{carries_over}");
    }
}

#[test]
fn slow_search_ends_at_target_time() {
    let mut search = arbitrary_search(&empty_board(5, "chinese"), 1);
    let limits = SearchLimits {
        time: Some(Duration::from_secs(3_600)),
        time_target: Some(TimeTarget {
            target: Duration::ZERO,
            expected_value: None,
            carries_over: true,
        }),
        ..SearchLimits::default()
    };
    let report = search.run(limits, Restriction::none()).expect("no failure");
    assert!(report.visits < 16, "{}", report.visits);
}

#[test]
fn evaluation_error_leaves_tree_consistent() {
    for threads in [1, 2, 8] {
        // Evaluation 0 is the root's.
        for failing in [0, 1, 137] {
            let calls = Arc::new(AtomicU32::new(0));
            let counted = Arc::clone(&calls);
            let evaluator = evaluator_fn(move |position| {
                if counted.fetch_add(1, Ordering::Relaxed) == failing {
                    return Err(EvalError::Network("out of order".to_owned()));
                }
                Ok(arbitrary(position))
            });
            let root = empty_board(4, "chinese");
            let mut search = search(evaluator, &root, result_only_params(), threads);
            let error = search.run(SearchLimits::with_visits(100_000), Restriction::none());
            let text = error.expect_err("one evaluation fails").to_string();
            assert_eq!(text, "evaluator: out of order");
            assert_eq!(search.error().map(|e| e.to_string()), Some(text));
            check_tree(&search, &|position| arbitrary(position).value);
            // The evaluator works again, and the search succeeds.
            let visits = u64::from(search.tree().root().visits()) + 200;
            let report = run(&mut search, visits);
            assert_eq!(u64::from(report.visits), visits);
            check_tree(&search, &|position| arbitrary(position).value);
        }
    }
}

#[test]
fn panic_ends_only_current_search() {
    for threads in [1, 2, 8] {
        for failing in [0, 1, 137] {
            let calls = AtomicU32::new(0);
            let evaluator = evaluator_fn(move |position| {
                let call = calls.fetch_add(1, Ordering::Relaxed);
                assert!(call != failing, "for the test");
                Ok(arbitrary(position))
            });
            let root = empty_board(4, "chinese");
            let mut search = search(evaluator, &root, result_only_params(), threads);
            let error = search.run(SearchLimits::with_visits(100_000), Restriction::none());
            assert!(matches!(error, Err(EvalError::Panicked)), "{error:?}");
            assert!(matches!(search.error(), Some(EvalError::Panicked)));
            assert_eq!(run(&mut search, 200).visits, 200);
            check_tree(&search, &|position| arbitrary(position).value);
        }
    }
}

#[test]
fn nan_evaluation_is_an_error() {
    type Corruption = fn(&mut honinbo::eval::Evaluation);
    let corruptions: [(&str, Corruption); 3] = [
        ("policy", |e| e.policy[3] = f32::NAN),
        ("value", |e| e.value = f32::NAN),
        ("score lead", |e| e.score_lead = f32::INFINITY),
    ];
    for (part, spoil) in corruptions {
        let evaluator = evaluator_fn(move |position| {
            let mut evaluation = flat(position, 0.0);
            if position.move_number() == 2 {
                spoil(&mut evaluation);
            }
            Ok(evaluation)
        });
        let mut search = search(
            evaluator,
            &empty_board(3, "chinese"),
            result_only_params(),
            2,
        );
        let error = search.run(SearchLimits::with_visits(1_000), Restriction::none());
        assert!(
            matches!(error, Err(EvalError::NotFinite { part: found, .. }) if found == part),
            "{error:?}"
        );
        check_tree(&search, &|_| 0.0);
    }
}

#[test]
fn restrictions_apply_in_every_thread() {
    let root = empty_board(4, "chinese");
    let size = root.size();
    let some = [5, 6].map(|index| Move::Play(size.point_at(index)));
    for threads in [1, 8] {
        for (restriction, allowed) in [
            (Restriction::only(some.to_vec()), 2),
            (Restriction::except(some.to_vec()), 15),
            (Restriction::only(vec![Move::Pass]), 1),
            (Restriction::only(Vec::new()), 0),
        ] {
            let evaluator = evaluator_fn(|position| Ok(flat(position, 0.0)));
            let mut search = search(evaluator, &root, result_only_params(), threads);
            let report = run_restricted(&mut search, 500, restriction.clone());
            assert_eq!(report.moves.len(), allowed);
            assert!(
                report
                    .moves
                    .iter()
                    .all(|r| restriction.allows_at_root(r.mv))
            );
            let visits: u32 = report.moves.iter().map(|r| r.visits).sum();
            assert_eq!(visits, if allowed == 0 { 0 } else { 499 });
            check_tree(&search, &|_| 0.0);
        }
    }
}
