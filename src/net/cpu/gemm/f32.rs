//! Matrix multiplication in 32-bit floats, on any instruction set.

use std::ops::Range;

use super::blocks::{self, BlockKernel};
use super::kernel::{Floats, Kernel, Rows, Sink};
use super::packing::{MAX_F32_PANEL_VECTORS, PackedMatrices};
use crate::net::cpu::activations::{clamp_below, exp, softmax_numerators};
use crate::net::cpu::vectors::{Vectors, mul_add};

/// Lower limit of the exponents of attention weights. The largest weight is 1, so 1e-26 does not change any sum. Products
/// of smaller weights and values would be subnormal, and Intel processors need about a hundred times as long for these.
const MIN_SOFTMAX_EXPONENT: f32 = -60.0;

/// Kernel for 32-bit floats with the vectors of `S`.
#[derive(Clone, Copy, Debug)]
pub struct F32Kernel<S>(pub S);

impl<S: Vectors> Kernel for F32Kernel<S> {
    type Simd = S;
    type Vector = S::f32s;
    type Output = f32;
    const CHANNELS: usize = 1;
    const QUANTIZED: bool = false;

    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }

    #[inline(always)]
    fn quantize(self, [value, _]: [S::f32s; 2], _: S::f32s) -> S::f32s {
        value
    }

    #[inline(always)]
    fn softmax<const ROWS: usize>(
        self,
        scores: &mut [S::f32s],
        _: usize,
        temperature: f32,
        to: &mut [S::f32s],
    ) -> [f32; ROWS] {
        let scale = 1.0 / temperature;
        let min = self.0.splat_f32s(MIN_SOFTMAX_EXPONENT);
        let power = |x| exp(self.0, clamp_below(self.0, x, min));
        let sums = softmax_numerators(self.0, scores, scale, power);
        to.copy_from_slice(scores);
        sums.map(f32::recip)
    }

    #[inline(always)]
    fn multiply<T: Sink<Self>>(
        self,
        rows: Rows<'_>,
        packed: &PackedMatrices,
        panels: Range<usize>,
        sink: &mut T,
    ) {
        blocks::multiply(self, rows, packed, panels, sink);
    }

    #[inline(always)]
    fn multiply_adds(self) -> usize {
        blocks::multiply_adds(self, 0.999, 1e-3)
    }
}

impl<S: Vectors> BlockKernel for F32Kernel<S> {
    type Element = f32;
    type Sums = S::f32s;
    const MAX_PANEL_VECTORS: usize = MAX_F32_PANEL_VECTORS;
    const BLOCK_ROWS: usize = 13;
    // With a value of 1, the compiler loads all inputs of an iteration before the weights and spills four sums.
    const EXTRA_REGISTERS: usize = 2;
    const UNROLL: usize = 1;

    #[inline(always)]
    fn broadcast(self, element: f32) -> S::f32s {
        self.0.splat_f32s(element)
    }

    #[inline(always)]
    fn multiply_add(self, sums: S::f32s, inputs: S::f32s, weights: S::f32s) -> S::f32s {
        mul_add(self.0, inputs, weights, sums)
    }

    #[inline(always)]
    fn floats(self, sums: S::f32s) -> Floats<Self> {
        sums
    }
}
