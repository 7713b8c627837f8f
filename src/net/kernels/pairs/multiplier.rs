//! The instructions for products of pairs of 16-bit integers that a processor has.

use pulp::{Arch, Scalar};

#[cfg(target_arch = "x86_64")]
use super::dot::x86;
use super::dot::{Dot, WithDot};

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
