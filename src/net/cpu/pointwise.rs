//! Layers that process each row independently (activations, element-wise products and norms), and the RMS norm, which
//! can also span a whole board.

use pulp::{Simd, WithSimd};

use super::activations::{activate, floored};
use super::aligned::Aligned;
use super::gemm::epilogue::ChannelNorm;
use super::layout::LayoutRows;
use super::steps::RmsWeights;
use super::vectors::mul_add;
use crate::net::spec::layers::Activation;

/// Activation, applied in place.
pub struct Activate<'a> {
    pub rows: LayoutRows<'a>,
    /// Input and output, `[cells, stride]`.
    pub values: &'a mut Aligned,
    /// Number of elements per row, padded to whole vectors.
    pub stride: usize,
    pub activation: Activation,
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = self.stride / S::F32_LANES;
        let values = S::as_mut_simd_f32s(self.values).0;
        for cell in self.rows.cells {
            for x in &mut values[cell * vectors..][..vectors] {
                *x = activate(simd, self.activation, *x);
            }
        }
    }
}

/// Element-wise product in place: `values *= by`.
pub struct Multiply<'a> {
    pub rows: LayoutRows<'a>,
    /// First factor and output, `[cells, stride]`.
    pub values: &'a mut Aligned,
    /// Second factor, `[cells, stride]`.
    pub by: &'a [f32],
    /// Number of elements per row, padded to whole vectors.
    pub stride: usize,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = self.stride / S::F32_LANES;
        let values = S::as_mut_simd_f32s(self.values).0;
        let by = S::as_simd_f32s(self.by).0;
        for cell in self.rows.cells {
            let row = cell * vectors..(cell + 1) * vectors;
            for (x, y) in values[row.clone()].iter_mut().zip(&by[row]) {
                *x = simd.mul_f32s(*x, *y);
            }
        }
    }
}

/// Norm with fixed statistics, followed by a lower limit (ReLU).
pub struct Norm<'a> {
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, channels]`.
    pub from: &'a [f32],
    /// Output, `[cells, channels]`.
    pub to: &'a mut Aligned,
    pub norm: &'a ChannelNorm,
}

impl WithSimd for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let scale = S::as_simd_f32s(&self.norm.scale).0;
        let shift = S::as_simd_f32s(&self.norm.shift).0;
        let floor = simd.splat_f32s(self.norm.floor);
        let from = S::as_simd_f32s(self.from).0;
        let to = S::as_mut_simd_f32s(self.to).0;
        for cell in self.rows.cells {
            let row = cell * scale.len()..(cell + 1) * scale.len();
            let channels = scale.iter().zip(shift);
            for ((y, x), (scale, shift)) in to[row.clone()].iter_mut().zip(&from[row]).zip(channels)
            {
                *y = floored(simd, mul_add(simd, *x, *scale, *shift), floor);
            }
        }
    }
}

/// RMS norm, either over the channels of each point or over all channels of all points of a board.
pub struct RmsNorm<'a> {
    pub rows: LayoutRows<'a>,
    /// Number of points per board.
    pub area: usize,
    /// Input, `[cells, channels]`, with zeros in the padding channels.
    pub from: &'a [f32],
    /// Output, `[cells, channels]`.
    pub to: &'a mut Aligned,
    pub rms: &'a RmsWeights,
}

impl WithSimd for RmsNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let norm = &self.rms.norm;
        let weight = S::as_simd_f32s(&self.rms.weight).0;
        let shift = S::as_simd_f32s(&self.rms.shift).0;
        let from = S::as_simd_f32s(self.from).0;
        let to = S::as_mut_simd_f32s(self.to).0;
        let vectors = weight.len();
        let group = if norm.over_board { self.area } else { 1 };
        for cells in self.rows.cells.chunks_exact(group) {
            let mut squares = simd.splat_f32s(0.0);
            for cell in cells {
                // The padding channels are zero and do not change the sum.
                for x in &from[cell * vectors..][..vectors] {
                    squares = mul_add(simd, *x, *x, squares);
                }
            }
            let mean = simd.reduce_sum_f32s(squares) / (group * norm.channels) as f32;
            let factor = simd.splat_f32s(1.0 / (mean + norm.epsilon).sqrt());
            for cell in cells {
                let row = cell * vectors..(cell + 1) * vectors;
                let channels = weight.iter().zip(shift);
                for ((y, x), (weight, shift)) in
                    to[row.clone()].iter_mut().zip(&from[row]).zip(channels)
                {
                    *y = mul_add(simd, simd.mul_f32s(*x, factor), *weight, *shift);
                }
            }
        }
    }
}
