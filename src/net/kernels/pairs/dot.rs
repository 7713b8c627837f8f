//! Products of pairs of 16-bit integers, added to 32-bit sums: what each processor says it by.

use pulp::{NullaryFnOnce, Scalar, Simd};

/// A way to multiply pairs: on one kind of vectors, by one instruction or two.
///
/// A pair is an unsigned 32-bit number, the first integer in its low half.
pub trait Dot: Copy {
    /// The vectors.
    type Simd: Simd;
    /// Registers that a product takes on its way to the sum.
    const TEMPORARIES: usize;

    /// The vectors' own words.
    fn simd(self) -> Self::Simd;

    /// The sums plus the products of both integers of each pair; it wraps around.
    fn dot(
        self,
        sums: <Self::Simd as Simd>::i32s,
        inputs: <Self::Simd as Simd>::u32s,
        weights: <Self::Simd as Simd>::u32s,
    ) -> <Self::Simd as Simd>::i32s;

    /// The nearest floats.
    fn floats(self, sums: <Self::Simd as Simd>::i32s) -> <Self::Simd as Simd>::f32s;

    /// Does work in this way, in a function of its own: what stands in two places is compiled once.
    fn run<W: WithDot>(self, work: W) -> W::Output;
}

/// Work that multiplies pairs, written once for all ways.
pub trait WithDot {
    /// What comes of it.
    type Output;

    /// Does it.
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

/// Work in one way.
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
