//! The batcher: larger batches, each caller its own answers, and never a hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use honinbo::eval::batcher::Batcher;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;
use honinbo::rng::Rng;

use super::support::{Faulty, Lopsided, ask, random_position, size};

/// The position after that many moves of a game of its own.
fn position(seed: u64, moves: usize) -> Position {
    random_position(size(9, 9), moves, &mut Rng::new(seed))
}

/// Asks for `calls` batches of up to three positions and compares the answers with those of the bare evaluator.
fn ask_and_compare(batcher: &dyn Evaluator, thread: u64, calls: u64) {
    let mut rng = Rng::new(thread);
    for call in 0..calls {
        let positions: Vec<Position> = (0..1 + rng.below(3))
            .map(|index| position(thread * 1_000 + call, index))
            .collect();
        let symmetry = Symmetry::ALL[rng.below(8)];
        let ownership = rng.chance(0.5);
        let request = |position| Request {
            position,
            symmetry,
            ownership,
        };
        let requests: Vec<Request<'_>> = positions.iter().map(request).collect();
        let mut answers = vec![Evaluation::default(); requests.len()];
        batcher.evaluate(&requests, &mut answers).unwrap();
        for (request, answer) in requests.iter().zip(&answers) {
            assert_eq!(*answer, ask(&Lopsided::default(), *request));
        }
    }
}

#[test]
fn everyone_gets_the_answers_to_the_own_questions() {
    for capacity in [1, 3, 6, 8, 100] {
        let batcher = Arc::new(Batcher::new(Lopsided::default(), capacity));
        thread::scope(|scope| {
            for thread in 0..8 {
                let batcher = Arc::clone(&batcher);
                // They leave one after another.
                scope.spawn(move || {
                    let seat = batcher.seat();
                    ask_and_compare(&*batcher, thread, 20 + 10 * thread);
                    drop(seat);
                });
            }
            // Callers without a seat come and go.
            for thread in 8..10 {
                let batcher = &batcher;
                scope.spawn(move || ask_and_compare(&**batcher, thread, 40));
            }
        });
    }
}

#[test]
fn with_seats_taken_a_batch_waits_for_all() {
    let inner = Arc::new(Lopsided::default());
    let batcher = Arc::new(Batcher::new(Arc::clone(&inner), 64));
    let (threads, calls) = (8, 25);
    let ready = Barrier::new(threads);
    thread::scope(|scope| {
        for thread in 0..threads {
            let (batcher, ready) = (Arc::clone(&batcher), &ready);
            scope.spawn(move || {
                let _seat = batcher.seat();
                ready.wait();
                for call in 0..calls {
                    let position = position(thread as u64, call);
                    ask(&*batcher, Request::new(&position));
                }
            });
        }
    });
    assert_eq!(*inner.calls.lock().unwrap(), vec![threads; calls]);
}

#[test]
fn callers_that_come_and_go_get_the_answers_to_the_own_questions() {
    for (capacity, at_once) in [(1, 1), (3, 1), (4, 2), (100, 3)] {
        let inner = Arc::new(Lopsided::default());
        let batcher = Batcher::flowing(Arc::clone(&inner), capacity, at_once);
        thread::scope(|scope| {
            for thread in 0..8 {
                let batcher = &batcher;
                scope.spawn(move || ask_and_compare(batcher, thread, 20 + 10 * thread));
            }
        });
        assert!(
            inner
                .calls
                .lock()
                .unwrap()
                .iter()
                .all(|&size| size <= capacity)
        );
    }
}

/// Tells when it is asked, and answers when it may.
struct Gated {
    asked: Sender<usize>,
    may: Mutex<Receiver<()>>,
}

impl Evaluator for Gated {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.asked.send(requests.len()).unwrap();
        self.may.lock().unwrap().recv().unwrap();
        evaluations.fill(Evaluation::default());
        Ok(())
    }
}

#[test]
fn whatever_comes_while_others_are_served_goes_together() {
    let (asked, heard) = channel();
    let (let_go, may) = channel();
    let may = Mutex::new(may);
    let batcher = Batcher::flowing(Gated { asked, may }, 64, 1);
    let position = position(1, 5);
    thread::scope(|scope| {
        let ask = || {
            let mut answers = [Evaluation::default()];
            batcher
                .evaluate(&[Request::new(&position)], &mut answers)
                .unwrap();
        };
        // The first waits for nobody.
        scope.spawn(ask);
        assert_eq!(heard.recv().unwrap(), 1);
        for _ in 0..5 {
            scope.spawn(ask);
        }
        while batcher.waiting() < 5 {
            thread::yield_now();
        }
        let_go.send(()).unwrap();
        assert_eq!(heard.recv().unwrap(), 5);
        let_go.send(()).unwrap();
    });
}

#[test]
fn a_full_batch_waits_for_nobody_and_larger_ones_are_divided() {
    let inner = Arc::new(Lopsided::default());
    let batcher = Arc::new(Batcher::new(Arc::clone(&inner), 4));
    // The second seat's holder never asks.
    let seats = [batcher.seat(), batcher.seat()];
    let position = position(1, 5);
    let requests = vec![Request::new(&position); 10];
    let mut answers = vec![Evaluation::default(); 10];
    batcher.evaluate(&[], &mut []).unwrap();
    batcher.evaluate(&requests, &mut answers).unwrap();
    assert_eq!(*inner.calls.lock().unwrap(), [4, 4, 2]);
    drop(seats);
    ask(&*batcher, requests[0]);
    assert_eq!(*inner.calls.lock().unwrap(), [4, 4, 2, 1]);
}

#[test]
fn who_leaves_without_asking_sets_the_others_free() {
    let batcher = Arc::new(Batcher::new(Lopsided::default(), 64));
    let idle: Vec<_> = (0..3).map(|_| batcher.seat()).collect();
    thread::scope(|scope| {
        let batcher = Arc::clone(&batcher);
        scope.spawn(move || ask_and_compare(&*batcher, 3, 5));
        drop(idle);
    });
}

#[test]
fn an_error_reaches_everyone_in_the_batch() {
    for fails in [false, true] {
        let batcher = Arc::new(Batcher::new(Faulty { at: 3, fails }, 64));
        let ready = Barrier::new(8);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (batcher, ready) = (Arc::clone(&batcher), &ready);
                scope.spawn(move || {
                    let _seat = batcher.seat();
                    ready.wait();
                    // The faulty position is one thread's only.
                    let position = position(9, thread);
                    let mut answers = [Evaluation::default()];
                    let error = batcher
                        .evaluate(&[Request::new(&position)], &mut answers)
                        .unwrap_err();
                    match error {
                        EvalError::Network(_) => assert!(fails),
                        EvalError::NotFinite { .. } => assert!(!fails),
                        EvalError::Stopped => panic!("nobody has stopped"),
                    }
                });
            }
        });
        // The batcher works on.
        let good = position(9, 1);
        assert_eq!(ask(&*batcher, Request::new(&good)).value, 0.5);
    }
}

/// Panics when asked about a position with stones.
struct Panicking;

impl Evaluator for Panicking {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert!(
            requests
                .iter()
                .all(|request| request.position.move_number() == 0)
        );
        evaluations.fill(Evaluation::default());
        Ok(())
    }
}

#[test]
fn a_panic_is_an_error_to_the_others() {
    let batcher = Arc::new(Batcher::new(Panicking, 64));
    let ready = Barrier::new(4);
    let outcomes: Vec<bool> = thread::scope(|scope| {
        let spawn = |thread| {
            let (batcher, ready) = (Arc::clone(&batcher), &ready);
            scope.spawn(move || {
                let _seat = batcher.seat();
                ready.wait();
                let position = position(9, thread);
                let mut answers = [Evaluation::default()];
                let call = || batcher.evaluate(&[Request::new(&position)], &mut answers);
                match catch_unwind(AssertUnwindSafe(call)) {
                    Ok(Err(EvalError::Stopped)) => false,
                    Ok(other) => panic!("expected that the evaluator has stopped, found {other:?}"),
                    Err(_) => true,
                }
            })
        };
        let threads: Vec<_> = (0..4).map(spawn).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(outcomes.iter().filter(|panicked| **panicked).count(), 1);
    let empty = position(9, 0);
    ask(&*batcher, Request::new(&empty));
}
