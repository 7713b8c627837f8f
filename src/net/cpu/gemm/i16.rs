//! Matrix multiplication in 16-bit integers with 32-bit sums, for each instruction set.
//!
//! A SIMD instruction that multiplies pairs of 16-bit integers and adds both products to a 32-bit sum performs twice
//! as many multiply-adds as a float instruction, and the operands of a multiply-add take half the memory. On ARM, no
//! such instruction is faster than float arithmetic, so floats are used there.
//!
//! The sums cannot overflow for any input within the quantisation limit, because the weights are scaled so that the sum
//! of their magnitudes is bounded (see [`packing`](super::packing)). In most layers, each input row is scaled by its
//! own largest magnitude. Winograd convolutions use fixed scales and detect inputs that exceed the limit.

use pulp::{Arch, NullaryFnOnce, Scalar, Simd};

use super::i16_quantize::{exceeds, quantize_pair, quantize_pair_tracked, quantize_small_pair};
#[cfg(target_arch = "x86_64")]
use super::i16_x86;
use super::kernel::{Floats, I16_PANEL_VECTORS, Kernel, WithKernel};
use super::packing::pair_of;
use super::pair_product::PairProduct;
use crate::net::cpu::activations::exp2_approx;
use crate::net::cpu::softmax::softmax_numerators;
use crate::net::cpu::vectors::Vectors;

/// Upper bound on the sum of a row of quantised attention weights. The magnitudes of quantised values have at most 14
/// bits, so no weighted sum of values overflows.
const MAX_WEIGHT_SUM: f32 = 131_072.0;
/// Largest quantised attention weight.
const LARGEST_WEIGHT: f32 = i16::MAX as f32;

/// Kernel for 16-bit integers.
#[derive(Clone, Copy, Debug)]
pub struct I16<P>(pub P);

impl<P: PairProduct> Kernel for I16<P> {
    type Simd = P::Simd;
    type Element = u32;
    type Vector = <P::Simd as Simd>::u32s;
    type Sums = <P::Simd as Simd>::i32s;
    const PANEL_VECTORS: usize = I16_PANEL_VECTORS;
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
    fn scale_column(self, sums: Self::Sums, column: Floats<Self>) -> Floats<Self> {
        self.simd().mul_f32s(self.0.floats(sums), column)
    }

    #[inline(always)]
    fn scale_row_and_column(
        self,
        sums: Self::Sums,
        row: Floats<Self>,
        column: Floats<Self>,
    ) -> Floats<Self> {
        let simd = self.simd();
        simd.mul_f32s(self.0.floats(sums), simd.mul_f32s(column, row))
    }

    #[inline(always)]
    fn quantize(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
    ) -> Self::Vector {
        quantize_pair(self.simd(), [low, high], scale, limit)
    }

    #[inline(always)]
    fn quantize_tracked(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
        peak: &mut Self::Vector,
    ) -> Self::Vector {
        quantize_pair_tracked(self.simd(), [low, high], scale, limit, peak)
    }

    #[inline(always)]
    fn exceeds(self, peak: Self::Vector, limit: f32) -> bool {
        exceeds(self.simd(), peak, limit)
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
        let sum = softmax_numerators(simd, scores, scale, |x| exp2_approx(simd, x));
        // Rounding adds at most 1/2 to each weight.
        let scale = LARGEST_WEIGHT.min((MAX_WEIGHT_SUM - points as f32) / sum);
        let scale = simd.splat_f32s(scale);
        let (zero, ones) = (simd.splat_f32s(0.0), simd.splat_u32s(pair_of(1, 1)));
        let mut total = self.zero();
        for (to, from) in to.iter_mut().zip(scores.chunks(2)) {
            let high = *from.get(1).unwrap_or(&zero);
            *to = quantize_small_pair(simd, [from[0], high], scale);
            total = self.multiply_add(total, *to, ones);
        }
        match sum.is_nan() {
            true => f32::NAN,
            false => simd.reduce_sum_f32s(self.0.floats(total)).recip(),
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

    fn run<W: WithKernel<u32>>(self, work: W) -> W::Output {
        self.0.vectorize(InI16(self, work))
    }
}

/// Adapter that runs work with the kernel [`I16`].
struct InI16<P, W>(I16<P>, W);

impl<P: PairProduct, W: WithKernel<u32>> NullaryFnOnce for InI16<P, W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.1.with_kernel(self.0)
    }
}

/// An instruction set with an implementation of [`PairProduct`]. A value of this type proves that the processor
/// supports the instruction set.
#[derive(Clone, Copy, Debug)]
pub enum I16Isa {
    /// Portable code, one pair at a time.
    Scalar,
    /// 128-bit vectors (SSE4.2).
    #[cfg(target_arch = "x86_64")]
    Sse42(pulp::x86::V2),
    /// 256-bit vectors (AVX2).
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    /// 256-bit vectors with a fused multiply-add of pairs (AVX-VNNI).
    #[cfg(target_arch = "x86_64")]
    AvxVnni(i16_x86::AvxVnni),
    /// 512-bit vectors (AVX-512).
    #[cfg(target_arch = "x86_64")]
    Avx512(pulp::x86::V4),
    /// 512-bit vectors with a fused multiply-add of pairs (AVX-512 VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(i16_x86::Avx512Vnni),
}

impl I16Isa {
    /// Returns the matching instruction set for vector operations other than the multiply-add of pairs.
    pub fn vectors(self) -> Vectors {
        match self {
            Self::Scalar => Vectors::Pulp(Arch::Scalar),
            #[cfg(target_arch = "x86_64")]
            Self::Sse42(simd) => Vectors::V2(simd),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => Vectors::Pulp(Arch::V3(simd)),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(vnni) => Vectors::Pulp(Arch::V3(vnni.simd())),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => Vectors::Pulp(Arch::V4(simd)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(vnni) => Vectors::Pulp(Arch::V4(vnni.simd())),
        }
    }

    /// Runs `work` with the kernel for this instruction set.
    pub fn run<W: WithKernel<u32>>(self, work: W) -> W::Output {
        match self {
            Self::Scalar => I16(Scalar).run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Sse42(product) => I16(product).run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(product) => I16(product).run(work),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(product) => I16(product).run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(product) => I16(product).run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(product) => I16(product).run(work),
        }
    }
}
