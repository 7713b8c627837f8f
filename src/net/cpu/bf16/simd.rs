//! Conversion to and from bfloat16, which is the upper half of a 32-bit float and has eight bits of precision.

use pulp::{Scalar, Simd};

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

/// SIMD operations for bfloat16.
pub trait Bf16Simd: Simd {
    /// Rounds each value as [`to_bf16`] does, and stores the results.
    fn store_rounded(self, to: &mut [u16], values: Self::f32s);

    /// Rounds two vectors and stores them interleaved: each lane of `first` is followed by the same lane of `second`.
    fn store_pairs(self, to: &mut [u16], first: Self::f32s, second: Self::f32s);

    /// Computes `1 / x` with an error of a few units in the last place, for normal values up to 2^126.
    fn reciprocal(self, x: Self::f32s) -> Self::f32s;
}

impl Bf16Simd for Scalar {
    #[inline(always)]
    fn store_rounded(self, to: &mut [u16], number: f32) {
        to[0] = to_bf16(number);
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [u16], first: f32, second: f32) {
        to[..2].copy_from_slice(&[to_bf16(first), to_bf16(second)]);
    }

    #[inline(always)]
    fn reciprocal(self, x: f32) -> f32 {
        1.0 / x
    }
}

#[cfg(target_arch = "x86_64")]
impl Bf16Simd for pulp::x86::V4 {
    #[inline(always)]
    fn store_rounded(self, to: &mut [u16], values: Self::f32s) {
        let half = self.splat_u32s(0x8000);
        let bits = self.add_u32s(self.transmute_u32s_f32s(values), half);
        let upper = self.avx512f._mm512_srli_epi32::<16>(pulp::cast(bits));
        let halves: [u16; 16] = pulp::cast(self.avx512f._mm512_cvtepi32_epi16(upper));
        to[..16].copy_from_slice(&halves);
    }

    #[inline(always)]
    fn store_pairs(self, to: &mut [u16], first: Self::f32s, second: Self::f32s) {
        let half = self.splat_u32s(0x8000);
        let first = self.add_u32s(self.transmute_u32s_f32s(first), half);
        let second = self.add_u32s(self.transmute_u32s_f32s(second), half);
        let lower = self.avx512f._mm512_srli_epi32::<16>(pulp::cast(first));
        let upper = self.and_u32s(second, self.splat_u32s(0xffff_0000));
        let pairs: [u16; 32] = pulp::cast(self.or_u32s(pulp::cast(lower), upper));
        to[..32].copy_from_slice(&pairs);
    }

    #[inline(always)]
    fn reciprocal(self, x: Self::f32s) -> Self::f32s {
        // An estimate with 14 bits; a Newton step doubles its precision.
        let near = pulp::cast(self.avx512f._mm512_rcp14_ps(pulp::cast(x)));
        let rest = self.sub_f32s(self.splat_f32s(2.0), self.mul_f32s(x, near));
        self.mul_f32s(near, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::isa::{Isa, WithBf16};

    struct Store<'a>(&'a [f32], &'a mut [u16]);

    impl WithBf16 for Store<'_> {
        #[inline(always)]
        fn with_bf16<S: Bf16Simd>(self, simd: S) {
            let vectors = S::as_simd_f32s(self.0).0;
            for (to, values) in self.1.chunks_mut(S::F32_LANES).zip(vectors) {
                simd.store_rounded(to, *values);
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
            isa.run_bf16(Store(&values, &mut halves));
            for (x, half) in values.iter().zip(halves) {
                let nearest = half::bf16::from_f32(*x);
                let tie = x.to_bits() & 0xffff == 0x8000;
                assert!(half == nearest.to_bits() || tie, "{x}: {}", to_f32(half));
            }
        }
    }
}
