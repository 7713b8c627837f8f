//! The multiply-add of pairs of 16-bit integers, and its portable implementation.

use pulp::{Scalar, Simd};

use crate::net::cpu::vectors::Vectors;

/// The multiply-add of pairs of 16-bit integers on one instruction set, in one or two instructions.
///
/// A pair is a `u32` with the first integer in the low half.
pub trait PairProduct: Copy {
    /// SIMD token, which determines the vector types.
    type Simd: Vectors;
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
}
