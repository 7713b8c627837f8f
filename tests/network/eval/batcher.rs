//! The batcher: larger batches, each caller its own answers, and never a hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use honinbo::eval::batcher::Batcher;
use honinbo::eval::{EvalError, Evaluation, Evaluator, Request};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;
use honinbo::random::Rng;

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
            symmetry,
            ownership,
            ..Request::new(position)
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
    for (capacity, at_once) in [(1, 1), (3, 1), (4, 2), (100, 3)] {
        let inner = Arc::new(Lopsided::default());
        let batcher = Batcher::new(Arc::clone(&inner), capacity, at_once);
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

/// Tells when it is asked, and asks `inner` when it may.
struct Gated<E> {
    inner: E,
    asked: Sender<usize>,
    may: Mutex<Receiver<()>>,
}

impl<E: Evaluator> Evaluator for Gated<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.asked.send(requests.len()).unwrap();
        // Once nobody holds the gate any more it is open.
        let _ = self.may.lock().unwrap().recv();
        self.inner.evaluate(requests, evaluations)
    }
}

/// What a caller gets: the evaluator's panic is an error of the outer kind.
type Got = thread::Result<Result<Evaluation, EvalError>>;

/// Has the empty board asked for, and while that is answered the positions, each by a caller of its own: what all of
/// these get.
fn asked_together(inner: impl Evaluator, positions: &[Position]) -> Vec<Got> {
    let (asked, heard) = channel();
    let (let_go, may) = channel();
    let may = Mutex::new(may);
    let batcher = &Batcher::new(Gated { inner, asked, may }, 64, 1);
    let ask = |position: &Position| {
        let mut answers = [Evaluation::default()];
        let call = || batcher.evaluate(&[Request::new(position)], &mut answers);
        let result = catch_unwind(AssertUnwindSafe(call));
        result.map(|result| result.map(|()| answers[0].clone()))
    };
    let empty = position(0, 0);
    let got = thread::scope(|scope| {
        // The first waits for nobody.
        let first = scope.spawn(|| ask(&empty));
        assert_eq!(heard.recv().unwrap(), 1);
        let others: Vec<_> = positions
            .iter()
            .map(|position| scope.spawn(move || ask(position)))
            .collect();
        while batcher.waiting_callers() < positions.len() {
            thread::yield_now();
        }
        let_go.send(()).unwrap();
        assert_eq!(heard.recv().unwrap(), positions.len(), "all in one batch");
        drop(let_go);
        assert!(first.join().unwrap().unwrap().is_ok());
        let others = others.into_iter();
        others.map(|other| other.join().unwrap()).collect()
    });
    // Whatever happened, the batcher works on.
    assert!(ask(&empty).unwrap().is_ok());
    got
}

#[test]
fn whatever_comes_while_others_are_served_goes_together() {
    let positions: Vec<Position> = (0..5).map(|moves| position(1, moves)).collect();
    for (position, got) in positions
        .iter()
        .zip(asked_together(Lopsided::default(), &positions))
    {
        let expected = ask(&Lopsided::default(), Request::new(position));
        assert_eq!(got.unwrap().unwrap(), expected);
    }
}

#[test]
fn large_batches_are_divided() {
    let inner = Arc::new(Lopsided::default());
    let batcher = Batcher::new(Arc::clone(&inner), 4, 1);
    let position = position(1, 5);
    let requests = vec![Request::new(&position); 10];
    let mut answers = vec![Evaluation::default(); 10];
    batcher.evaluate(&[], &mut []).unwrap();
    batcher.evaluate(&requests, &mut answers).unwrap();
    assert_eq!(*inner.calls.lock().unwrap(), [4, 4, 2]);
}

/// Panics when it is asked while it answers.
struct OneAtATime<E> {
    inner: E,
    is_busy: AtomicBool,
}

impl<E: Evaluator> Evaluator for OneAtATime<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert!(!self.is_busy.swap(true, Ordering::SeqCst), "one at a time");
        // Others get the chance to come in between.
        (0..100).for_each(|_| thread::yield_now());
        let result = self.inner.evaluate(requests, evaluations);
        self.is_busy.store(false, Ordering::SeqCst);
        result
    }
}

#[test]
fn an_error_reaches_only_who_asked_for_the_faulty_position() {
    let positions: Vec<Position> = (0..8).map(|moves| position(9, moves)).collect();
    for fails in [false, true] {
        let faulty = OneAtATime {
            inner: Faulty { at: 3, fails },
            is_busy: AtomicBool::new(false),
        };
        for (moves, got) in asked_together(faulty, &positions).into_iter().enumerate() {
            match got.unwrap() {
                Ok(_) => assert_ne!(moves, 3),
                Err(EvalError::Network(_)) => assert!(moves == 3 && fails),
                Err(EvalError::NotFinite { .. }) => assert!(moves == 3 && !fails),
                Err(EvalError::Panicked) => panic!("nobody has stopped"),
            }
        }
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
    let positions: Vec<Position> = (0..4).map(|moves| position(9, moves)).collect();
    let got = asked_together(Panicking, &positions);
    let (panicked, others): (Vec<Got>, Vec<Got>) = got.into_iter().partition(Result::is_err);
    assert_eq!((panicked.len(), others.len()), (1, 3));
    for other in others {
        assert!(matches!(other.unwrap(), Err(EvalError::Panicked)));
    }
}
