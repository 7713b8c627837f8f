//! Conversion of 32-bit floats to the bfloat16 input of AMX layers, with optional normalisation.

use super::activations::activate;
use super::simd::Bf16Simd;
use crate::net::cpu::isa::WithBf16;
use crate::net::cpu::steps::{Bf16Copy, RmsWeights};

/// Arguments of a conversion to bfloat16, with an optional norm and an activation applied before rounding.
pub struct ConvertToBf16<'a> {
    /// Norm and activation. The content of the output buffer is passed in [`to`](Self::to).
    pub copy: &'a Bf16Copy,
    /// Cells to convert.
    pub cells: &'a [usize],
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, stride]`, and the stride.
    pub to: (&'a mut [u16], usize),
}

impl WithBf16 for ConvertToBf16<'_> {
    #[inline(always)]
    fn with_bf16<S: Bf16Simd>(self, simd: S) {
        let vectors = self.from.1.min(self.to.1) / S::F32_LANES;
        let from = S::as_simd_f32s(self.from.0).0;
        for cell in self.cells {
            let row = &from[cell * self.from.1 / S::F32_LANES..][..vectors];
            let to = &mut self.to.0[cell * self.to.1..][..self.to.1];
            for ((vector, x), to) in row.iter().enumerate().zip(to.chunks_mut(S::F32_LANES)) {
                let mut y = *x;
                if let Some((scale, shift)) = &self.copy.norm {
                    let vector = |values| S::as_simd_f32s(values).0[vector];
                    y = simd.mul_add_e_f32s(y, vector(scale), vector(shift));
                }
                simd.store_rounded(to, activate(simd, self.copy.activation, y));
            }
        }
    }
}

/// Arguments of RMS normalisation with bfloat16 output, over the channels of each point or over a whole board.
pub struct RmsNormToBf16<'a> {
    /// Parameters of the normalisation.
    pub rms: &'a RmsWeights,
    /// Cells of the points.
    pub cells: &'a [usize],
    /// Number of points of a board.
    pub area: usize,
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, stride]`, and the stride.
    pub to: (&'a mut [u16], usize),
}

impl WithBf16 for RmsNormToBf16<'_> {
    #[inline(always)]
    fn with_bf16<S: Bf16Simd>(self, simd: S) {
        let norm = &self.rms.norm;
        let weight = S::as_simd_f32s(&self.rms.weight).0;
        let shift = S::as_simd_f32s(&self.rms.shift).0;
        let from = S::as_simd_f32s(self.from.0).0;
        let vectors = weight.len();
        let group = if norm.over_board { self.area } else { 1 };
        for cells in self.cells.chunks_exact(group) {
            let mut squares = simd.splat_f32s(0.0);
            for cell in cells {
                // The padding channels are zero.
                for x in &from[cell * vectors..][..vectors] {
                    squares = simd.mul_add_e_f32s(*x, *x, squares);
                }
            }
            let mean = simd.reduce_sum_f32s(squares) / (group * norm.channels) as f32;
            let factor = simd.splat_f32s(1.0 / (mean + norm.epsilon).sqrt());
            for cell in cells {
                let row = from[cell * vectors..][..vectors].iter();
                let to = &mut self.to.0[cell * self.to.1..][..self.to.1];
                let channels = weight.iter().zip(shift);
                let to = to.chunks_mut(S::F32_LANES);
                for ((to, x), (weight, shift)) in to.zip(row).zip(channels) {
                    let y = simd.mul_add_e_f32s(simd.mul_f32s(*x, factor), *weight, *shift);
                    simd.store_rounded(to, y);
                }
            }
        }
    }
}
