//! Layers that process each row independently: activations, element-wise products and norms. An exception is the RMS
//! norm, which can also span a whole board.

use pulp::{Simd, WithSimd};

use super::activations::{activate, floored};
use super::aligned::Aligned;
use super::boards::Rows;
use super::finish::Scale;
use super::steps::Rms;
use crate::net::desc::layers::Activation;

/// Activation in place.
pub struct Activate<'a> {
    pub rows: Rows<'a>,
    /// Input and output, `[places, stride]`.
    pub numbers: &'a mut Aligned,
    /// Elements per row, padded to whole vectors.
    pub stride: usize,
    pub activation: Activation,
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = self.stride / S::F32_LANES;
        let numbers = S::as_mut_simd_f32s(self.numbers).0;
        for place in self.rows.places {
            for x in &mut numbers[place * vectors..][..vectors] {
                *x = activate(simd, self.activation, *x);
            }
        }
    }
}

/// Element-wise product in place: `numbers *= by`.
pub struct Multiply<'a> {
    pub rows: Rows<'a>,
    /// First factor and output, `[places, stride]`.
    pub numbers: &'a mut Aligned,
    /// Second factor, `[places, stride]`.
    pub by: &'a Aligned,
    /// Elements per row, padded to whole vectors.
    pub stride: usize,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = self.stride / S::F32_LANES;
        let numbers = S::as_mut_simd_f32s(self.numbers).0;
        let by = S::as_simd_f32s(self.by).0;
        for place in self.rows.places {
            let row = place * vectors..(place + 1) * vectors;
            for (x, y) in numbers[row.clone()].iter_mut().zip(&by[row]) {
                *x = simd.mul_f32s(*x, *y);
            }
        }
    }
}

/// Norm with fixed statistics, followed by a lower limit (ReLU).
pub struct Norm<'a> {
    pub rows: Rows<'a>,
    /// Input, `[places, channels]`.
    pub from: &'a Aligned,
    /// Output, `[places, channels]`.
    pub to: &'a mut Aligned,
    pub scale: &'a Scale,
}

impl WithSimd for Norm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let scale = S::as_simd_f32s(&self.scale.scale).0;
        let shift = S::as_simd_f32s(&self.scale.shift).0;
        let floor = simd.splat_f32s(self.scale.floor);
        let from = S::as_simd_f32s(self.from).0;
        let to = S::as_mut_simd_f32s(self.to).0;
        for place in self.rows.places {
            let row = place * scale.len()..(place + 1) * scale.len();
            let channels = scale.iter().zip(shift);
            for ((y, x), (scale, shift)) in to[row.clone()].iter_mut().zip(&from[row]).zip(channels)
            {
                *y = floored(simd, simd.mul_add_e_f32s(*x, *scale, *shift), floor);
            }
        }
    }
}

/// RMS norm, either over the channels of each point or over all channels of all points of a board.
pub struct RmsNorm<'a> {
    pub rows: Rows<'a>,
    /// Number of points per board.
    pub area: usize,
    /// Input, `[places, channels]`, with zeros in the padding channels.
    pub from: &'a Aligned,
    /// Output, `[places, channels]`.
    pub to: &'a mut Aligned,
    pub rms: &'a Rms,
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
        let together = if norm.over_board { self.area } else { 1 };
        for places in self.rows.places.chunks_exact(together) {
            let mut squares = simd.splat_f32s(0.0);
            for place in places {
                // The padding channels are zero and do not change the sum.
                for x in &from[place * vectors..][..vectors] {
                    squares = simd.mul_add_e_f32s(*x, *x, squares);
                }
            }
            let mean = simd.reduce_sum_f32s(squares) / (together * norm.channels) as f32;
            let factor = simd.splat_f32s(1.0 / (mean + norm.epsilon).sqrt());
            for place in places {
                let row = place * vectors..(place + 1) * vectors;
                let channels = weight.iter().zip(shift);
                for ((y, x), (weight, shift)) in
                    to[row.clone()].iter_mut().zip(&from[row]).zip(channels)
                {
                    *y = simd.mul_add_e_f32s(simd.mul_f32s(*x, factor), *weight, *shift);
                }
            }
        }
    }
}
