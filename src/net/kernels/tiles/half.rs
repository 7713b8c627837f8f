//! 16-bit floats of eight bits of precision (bf16): the upper half of a 32-bit float.

use pulp::{Scalar, Simd};

/// The nearest 16-bit float; of two the one further from zero.
#[inline(always)]
pub fn rounded(x: f32) -> u16 {
    (x.to_bits().wrapping_add(0x8000) >> 16) as u16
}

/// The 32-bit float of the same value.
#[inline(always)]
pub fn widened(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

/// Vectors that can be stored as 16-bit floats.
pub trait Halves: Simd {
    /// Stores each number as [`rounded`] has it.
    fn store_rounded(self, to: &mut [u16], numbers: Self::f32s);
}

impl Halves for Scalar {
    #[inline(always)]
    fn store_rounded(self, to: &mut [u16], number: f32) {
        to[0] = rounded(number);
    }
}

#[cfg(target_arch = "x86_64")]
impl Halves for pulp::x86::V4 {
    #[inline(always)]
    fn store_rounded(self, to: &mut [u16], numbers: Self::f32s) {
        let half = self.splat_u32s(0x8000);
        let bits = self.add_u32s(self.transmute_u32s_f32s(numbers), half);
        let upper = self.avx512f._mm512_srli_epi32::<16>(pulp::cast(bits));
        let halves: [u16; 16] = pulp::cast(self.avx512f._mm512_cvtepi32_epi16(upper));
        to[..16].copy_from_slice(&halves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::kernels::vocabulary::{Vocabulary, WithHalves};

    struct Store<'a>(&'a [f32], &'a mut [u16]);

    impl WithHalves for Store<'_> {
        #[inline(always)]
        fn with_halves<S: Halves>(self, simd: S) {
            let vectors = S::as_simd_f32s(self.0).0;
            for (to, numbers) in self.1.chunks_mut(S::F32_LANES).zip(vectors) {
                simd.store_rounded(to, *numbers);
            }
        }
    }

    #[test]
    fn the_nearest_half_is_stored() {
        let mut numbers: Vec<f32> = (-500..500).map(|x| x as f32 * 1.234_567e-2).collect();
        numbers.extend([1e-40, -0.0, 3e38, f32::INFINITY, f32::NEG_INFINITY, 1e30]);
        numbers.resize(numbers.len().next_multiple_of(16), 0.0);
        for vocabulary in Vocabulary::available() {
            let mut halves = vec![0; numbers.len()];
            vocabulary.run_halves(Store(&numbers, &mut halves));
            for (x, half) in numbers.iter().zip(halves) {
                let nearest = half::bf16::from_f32(*x);
                let tie = x.to_bits() & 0xffff == 0x8000;
                assert!(half == nearest.to_bits() || tie, "{x}: {}", widened(half));
            }
        }
    }
}
