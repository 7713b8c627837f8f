//! Measures the peak multiply-add rate of a processor, to which the speed of the kernels is compared.

use std::hint::black_box;
use std::time::Instant;

use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::pairs::dot::{Dot, WithDot};
use super::pairs::multiplier::Multiplier;
use super::tiles::block::{COLUMN_TILES, DEPTH, ROW_TILES, Rows, SIDE, Sums, WEIGHTS};
use super::tiles::unit::Unit;
use super::vocabulary::Vocabulary;

/// Measures the 32-bit float multiply-adds per second and thread.
pub fn floats(vocabulary: Vocabulary) -> f64 {
    best_of(|| vocabulary.run(Floats))
}

/// Measures the 16-bit integer multiply-adds per second and thread.
pub fn pairs(multiplier: Multiplier) -> f64 {
    best_of(|| multiplier.run(Pairs))
}

/// Measures the bfloat16 multiply-adds per second and thread, using `unit`.
pub fn tiles(unit: Unit) -> f64 {
    /// High enough that storing the sums costs little, low enough that the weights stay in the cache.
    const STEPS: usize = 32;
    let numbers = Aligned::zeros(ROW_TILES * SIDE * DEPTH);
    let weights = Aligned::zeros(STEPS * WEIGHTS);
    let steps = [0; STEPS];
    let rows = Rows {
        numbers: &numbers,
        first: 0,
        stride: DEPTH,
        steps: &steps,
    };
    // The plain Rust implementation is slow and used only by tests.
    let plain = matches!(unit, Unit::Plain);
    let rounds = if plain { 1 } else { 2_000 };
    best_of(|| {
        let mut sums = Sums::ZERO;
        let session = unit.session();
        for _ in 0..rounds {
            session.multiply(rows, [&weights; COLUMN_TILES], &mut sums);
        }
        black_box(&sums);
        let of_step = ROW_TILES * COLUMN_TILES * SIDE * SIDE * DEPTH;
        rounds * STEPS * of_step
    })
}

/// Returns the highest rate of several runs, in operations per second. `work` returns its number of operations.
fn best_of(work: impl Fn() -> usize) -> f64 {
    // The first run lets the processor reach its full clock rate.
    let runs = (0..6).map(|_| {
        let started = Instant::now();
        let done = work();
        done as f64 / started.elapsed().as_secs_f64()
    });
    runs.fold(0.0, f64::max)
}

/// Number of independent sums, enough to hide the latency of a multiply-add.
const SUMS: usize = 12;
const ROUNDS: usize = 1 << 20;

struct Floats;

impl WithSimd for Floats {
    /// Number of multiply-adds.
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let [factor, term, start] = black_box([0.999, 1e-3, 1.0]).map(|x| simd.splat_f32s(x));
        // `black_box` hides that the sums are equal, so that each of them is computed.
        let mut sums = black_box([start; SUMS]);
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, term);
            }
        }
        let sum = sums.into_iter().fold(start, |a, b| simd.add_f32s(a, b));
        // Uses the result, so that the loop is not optimised away.
        black_box(simd.reduce_sum_f32s(sum));
        ROUNDS * SUMS * S::F32_LANES
    }
}

struct Pairs;

impl WithDot for Pairs {
    /// Number of multiply-adds.
    type Output = usize;

    #[inline(always)]
    fn with_dot<D: Dot>(self, dot: D) -> usize {
        let simd = dot.simd();
        let weights = simd.splat_u32s(black_box(0x0001_0005));
        // `black_box` hides that the sums are equal, so that each of them is computed.
        let mut sums = black_box([simd.splat_i32s(1); SUMS]);
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                // The input depends on the sum: the product of a constant input could be computed outside the loop.
                *sum = dot.dot(*sum, simd.transmute_u32s_i32s(*sum), weights);
            }
        }
        // Uses the results, so that the loop is not optimised away.
        for sum in sums {
            black_box(simd.reduce_sum_f32s(dot.floats(sum)));
        }
        2 * ROUNDS * SUMS * D::Simd::F32_LANES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processors_multiply() {
        for vocabulary in Vocabulary::available() {
            assert!(floats(vocabulary) > 0.0);
            assert!(vocabulary.pairs().is_none_or(|it| pairs(it) > 0.0));
        }
        assert!(tiles(Unit::Plain) > 0.0);
    }
}
