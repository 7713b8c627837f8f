//! The batcher: batch sizes, assignment of results to callers, errors and panics.

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

use super::support::{
    AsymmetricEvaluator, FaultyEvaluator, evaluate, evaluate_all, random_position, size,
};

/// Returns the position after `moves` random moves.
fn position(seed: u64, moves: usize) -> Position {
    random_position(size(9, 9), moves, &mut Rng::new(seed))
}

/// Evaluates `calls` batches of up to three positions and compares them with the inner evaluator.
fn check_results(batcher: &dyn Evaluator, thread: u64, calls: u64) {
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
        assert_eq!(
            evaluate_all(batcher, &requests),
            evaluate_all(&AsymmetricEvaluator::default(), &requests)
        );
    }
}

#[test]
fn callers_receive_their_own_results() {
    for (capacity, max_concurrent) in [(1, 1), (3, 1), (4, 2), (100, 3)] {
        let inner = Arc::new(AsymmetricEvaluator::default());
        let batcher = Batcher::new(Arc::clone(&inner), capacity, max_concurrent);
        thread::scope(|scope| {
            for thread in 0..8 {
                let batcher = &batcher;
                scope.spawn(move || check_results(batcher, thread, 20 + 10 * thread));
            }
        });
        let calls = inner.calls.lock().unwrap();
        assert!(calls.iter().all(|&size| size <= capacity));
    }
}

/// An evaluator that reports each call and waits for permission to continue.
struct GatedEvaluator<E> {
    inner: E,
    call_started: Sender<usize>,
    gate: Mutex<Receiver<()>>,
}

impl<E: Evaluator> Evaluator for GatedEvaluator<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        self.call_started.send(requests.len()).unwrap();
        // The gate is open once its sender has been dropped.
        let _ = self.gate.lock().unwrap().recv();
        self.inner.evaluate(requests, evaluations)
    }
}

/// Result for a caller. The outer error is a panic.
type CallerResult = thread::Result<Result<Evaluation, EvalError>>;

/// Evaluates each position in a separate caller while the evaluator is busy with the empty board. Returns the results of
/// these callers.
fn evaluate_together(inner: impl Evaluator, positions: &[Position]) -> Vec<CallerResult> {
    let (call_started, calls) = channel();
    let (open_gate, gate) = channel();
    let gated = GatedEvaluator {
        inner,
        call_started,
        gate: Mutex::new(gate),
    };
    let batcher = &Batcher::new(gated, 64, 1);
    let evaluate = |position: &Position| {
        let mut evaluations = [Evaluation::default()];
        let call = || batcher.evaluate(&[Request::new(position)], &mut evaluations);
        let result = catch_unwind(AssertUnwindSafe(call));
        result.map(|result| result.map(|()| evaluations[0].clone()))
    };
    let empty = position(0, 0);
    let results = thread::scope(|scope| {
        // The first caller does not wait.
        let first = scope.spawn(|| evaluate(&empty));
        assert_eq!(calls.recv().unwrap(), 1);
        let others: Vec<_> = positions
            .iter()
            .map(|position| scope.spawn(move || evaluate(position)))
            .collect();
        while batcher.waiting_callers() < positions.len() {
            thread::yield_now();
        }
        open_gate.send(()).unwrap();
        assert_eq!(calls.recv().unwrap(), positions.len(), "all in one batch");
        drop(open_gate);
        assert!(first.join().unwrap().unwrap().is_ok());
        let others = others.into_iter();
        others.map(|other| other.join().unwrap()).collect()
    });
    // The batcher must remain usable after errors.
    assert!(evaluate(&empty).unwrap().is_ok());
    results
}

#[test]
fn waiting_requests_share_a_batch() {
    let positions: Vec<Position> = (0..5).map(|moves| position(1, moves)).collect();
    let results = evaluate_together(AsymmetricEvaluator::default(), &positions);
    for (position, results) in positions.iter().zip(results) {
        let expected = evaluate(&AsymmetricEvaluator::default(), Request::new(position));
        assert_eq!(results.unwrap().unwrap(), expected);
    }
}

#[test]
fn large_requests_are_split() {
    let inner = Arc::new(AsymmetricEvaluator::default());
    let batcher = Batcher::new(Arc::clone(&inner), 4, 1);
    let position = position(1, 5);
    evaluate_all(&batcher, &[]);
    evaluate_all(&batcher, &[Request::new(&position); 10]);
    assert_eq!(*inner.calls.lock().unwrap(), [4, 4, 2]);
}

/// An evaluator that panics if it is called while another call is running.
struct ExclusiveEvaluator<E> {
    inner: E,
    is_busy: AtomicBool,
}

impl<E: Evaluator> Evaluator for ExclusiveEvaluator<E> {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert!(!self.is_busy.swap(true, Ordering::SeqCst), "one at a time");
        // Give other threads the opportunity to call this evaluator.
        (0..100).for_each(|_| thread::yield_now());
        let result = self.inner.evaluate(requests, evaluations);
        self.is_busy.store(false, Ordering::SeqCst);
        result
    }
}

#[test]
fn errors_reach_only_affected_callers() {
    let positions: Vec<Position> = (0..8).map(|moves| position(9, moves)).collect();
    for fails in [false, true] {
        let faulty = ExclusiveEvaluator {
            inner: FaultyEvaluator { at: 3, fails },
            is_busy: AtomicBool::new(false),
        };
        let results = evaluate_together(faulty, &positions);
        for (moves, results) in results.into_iter().enumerate() {
            match results.unwrap() {
                Ok(_) => assert_ne!(moves, 3),
                Err(EvalError::Network(_)) => assert!(moves == 3 && fails),
                Err(EvalError::NotFinite { .. }) => assert!(moves == 3 && !fails),
                Err(error) => panic!("unexpected: {error}"),
            }
        }
    }
}

/// An evaluator that panics for positions with stones.
struct PanickingEvaluator;

impl Evaluator for PanickingEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let mut positions = requests.iter().map(|request| request.position);
        assert!(positions.all(|position| position.move_number() == 0));
        evaluations.fill(Evaluation::default());
        Ok(())
    }
}

#[test]
fn panic_is_error_for_other_callers() {
    let positions: Vec<Position> = (0..4).map(|moves| position(9, moves)).collect();
    let results = evaluate_together(PanickingEvaluator, &positions);
    let (panicked, others): (Vec<CallerResult>, Vec<CallerResult>) =
        results.into_iter().partition(Result::is_err);
    assert_eq!((panicked.len(), others.len()), (1, 3));
    for other in others {
        assert!(matches!(other.unwrap(), Err(EvalError::Panicked)));
    }
}
