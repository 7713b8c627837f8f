//! Conversion to and from bfloat16, which is the upper half of a 32-bit float and has eight bits of precision.

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
    use crate::net::cpu::vectors::{Vectors, WithVectors};

    /// Numbers, a copy in bfloat16, and a copy in which each element stands twice.
    struct Store<'a>(&'a [f32], &'a mut [u16], &'a mut [u16]);

    impl WithVectors for Store<'_> {
        type Output = ();

        #[inline(always)]
        fn with_vectors<S: Vectors>(self, simd: S) {
            let Self(values, to, pairs) = self;
            let vectors = S::as_simd_f32s(values).0.iter();
            let to = to.chunks_mut(S::F32_LANES);
            for ((x, to), pairs) in vectors.zip(to).zip(pairs.chunks_mut(2 * S::F32_LANES)) {
                simd.store_bf16(to, *x);
                simd.store_bf16_pairs(pairs, *x, *x);
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
            let mut pairs = vec![0; 2 * values.len()];
            isa.run(Store(&values, &mut halves, &mut pairs));
            for ((x, half), pair) in values.iter().zip(halves).zip(pairs.as_chunks().0) {
                let nearest = half::bf16::from_f32(*x);
                let tie = x.to_bits() & 0xffff == 0x8000;
                assert!(half == nearest.to_bits() || tie, "{x}: {}", to_f32(half));
                assert_eq!(*pair, [half; 2], "{x}");
            }
        }
    }
}
