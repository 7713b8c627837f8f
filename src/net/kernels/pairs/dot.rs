//! Multiply-add of pairs of 16-bit integers into 32-bit sums, for each instruction set.

use pulp::{NullaryFnOnce, Scalar, Simd};

/// Implementation of the pair multiply-add for one vector type, in one or two instructions.
///
/// A pair is a `u32` with the first integer in the low half.
pub trait Dot: Copy {
    /// The SIMD token, which determines the vector types.
    type Simd: Simd;
    /// Number of registers needed for intermediate products.
    const TEMPORARIES: usize;

    /// Returns the SIMD token for all other vector operations.
    fn simd(self) -> Self::Simd;

    /// Adds the products of both integers of each pair to `sums`. Wraps around on overflow.
    fn dot(
        self,
        sums: <Self::Simd as Simd>::i32s,
        inputs: <Self::Simd as Simd>::u32s,
        weights: <Self::Simd as Simd>::u32s,
    ) -> <Self::Simd as Simd>::i32s;

    /// Converts `sums` to the nearest floats.
    fn floats(self, sums: <Self::Simd as Simd>::i32s) -> <Self::Simd as Simd>::f32s;

    /// Runs `work` with this implementation in a separate function that is not inlined, so that work with several
    /// callers is compiled only once.
    fn run<W: WithDot>(self, work: W) -> W::Output;
}

/// Work that multiplies pairs, generic over the implementation.
pub trait WithDot {
    type Output;

    /// Performs the work with the implementation `dot`.
    fn with_dot<D: Dot>(self, dot: D) -> Self::Output;
}

impl Dot for Scalar {
    type Simd = Self;
    const TEMPORARIES: usize = 2;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn dot(self, sums: i32, inputs: u32, weights: u32) -> i32 {
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
    fn run<W: WithDot>(self, work: W) -> W::Output {
        work.with_dot(self)
    }
}

/// Work bound to an implementation, as a function object for `vectorize`.
struct Spoken<D, W> {
    dot: D,
    work: W,
}

impl<D: Dot, W: WithDot> NullaryFnOnce for Spoken<D, W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.with_dot(self.dot)
    }
}

#[cfg(target_arch = "x86_64")]
pub mod x86;
