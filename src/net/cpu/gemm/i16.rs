//! Matrix multiplication in 16-bit integers with 32-bit sums, for each instruction set.
//!
//! A SIMD instruction that multiplies pairs of 16-bit integers and adds both products to a 32-bit sum performs twice
//! as many multiply-adds as a float instruction, and the operands of a multiply-add take half the memory. On ARM, no
//! such instruction is faster than float arithmetic, so floats are used there.
//!
//! The sums cannot overflow for any input within the quantisation limit, because the weights are scaled so that the sum
//! of their magnitudes is bounded (see [`packing`](super::packing)). In most layers, each input row is scaled by its
//! own largest magnitude. Winograd convolutions use fixed scales and detect inputs that exceed the limit.

use pulp::Simd;

use super::kernel::{Floats, Kernel, MAX_I16_PANEL_VECTORS};
use super::packing::pack_pair;
use super::pair_product::PairProduct;
use crate::net::cpu::activations::{ROUNDING_CONSTANT, exp2_nonpositive};
use crate::net::cpu::softmax::softmax_numerators;
use crate::net::cpu::vectors::{Vectors, mul_add};

/// Upper bound on the sum of a row of quantised attention weights. The magnitudes of quantised values have at most 14
/// bits, so no weighted sum of values overflows.
const MAX_ATTENTION_WEIGHT_SUM: f32 = 131_072.0;
/// Largest quantised attention weight.
const MAX_ATTENTION_WEIGHT: f32 = i16::MAX as f32;

/// Kernel for 16-bit integers.
#[derive(Clone, Copy, Debug)]
pub struct I16Kernel<P>(pub P);

impl<P: PairProduct> Kernel for I16Kernel<P> {
    type Simd = P::Simd;
    type Element = u32;
    type Vector = <P::Simd as Simd>::u32s;
    type Sums = <P::Simd as Simd>::i32s;
    const MAX_PANEL_VECTORS: usize = MAX_I16_PANEL_VECTORS;
    const BLOCK_ROWS: usize = 9;
    const EXTRA_REGISTERS: usize = P::TEMPORARIES;
    const UNROLL: usize = if P::Simd::F32_LANES < 4 { 1 } else { 4 };
    const CHANNELS: usize = 2;

    #[inline(always)]
    fn simd(self) -> P::Simd {
        self.0.simd()
    }

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        self.simd().splat_i32s(0)
    }

    #[inline(always)]
    fn broadcast(self, element: u32) -> Self::Vector {
        self.simd().splat_u32s(element)
    }

    #[inline(always)]
    fn multiply_add(
        self,
        sums: Self::Sums,
        inputs: Self::Vector,
        weights: Self::Vector,
    ) -> Self::Sums {
        self.0.multiply_add(sums, inputs, weights)
    }

    #[inline(always)]
    fn floats(self, sums: Self::Sums) -> Floats<Self> {
        self.simd().floats(sums)
    }

    #[inline(always)]
    fn quantize(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
    ) -> Self::Vector {
        let simd = self.simd();
        let round = simd.splat_f32s(ROUNDING_CONSTANT);
        let (lowest, highest) = (simd.sub_f32s(round, limit), simd.add_f32s(round, limit));
        let rounded = self.rounded([low, high], scale);
        self.pairs(rounded.map(|x| simd.max_f32s(simd.min_f32s(x, highest), lowest)))
    }

    /// Raises each lane of `peak` to at least the distances of the lane's two rounded values from `-limit`. The distances
    /// are unsigned numbers; those of values below `-limit` wrap around. This takes as many instructions as clamping.
    #[inline(always)]
    fn quantize_tracked(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
        peak: &mut Self::Vector,
    ) -> Self::Vector {
        let simd = self.simd();
        let lowest =
            simd.transmute_u32s_f32s(simd.sub_f32s(simd.splat_f32s(ROUNDING_CONSTANT), limit));
        let rounded = self.rounded([low, high], scale);
        for x in rounded {
            // Floats with the exponent of `ROUNDING_CONSTANT` have consecutive bit patterns, so the difference is the
            // distance. For all other floats, the difference is larger than any permitted distance: it wraps around for
            // smaller positive floats, and the bit patterns of larger or negative floats, infinities and NaN are far
            // above that of `ROUNDING_CONSTANT`.
            let distance = simd.sub_u32s(simd.transmute_u32s_f32s(x), lowest);
            *peak = simd.max_u32s(*peak, distance);
        }
        self.pairs(rounded)
    }

    #[inline(always)]
    fn exceeds(self, peak: Self::Vector, limit: f32) -> bool {
        let simd = self.simd();
        let beyond = simd.greater_than_u32s(peak, simd.splat_u32s(2 * (limit as u32)));
        simd.first_true_m32s(beyond) < P::Simd::F32_LANES
    }

    #[inline(always)]
    fn softmax(
        self,
        scores: &mut [Floats<Self>],
        points: usize,
        temperature: f32,
        to: &mut [Self::Vector],
    ) -> f32 {
        let simd = self.simd();
        let scale = std::f32::consts::LOG2_E / temperature;
        let sum = softmax_numerators(simd, scores, scale, |x| exp2_nonpositive(simd, x));
        // Rounding adds at most 1/2 to each weight.
        let scale = MAX_ATTENTION_WEIGHT.min((MAX_ATTENTION_WEIGHT_SUM - points as f32) / sum);
        let scale = simd.splat_f32s(scale);
        let (zero, ones) = (simd.splat_f32s(0.0), simd.splat_u32s(pack_pair(1, 1)));
        let mut total = self.zero();
        for (to, from) in to.iter_mut().zip(scores.chunks(2)) {
            let high = *from.get(1).unwrap_or(&zero);
            *to = self.pairs(self.rounded([from[0], high], scale));
            total = self.multiply_add(total, *to, ones);
        }
        match sum.is_nan() {
            true => f32::NAN,
            false => simd.reduce_sum_f32s(simd.floats(total)).recip(),
        }
    }

    #[inline(always)]
    fn vectors(elements: &[u32]) -> &[Self::Vector] {
        P::Simd::as_simd_u32s(elements).0
    }

    #[inline(always)]
    fn vectors_mut(elements: &mut [u32]) -> &mut [Self::Vector] {
        P::Simd::as_mut_simd_u32s(elements).0
    }
}

impl<P: PairProduct> I16Kernel<P> {
    /// Scales two vectors and rounds them to integers, to which [`ROUNDING_CONSTANT`] is added.
    #[inline(always)]
    fn rounded(self, values: [Floats<Self>; 2], scale: Floats<Self>) -> [Floats<Self>; 2] {
        let simd = self.simd();
        values.map(|x| mul_add(simd, x, scale, simd.splat_f32s(ROUNDING_CONSTANT)))
    }

    /// Combines the low 16 bits of each lane of two vectors, as returned by [`rounded`](Self::rounded), into a pair.
    #[inline(always)]
    fn pairs(self, rounded: [Floats<Self>; 2]) -> <P::Simd as Simd>::u32s {
        let simd = self.simd();
        let [low, high] = rounded.map(|x| simd.transmute_u32s_f32s(x));
        let shifted = simd.wrapping_dyn_shl_u32s(high, simd.splat_u32s(16));
        simd.or_u32s(simd.and_u32s(low, simd.splat_u32s(0xffff)), shifted)
    }
}

/// Returns the scale that maps the largest magnitude of a row to `limit`, and the unit (the reciprocal of the scale).
///
/// Both are zero if the row is zero or too small for a normal scale. If the row contains NaN or an infinity, the scale
/// is zero and the unit is NaN, so that every product of the row is NaN.
#[inline(always)]
pub fn row_scale_and_unit<S: Simd>(
    simd: S,
    row: impl Iterator<Item = S::f32s>,
    limit: f32,
) -> (f32, f32) {
    let zero = simd.splat_f32s(0.0);
    let (mut largest, mut mark) = (zero, zero);
    for x in row {
        largest = simd.max_f32s(largest, simd.abs_f32s(x));
        // Zero until a value is infinite or NaN, and NaN from then on. The maximum does not preserve such values.
        mark = mul_add(simd, x, zero, mark);
    }
    let unit = simd.reduce_max_f32s(largest) / limit;
    let mark = simd.reduce_sum_f32s(mark);
    match unit.recip() {
        _ if mark.is_nan() => (0.0, mark),
        scale if scale.is_normal() => (scale, unit),
        _ => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::gemm::WithKernel;
    use crate::net::cpu::isa::Isa;

    /// Quantisation of numbers with a scale of 1 and the given limit. Returns true if a number exceeds the limit.
    /// Asserts that all pairs before that number are the same as with clamping.
    struct Tracked<'a>(&'a [f32; 32], f32);

    impl WithKernel<u32> for Tracked<'_> {
        type Output = bool;

        #[inline(always)]
        fn with_kernel<K: Kernel<Element = u32>>(self, kernel: K) -> bool {
            let Self(numbers, limit) = self;
            let simd = kernel.simd();
            let (scale, limits) = (simd.splat_f32s(1.0), simd.splat_f32s(limit));
            let mut peak = kernel.broadcast(0);
            let [mut tracked, mut clamped] = [[0; 16]; 2];
            for pair in K::Simd::as_simd_f32s(numbers).0.chunks_exact(2) {
                let [low, high] = [pair[0], pair[1]];
                let to = &mut K::vectors_mut(&mut tracked)[0];
                *to = kernel.quantize_tracked(low, high, scale, limits, &mut peak);
                K::vectors_mut(&mut clamped)[0] = kernel.quantize(low, high, scale, limits);
                if !kernel.exceeds(peak, limit) {
                    assert_eq!(tracked, clamped, "{numbers:?}");
                }
            }
            kernel.exceeds(peak, limit)
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_detected() {
        for isa in Isa::available().filter(|isa| isa.has_i16()) {
            for limit in [20_000.0, 32_767.0] {
                let beyond = limit + 0.51;
                for (number, expected) in [
                    (limit, false),
                    (limit + 0.49, false),
                    (beyond, true),
                    (65_536.0, true),
                    (1e7, true),
                    (1e9, true),
                    (f32::MAX, true),
                    (f32::INFINITY, true),
                    (f32::NAN, true),
                ] {
                    for (place, number) in (0..32).flat_map(|at| [(at, number), (at, -number)]) {
                        let mut numbers: [f32; 32] = std::array::from_fn(|at| 7.3 * at as f32);
                        numbers[place] = number;
                        let found = isa.run_i16_or_default(Tracked(&numbers, limit));
                        assert_eq!(found, expected, "{}: {number} of {limit}", isa.name());
                    }
                }
            }
        }
    }
}
