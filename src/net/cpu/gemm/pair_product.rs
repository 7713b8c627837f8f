//! The multiply-add of pairs of 16-bit integers, and its portable implementation.

use pulp::{NullaryFnOnce, Scalar, Simd};

/// The multiply-add of pairs of 16-bit integers on one instruction set, in one or two instructions.
///
/// A pair is a `u32` with the first integer in the low half.
pub trait PairProduct: Copy {
    /// SIMD token, which determines the vector types.
    type Simd: Simd;
    /// Number of registers needed for intermediate products.
    const TEMPORARIES: usize;

    fn simd(self) -> Self::Simd;

    /// Adds the products of both integers of each pair to `sums`. Wraps around on overflow.
    fn multiply_add(
        self,
        sums: <Self::Simd as Simd>::i32s,
        inputs: <Self::Simd as Simd>::u32s,
        weights: <Self::Simd as Simd>::u32s,
    ) -> <Self::Simd as Simd>::i32s;

    /// Converts `sums` to the nearest floats.
    fn floats(self, sums: <Self::Simd as Simd>::i32s) -> <Self::Simd as Simd>::f32s;

    /// Calls `work` in a separate function that is compiled for the instruction set and not inlined.
    fn vectorize<F: NullaryFnOnce>(self, work: F) -> F::Output;
}

impl PairProduct for Scalar {
    type Simd = Self;
    const TEMPORARIES: usize = 2;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn multiply_add(self, sums: i32, inputs: u32, weights: u32) -> i32 {
        let low = |pair: u32| i32::from(pair as i16);
        let high = |pair: u32| i32::from((pair >> 16) as i16);
        sums.wrapping_add(low(inputs) * low(weights))
            .wrapping_add(high(inputs) * high(weights))
    }

    #[inline(always)]
    fn floats(self, sums: i32) -> f32 {
        sums as f32
    }

    #[inline(never)]
    fn vectorize<F: NullaryFnOnce>(self, work: F) -> F::Output {
        work.call()
    }
}
