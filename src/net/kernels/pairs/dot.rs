//! Products of pairs of 16-bit integers, added to 32-bit sums: what each processor says it by.

use pulp::{Arch, NullaryFnOnce, Scalar, Simd};

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

/// Who multiplies pairs: the ways of the processors there are.
#[derive(Clone, Copy, Debug)]
pub enum Multiplier {
    /// One pair at a time.
    Scalar,
    /// Vectors of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// The same with an instruction that adds to the sum.
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    /// Vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
    /// The same with an instruction that adds to the sum.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(x86::Avx512Vnni),
}

#[cfg(target_arch = "x86_64")]
impl Multiplier {
    /// If this processor has it.
    pub fn avx2() -> Option<Self> {
        pulp::x86::V3::try_new().map(Self::Avx2)
    }

    /// If this processor has it.
    pub fn avx_vnni() -> Option<Self> {
        x86::AvxVnni::try_new().map(Self::AvxVnni)
    }

    /// If this processor has it.
    pub fn avx512() -> Option<Self> {
        pulp::x86::V4::try_new().map(Self::Avx512)
    }

    /// If this processor has it.
    pub fn avx512_vnni() -> Option<Self> {
        x86::Avx512Vnni::try_new().map(Self::Avx512Vnni)
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Multiplier {
    /// This processor has none.
    pub const fn avx2() -> Option<Self> {
        None
    }

    /// This processor has none.
    pub const fn avx_vnni() -> Option<Self> {
        None
    }

    /// This processor has none.
    pub const fn avx512() -> Option<Self> {
        None
    }

    /// This processor has none.
    pub const fn avx512_vnni() -> Option<Self> {
        None
    }
}

impl Multiplier {
    /// The vectors without pairs.
    pub fn arch(self) -> Arch {
        match self {
            Self::Scalar => Arch::Scalar,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => Arch::V3(simd),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(dot) => Arch::V3(dot.simd()),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => Arch::V4(simd),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(dot) => Arch::V4(dot.simd()),
        }
    }

    /// Does the work in this way.
    pub fn run<W: WithDot>(self, work: W) -> W::Output {
        match self {
            Self::Scalar => Scalar.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(dot) => dot.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(dot) => dot.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(dot) => dot.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(dot) => dot.run(work),
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub mod x86;
