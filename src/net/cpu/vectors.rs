//! SIMD vectors: operations that pulp lacks, or that differ from pulp's, and conversions to and from bfloat16, which is
//! the upper half of a 32-bit float and has eight bits of precision.

use std::slice::{from_mut, from_ref};

use pulp::bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Scalar, Simd, WithSimd};

/// Vectors of an instruction set, with operations that pulp lacks.
pub trait Vectors: Simd {
    /// Converts integers to the nearest floats.
    #[inline(always)]
    fn floats(self, integers: Self::i32s) -> Self::f32s {
        let mut floats = self.splat_f32s(0.0);
        let lanes = cast_slice_mut::<_, f32>(from_mut(&mut floats)).iter_mut();
        for (float, integer) in lanes.zip(cast_slice::<_, i32>(from_ref(&integers))) {
            *float = *integer as f32;
        }
        floats
    }

    /// Computes `1 / x` with an error of a few units in the last place, for normal values up to 2^126.
    #[inline(always)]
    fn reciprocal(self, x: Self::f32s) -> Self::f32s {
        self.div_f32s(self.splat_f32s(1.0), x)
    }

    /// Rounds each value as [`to_bf16`] does, and stores the results.
    #[inline(always)]
    fn store_bf16(self, to: &mut [u16], values: Self::f32s) {
        let to = to[..Self::F32_LANES].iter_mut();
        for (to, value) in to.zip(cast_slice::<_, f32>(from_ref(&values))) {
            *to = to_bf16(*value);
        }
    }
}

impl Vectors for Scalar {}

#[cfg(target_arch = "aarch64")]
impl Vectors for pulp::aarch64::Neon {}

#[cfg(target_arch = "x86_64")]
impl Vectors for pulp::x86::V2 {
    #[inline(always)]
    fn floats(self, integers: Self::i32s) -> Self::f32s {
        self.convert_i32x4_to_f32x4(integers)
    }
}

#[cfg(target_arch = "x86_64")]
impl Vectors for pulp::x86::V3 {
    #[inline(always)]
    fn floats(self, integers: Self::i32s) -> Self::f32s {
        self.convert_i32x8_to_f32x8(integers)
    }
}

#[cfg(target_arch = "x86_64")]
impl Vectors for pulp::x86::V4 {
    #[inline(always)]
    fn floats(self, integers: Self::i32s) -> Self::f32s {
        self.convert_i32x16_to_f32x16(integers)
    }

    #[inline(always)]
    fn reciprocal(self, x: Self::f32s) -> Self::f32s {
        // An estimate with 14 bits; a Newton step doubles its precision.
        let near = pulp::cast(self.avx512f._mm512_rcp14_ps(pulp::cast(x)));
        let rest = self.sub_f32s(self.splat_f32s(2.0), self.mul_f32s(x, near));
        self.mul_f32s(near, rest)
    }

    #[inline(always)]
    fn store_bf16(self, to: &mut [u16], values: Self::f32s) {
        let half = self.splat_u32s(0x8000);
        let bits = self.add_u32s(self.transmute_u32s_f32s(values), half);
        let upper = self.avx512f._mm512_srli_epi32::<16>(pulp::cast(bits));
        let halves: [u16; 16] = pulp::cast(self.avx512f._mm512_cvtepi32_epi16(upper));
        to[..16].copy_from_slice(&halves);
    }
}

/// Computation that is generic over the vector type and compiled once for each instruction set.
pub trait WithVectors {
    type Output;

    fn with_vectors<S: Vectors>(self, simd: S) -> Self::Output;
}

/// Runs `work` in a separate function that is compiled for the instruction set of `simd`.
#[inline(always)]
pub fn vectorize<S: Vectors, W: WithVectors>(simd: S, work: W) -> W::Output {
    simd.vectorize(InVectors(simd, work))
}

/// Adapter that passes vectors to work that pulp runs.
struct InVectors<S, W>(S, W);

impl<S: Vectors, W: WithVectors> WithSimd for InVectors<S, W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<T: Simd>(self, _: T) -> W::Output {
        self.1.with_vectors(self.0)
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

/// Returns the bits of the bfloat16 nearest to `x`, with ties rounded away from zero.
#[inline(always)]
pub fn to_bf16(x: f32) -> u16 {
    (x.to_bits().wrapping_add(0x8000) >> 16) as u16
}

/// Converts the bits of a bfloat16 to the 32-bit float with the same value.
#[inline(always)]
pub fn to_f32(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::isa::Isa;

    /// Numbers, and a copy in bfloat16.
    struct Store<'a>(&'a [f32], &'a mut [u16]);

    impl WithVectors for Store<'_> {
        type Output = ();

        #[inline(always)]
        fn with_vectors<S: Vectors>(self, simd: S) {
            let Self(values, to) = self;
            let vectors = S::as_simd_f32s(values).0.iter();
            for (x, to) in vectors.zip(to.chunks_mut(S::F32_LANES)) {
                simd.store_bf16(to, *x);
            }
        }
    }

    #[test]
    fn the_nearest_half_is_stored() {
        let mut values: Vec<f32> = (-500..500).map(|x| x as f32 * 1.234_567e-2).collect();
        values.extend([1e-40, -0.0, 3e38, f32::INFINITY, f32::NEG_INFINITY, 1e30]);
        values.resize(values.len().next_multiple_of(16), 0.0);
        for isa in Isa::available() {
            let mut halves = vec![0; values.len()];
            isa.run(Store(&values, &mut halves));
            for (x, half) in values.iter().zip(halves) {
                let nearest = half::bf16::from_f32(*x);
                let tie = x.to_bits() & 0xffff == 0x8000;
                assert!(half == nearest.to_bits() || tie, "{x}: {}", to_f32(half));
            }
        }
    }
}
