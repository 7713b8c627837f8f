//! Dispatch to SIMD instruction sets, and vector operations that differ from pulp's.

use pulp::{Arch, Simd, WithSimd};

/// Instruction set for vector operations.
#[derive(Clone, Copy, Debug)]
pub enum Vectors {
    /// One of the instruction sets that pulp dispatches to.
    Pulp(Arch),
    /// 128-bit vectors (SSE4.2), which pulp implements but does not dispatch to.
    #[cfg(target_arch = "x86_64")]
    V2(pulp::x86::V2),
}

impl Vectors {
    /// Runs `work` in code that is compiled for this instruction set.
    pub fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        match self {
            Self::Pulp(arch) => arch.dispatch(work),
            #[cfg(target_arch = "x86_64")]
            Self::V2(simd) => Simd::vectorize(simd, work),
        }
    }
}

/// Returns `a * b + c`, rounded once if the instruction set has a fused multiply-add, and twice otherwise.
///
/// On SSE4.2, pulp's multiply-add is not used: it rounds once, but calls the C library for each number.
#[inline(always)]
pub fn mul_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    // The other instruction sets of x86-64 have vectors of one, eight or sixteen floats.
    if const { cfg!(target_arch = "x86_64") && S::F32_LANES == 4 } {
        simd.add_f32s(simd.mul_f32s(a, b), c)
    } else {
        simd.mul_add_e_f32s(a, b, c)
    }
}
