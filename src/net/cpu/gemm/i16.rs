//! Matrix multiplication in 16-bit integers with 32-bit sums, for each instruction set.
//!
//! A SIMD instruction that multiplies pairs of 16-bit integers and adds both products to a 32-bit sum performs twice
//! the multiply-adds of a float instruction, and the operands of a multiply-add take half the memory. On ARM, no such
//! instruction is faster than float arithmetic, so floats are used there.
//!
//! The sums cannot overflow for any input within the quantisation limit, because the weights are scaled so that the sum
//! of their magnitudes is bounded (see [`packing`](super::packing)). In most layers, each input row is scaled by its
//! largest magnitude. Winograd convolutions use fixed scales and detect inputs that exceed the limit.

use std::ops::Range;

use pulp::{Scalar, Simd};

use super::blocks::{self, BlockKernel};
use super::kernel::{Floats, Kernel, Rows, Sink, zero};
use super::packing::{MAX_I16_PANEL_VECTORS, PackedMatrices, pack_pair};
use crate::net::cpu::activations::{ROUNDING_CONSTANT, exp2_nonpositive, softmax_numerators};
use crate::net::cpu::vectors::{Vectors, mul_add};

/// Upper bound on the sum of a row of quantised attention weights. The magnitudes of quantised values have at most 14
/// bits, so no weighted sum of values overflows.
const MAX_ATTENTION_WEIGHT_SUM: f32 = 131_072.0;
const MAX_ATTENTION_WEIGHT: f32 = i16::MAX as f32;

/// The multiply-add of pairs of 16-bit integers on one instruction set, in one or two instructions.
///
/// A pair is a `u32` with the first integer in the low half.
pub trait PairProduct: Copy {
    /// SIMD token, which determines the vector types.
    type Simd: Vectors;
    /// Number of registers needed for intermediate products.
    const TEMPORARIES: usize;

    fn simd(self) -> Self::Simd;

    /// Adds the products of both integers of each pair to `sums`. Wraps around on overflow.
    fn multiply_add(
        self,
        sums: <Self::Simd as Simd>::i32s,
        inputs: <Self::Simd as Simd>::u32s,
        weights: <Self::Simd as Simd>::u32s,
    ) -> <Self::Simd as Simd>::i32s;
}

impl PairProduct for Scalar {
    type Simd = Self;
    const TEMPORARIES: usize = 2;

    #[inline(always)]
    fn simd(self) -> Self {
        self
    }

    #[inline(always)]
    fn multiply_add(self, sums: i32, inputs: u32, weights: u32) -> i32 {
        let low = |pair: u32| i32::from(pair as i16);
        let high = |pair: u32| i32::from((pair >> 16) as i16);
        sums.wrapping_add(low(inputs) * low(weights))
            .wrapping_add(high(inputs) * high(weights))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct I16Kernel<P>(pub P);

impl<P: PairProduct> Kernel for I16Kernel<P> {
    type Simd = P::Simd;
    type Vector = <P::Simd as Simd>::u32s;
    type Output = f32;
    const CHANNELS: usize = 2;
    const QUANTIZED: bool = true;

    #[inline(always)]
    fn simd(self) -> P::Simd {
        self.0.simd()
    }

    #[inline(always)]
    fn quantize(self, values: [Floats<Self>; 2], scale: Floats<Self>) -> Self::Vector {
        let simd = self.simd();
        let [low, high] = self.rounded(values, scale);
        let shifted = simd.wrapping_dyn_shl_u32s(high, simd.splat_u32s(16));
        simd.or_u32s(simd.and_u32s(low, simd.splat_u32s(0xffff)), shifted)
    }

    /// Raises each lane of `peak` to at least the distances of the lane's two rounded values from `-limit`. The
    /// distances are unsigned numbers and wrap around for values below `-limit`.
    #[inline(always)]
    fn record_peak(
        self,
        values: [Floats<Self>; 2],
        scale: Floats<Self>,
        limit: Floats<Self>,
        peak: &mut Self::Vector,
    ) {
        let simd = self.simd();
        let lowest =
            simd.transmute_u32s_f32s(simd.sub_f32s(simd.splat_f32s(ROUNDING_CONSTANT), limit));
        for bits in self.rounded(values, scale) {
            // Floats with the exponent of `ROUNDING_CONSTANT` have consecutive bit patterns, so the difference is the
            // distance. For all other floats, the difference is larger than any permitted distance: it wraps around for
            // smaller positive floats, and the bit patterns of larger or negative floats, infinities and NaN are far
            // above that of `ROUNDING_CONSTANT`.
            *peak = simd.max_u32s(*peak, simd.sub_u32s(bits, lowest));
        }
    }

    #[inline(always)]
    fn exceeds(self, peak: Self::Vector, limit: f32) -> bool {
        let simd = self.simd();
        let beyond = simd.greater_than_u32s(peak, simd.splat_u32s(2 * (limit as u32)));
        simd.first_true_m32s(beyond) < P::Simd::F32_LANES
    }

    #[inline(always)]
    fn softmax<const ROWS: usize>(
        self,
        scores: &mut [Floats<Self>],
        points: usize,
        temperature: f32,
        to: &mut [Self::Vector],
    ) -> [f32; ROWS] {
        let simd = self.simd();
        let scale = std::f32::consts::LOG2_E / temperature;
        let mut units = softmax_numerators(simd, scores, scale, |x| exp2_nonpositive(simd, x));
        let ones = simd.splat_u32s(pack_pair(1, 1));
        let scores = scores.chunks_exact(scores.len() / ROWS);
        let rows = scores.zip(to.chunks_exact_mut(to.len() / ROWS));
        for ((scores, to), unit) in rows.zip(&mut units) {
            let sum = *unit;
            // Rounding adds at most 1/2 to each weight.
            let scale = MAX_ATTENTION_WEIGHT.min((MAX_ATTENTION_WEIGHT_SUM - points as f32) / sum);
            let scale = simd.splat_f32s(scale);
            let mut total = zero();
            for (to, from) in to.iter_mut().zip(scores.chunks(2)) {
                *to = self.quantize([from[0], *from.get(1).unwrap_or(&zero())], scale);
                total = self.multiply_add(total, *to, ones);
            }
            *unit = match sum.is_nan() {
                true => f32::NAN,
                false => simd.reduce_sum_f32s(simd.floats(total)).recip(),
            };
        }
        units
    }

    #[inline(always)]
    fn multiply<S: Sink<Self>>(
        self,
        rows: Rows<'_>,
        packed: &PackedMatrices,
        panels: Range<usize>,
        sink: &mut S,
    ) {
        blocks::multiply(self, rows, packed, panels, sink);
    }

    #[inline(always)]
    fn multiply_adds(self) -> usize {
        blocks::multiply_adds(self, pack_pair(3, 0), pack_pair(5, 1))
    }
}

impl<P: PairProduct> BlockKernel for I16Kernel<P> {
    type Element = u32;
    type Sums = <P::Simd as Simd>::i32s;
    const MAX_PANEL_VECTORS: usize = MAX_I16_PANEL_VECTORS;
    const BLOCK_ROWS: usize = 9;
    const EXTRA_REGISTERS: usize = P::TEMPORARIES;
    const UNROLL: usize = if P::Simd::F32_LANES < 4 { 1 } else { 4 };

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
}

impl<P: PairProduct> I16Kernel<P> {
    /// Scales two vectors, rounds them to integers and returns the bits of the floats that are the sums of the integers
    /// and [`ROUNDING_CONSTANT`]. The low 16 bits of the floats and of the integers are equal.
    #[inline(always)]
    fn rounded(
        self,
        values: [Floats<Self>; 2],
        scale: Floats<Self>,
    ) -> [<P::Simd as Simd>::u32s; 2] {
        let simd = self.simd();
        let round = simd.splat_f32s(ROUNDING_CONSTANT);
        let [low, high] = values;
        [
            simd.transmute_u32s_f32s(mul_add(simd, low, scale, round)),
            simd.transmute_u32s_f32s(mul_add(simd, high, scale, round)),
        ]
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
    use crate::net::cpu::gemm::kernel::WithKernel;
    use crate::net::cpu::isa::Isa;
    use crate::net::dtype::DType;

    /// Quantisation of numbers with a scale of 1 and the given limit. Returns true if a number exceeds the limit.
    struct Recorded<'a>(&'a [f32; 32], f32);

    impl WithKernel for Recorded<'_> {
        type Output = bool;

        #[inline(always)]
        fn with_kernel<K: Kernel>(self, kernel: K) -> bool {
            let Self(numbers, limit) = self;
            let simd = kernel.simd();
            let mut peak = zero();
            for pair in K::Simd::as_simd_f32s(numbers).0.chunks_exact(2) {
                let (scale, limit) = (simd.splat_f32s(1.0), simd.splat_f32s(limit));
                kernel.record_peak([pair[0], pair[1]], scale, limit, &mut peak);
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
                        let found = isa.run_kernel(DType::I16, Recorded(&numbers, limit));
                        assert_eq!(found, expected, "{}: {number} of {limit}", isa.name());
                    }
                }
            }
        }
    }
}
