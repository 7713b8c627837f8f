//! Measurement of the peak multiply-add rate of a processor, for comparison with the speed of the kernels.

use std::hint::black_box;
use std::time::Instant;

use pulp::Simd;

use super::aligned::AlignedBuffer;
use super::bf16::block::{
    COLUMN_TILES_PER_BLOCK, ROW_TILES_PER_BLOCK, Rows, STEP_INPUTS, STEP_WEIGHTS, Sums, TILE_SIDE,
};
use super::bf16::matrix_unit::MatrixUnit;
use super::gemm::{Kernel, WithKernel};
use super::isa::Isa;

/// Measures the peak rate of a single thread in 32-bit floats, in multiply-adds per second.
pub fn measure_f32(isa: Isa) -> f64 {
    let (input, weight) = (0.999, 1e-3);
    best_of(|| isa.run_f32(MultiplyAdds { input, weight }))
}

/// Measures the peak rate of a single thread in 16-bit integers, in multiply-adds per second. Returns 0 if the
/// instruction set has no kernel for them.
pub fn measure_i16(isa: Isa) -> f64 {
    let (input, weight) = (3, 0x0001_0005);
    best_of(|| isa.run_i16_or_default(MultiplyAdds { input, weight }))
}

/// Measures the peak rate of a single thread in bfloat16, in multiply-adds per second, using `unit`.
pub fn measure_bf16(unit: MatrixUnit) -> f64 {
    /// Number of steps per multiplication: large enough for storing the sums to cost little, and small enough for the
    /// weights to stay in the cache.
    const STEPS: usize = 32;
    let rows = AlignedBuffer::zeros(ROW_TILES_PER_BLOCK * TILE_SIDE * STEP_INPUTS);
    let weights = AlignedBuffer::zeros(STEPS * STEP_WEIGHTS);
    let steps = [0; STEPS];
    let rows = Rows {
        data: &rows,
        first: 0,
        stride: STEP_INPUTS,
        steps: &steps,
    };
    // The portable implementation is slow and used only by tests.
    let plain = matches!(unit, MatrixUnit::Portable);
    let rounds = if plain { 1 } else { 2_000 };
    best_of(|| {
        let mut sums = Sums::ZERO;
        let session = unit.session();
        for _ in 0..rounds {
            session.multiply(rows, [&weights; COLUMN_TILES_PER_BLOCK], &mut sums);
        }
        black_box(&sums);
        let of_step =
            ROW_TILES_PER_BLOCK * COLUMN_TILES_PER_BLOCK * TILE_SIDE * TILE_SIDE * STEP_INPUTS;
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
const NUM_SUMS: usize = 12;
const ROUNDS_PER_RUN: usize = 1 << 20;

/// Multiply-adds of a kernel without any loads or stores.
struct MultiplyAdds<T> {
    input: T,
    weight: T,
}

impl<T: Copy> WithKernel<T> for MultiplyAdds<T> {
    /// Number of multiply-adds.
    type Output = usize;

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(self, kernel: K) -> usize {
        let simd = kernel.simd();
        // `black_box` hides that the operands are equal, so that each sum is computed.
        let weights = kernel.broadcast(black_box(self.weight));
        let inputs = black_box([kernel.broadcast(self.input); NUM_SUMS]);
        let mut sums = black_box([kernel.zero(); NUM_SUMS]);
        for _ in 0..ROUNDS_PER_RUN {
            for (sum, input) in sums.iter_mut().zip(inputs) {
                *sum = kernel.multiply_add(*sum, input, weights);
            }
        }
        // Uses the results, so that the loop is not optimised away.
        for sum in sums {
            black_box(simd.reduce_sum_f32s(kernel.floats(sum)));
        }
        K::CHANNELS * ROUNDS_PER_RUN * NUM_SUMS * <K::Simd as Simd>::F32_LANES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_rates_are_positive_on_every_instruction_set() {
        for isa in Isa::available() {
            assert!(measure_f32(isa) > 0.0);
            assert_eq!(measure_i16(isa) > 0.0, isa.has_i16());
        }
        assert!(measure_bf16(MatrixUnit::Portable) > 0.0);
    }
}
