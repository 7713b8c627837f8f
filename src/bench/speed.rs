//! How many positions an evaluator judges in a second.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::position::Position;

/// Positions a second that `threads` threads get from an evaluator within about `time`, each asking for `batch` of the
/// positions at a time, and once at least.
///
/// # Errors
/// When an evaluation fails.
pub fn positions_per_second(
    evaluator: &dyn Evaluator,
    positions: &[Position],
    threads: usize,
    batch: usize,
    time: Duration,
) -> Result<f64, EvalError> {
    let over = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let ask = |first: usize| -> Result<(), EvalError> {
        let mut answers = vec![Evaluation::default(); batch];
        let mut next = first;
        loop {
            let requests: Vec<Request<'_>> = (0..batch)
                .map(|index| Request::new(&positions[(next + index) % positions.len()]))
                .collect();
            next += batch;
            evaluator.evaluate(&requests, &mut answers)?;
            done.fetch_add(batch as u64, Ordering::Relaxed);
            if over.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    };
    let started = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || ask(thread)))
            .collect();
        std::thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        let results = workers.into_iter().map(|worker| worker.join());
        results
            .map(|result| result.unwrap_or(Err(EvalError::Stopped)))
            .collect::<Result<Vec<()>, _>>()
    })?;
    Ok(done.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases;
    use crate::eval::{Evaluation, Request};
    use parking_lot::Mutex;
    use std::collections::HashSet;

    /// Notes who asks for how many positions at once.
    #[derive(Default)]
    struct Noting(Mutex<HashSet<(std::thread::ThreadId, usize)>>);

    impl Evaluator for Noting {
        fn evaluate(
            &self,
            requests: &[Request<'_>],
            _: &mut [Evaluation],
        ) -> Result<(), EvalError> {
            let asked = (std::thread::current().id(), requests.len());
            self.0.lock().insert(asked);
            Ok(())
        }
    }

    #[test]
    fn every_thread_asks_for_whole_batches() {
        let positions: Vec<Position> = cases().into_iter().map(|case| case.position).collect();
        for (threads, batch) in [(1, 1), (2, 3)] {
            let noting = Noting::default();
            let speed = positions_per_second(
                &noting,
                &positions,
                threads,
                batch,
                Duration::from_millis(1),
            );
            assert!(speed.expect("no failure") > 0.0);
            let noted = noting.0.into_inner();
            assert_eq!(noted.len(), threads);
            assert!(noted.iter().all(|&(_, asked)| asked == batch));
        }
    }
}
