//! How many positions an evaluator judges in a second, and how fast the processor multiplies at best.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pulp::{Arch, Simd, WithSimd};

use super::BenchError;
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
) -> Result<f64, BenchError> {
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

/// Multiply-adds of 32-bit floats a second that one thread does at best, with the widest vectors of the processor.
#[must_use]
pub fn peak_multiply_adds() -> f64 {
    let arch = Arch::new();
    // The first run wakes the processor up.
    let runs = (0..6).map(|_| {
        let started = Instant::now();
        let (done, sum) = arch.dispatch(Peak);
        // Nobody wants the sum, but it must be worked out.
        black_box(sum);
        done as f64 / started.elapsed().as_secs_f64()
    });
    runs.fold(0.0, f64::max)
}

struct Peak;

impl WithSimd for Peak {
    /// Multiply-adds done, and what came of them.
    type Output = (usize, f32);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (usize, f32) {
        /// As many sums as hide the time that one multiply-add takes.
        const SUMS: usize = 12;
        const ROUNDS: usize = 1 << 20;
        let [factor, term, start] = black_box([0.999, 1e-3, 1.0]).map(|x| simd.splat_f32s(x));
        let mut sums = [start; SUMS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, term);
            }
        }
        let sum = sums.into_iter().fold(start, |a, b| simd.add_f32s(a, b));
        (ROUNDS * SUMS * S::F32_LANES, simd.reduce_sum_f32s(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cases;
    use crate::eval::uniform::Uniform;

    #[test]
    fn every_thread_and_every_batch_counts() {
        let positions: Vec<Position> = cases().into_iter().map(|case| case.position).collect();
        for (threads, batch) in [(1, 1), (2, 3)] {
            let time = Duration::from_millis(1);
            let speed = positions_per_second(&Uniform, &positions, threads, batch, time);
            assert!(speed.expect("no failure") > 0.0);
        }
        assert!(peak_multiply_adds() > 0.0);
    }
}
