//! Measures the speed of an evaluator.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;

/// Returns the total number of positions that `threads` threads evaluate per second. Each thread evaluates batches of
/// `batch` positions until `time` has passed, but at least one batch.
///
/// # Errors
/// Returns the evaluator's error if an evaluation fails, or [`EvalError::Panicked`] if a thread panics.
pub fn positions_per_second(
    evaluator: &dyn Evaluator,
    positions: &[Position],
    threads: usize,
    batch: usize,
    time: Duration,
) -> Result<f64, EvalError> {
    let stop = AtomicBool::new(false);
    let evaluated = AtomicU64::new(0);
    let work = |first: usize| -> Result<(), EvalError> {
        let mut evaluations = vec![Evaluation::default(); batch];
        let mut next = first;
        loop {
            let requests: Vec<Request<'_>> = (0..batch)
                .map(|index| Request::new(&positions[(next + index) % positions.len()]))
                .collect();
            next += batch;
            evaluator.evaluate(&requests, &mut evaluations)?;
            evaluated.fetch_add(batch as u64, Ordering::Relaxed);
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .map(|result| result.unwrap_or(Err(EvalError::Panicked)))
            .collect::<Result<Vec<()>, _>>()
    })?;
    Ok(evaluated.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::bench_positions;
    use crate::eval::{Evaluation, Request};
    use parking_lot::Mutex;
    use std::collections::HashSet;

    /// Evaluator that records the thread and the batch size of each call.
    #[derive(Default)]
    struct RecordingEvaluator(Mutex<HashSet<(std::thread::ThreadId, usize)>>);

    impl Evaluator for RecordingEvaluator {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            _: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            let call = (std::thread::current().id(), requests.len());
            self.0.lock().insert(call);
            Ok(())
        }
    }

    #[test]
    fn every_thread_requests_full_batches() {
        let positions: Vec<Position> = bench_positions()
            .into_iter()
            .map(|case| case.position)
            .collect();
        for (threads, batch) in [(1, 1), (2, 3)] {
            let recorder = RecordingEvaluator::default();
            let speed = positions_per_second(
                &recorder,
                &positions,
                threads,
                batch,
                Duration::from_millis(1),
            );
            assert!(speed.expect("no failure") > 0.0);
            let calls = recorder.0.into_inner();
            assert_eq!(calls.len(), threads);
            assert!(calls.iter().all(|&(_, requests)| requests == batch));
        }
    }
}
