//! Run-time selection of the instructions for products of pairs of 16-bit integers.

use pulp::{Arch, Scalar};

#[cfg(target_arch = "x86_64")]
use super::dot::x86;
use super::dot::{Dot, WithDot};

/// Implementations of the pair multiply-add. Each value proves that the processor has the instructions.
#[derive(Clone, Copy, Debug)]
pub enum Multiplier {
    /// Portable code, one pair at a time.
    Scalar,
    /// 256-bit vectors (AVX2).
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// 256-bit vectors with a fused multiply-add of pairs (AVX-VNNI).
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    /// 512-bit vectors (AVX-512).
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
    /// 512-bit vectors with a fused multiply-add of pairs (AVX-512 VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(x86::Avx512Vnni),
}

#[cfg(target_arch = "x86_64")]
impl Multiplier {
    /// Returns the AVX2 implementation if the processor supports it.
    pub fn avx2() -> Option<Self> {
        pulp::x86::V3::try_new().map(Self::Avx2)
    }

    /// Returns the AVX-VNNI implementation if the processor supports it.
    pub fn avx_vnni() -> Option<Self> {
        x86::AvxVnni::try_new().map(Self::AvxVnni)
    }

    /// Returns the AVX-512 implementation if the processor supports it.
    pub fn avx512() -> Option<Self> {
        pulp::x86::V4::try_new().map(Self::Avx512)
    }

    /// Returns the AVX-512 VNNI implementation if the processor supports it.
    pub fn avx512_vnni() -> Option<Self> {
        x86::Avx512Vnni::try_new().map(Self::Avx512Vnni)
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Multiplier {
    // The instructions exist only on x86-64.
    pub const fn avx2() -> Option<Self> {
        None
    }

    pub const fn avx_vnni() -> Option<Self> {
        None
    }

    pub const fn avx512() -> Option<Self> {
        None
    }

    pub const fn avx512_vnni() -> Option<Self> {
        None
    }
}

impl Multiplier {
    /// Returns the SIMD level for all other vector operations.
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

    /// Runs `work` with this implementation.
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
