//! Layers that treat each point for itself: activations, products of numbers, norms.

use pulp::{Simd, WithSimd};

use super::activations::{activate, floored};
use super::aligned::Aligned;
use super::boards::Rows;
use super::finish::Scale;
use super::steps::Rms;
use crate::net::desc::layers::Activation;

/// An activation in place.
pub struct Activate<'a> {
    /// The rows it is for.
    pub rows: Rows<'a>,
    /// `[places, stride]`
    pub numbers: &'a mut Aligned,
    /// Numbers of a row.
    pub stride: usize,
    /// The activation.
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

/// Multiplies in place.
pub struct Multiply<'a> {
    /// The rows it is for.
    pub rows: Rows<'a>,
    /// `[places, stride]`
    pub numbers: &'a mut Aligned,
    /// `[places, stride]`
    pub by: &'a Aligned,
    /// Numbers of a row.
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

/// A norm with fixed statistics.
pub struct Norm<'a> {
    /// The rows it is for.
    pub rows: Rows<'a>,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// `[places, channels]`
    pub to: &'a mut Aligned,
    /// The norm.
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

/// A norm by the size of the activations: over each point's channels, or over all numbers of a board.
pub struct RmsNorm<'a> {
    /// The points.
    pub rows: Rows<'a>,
    /// Points of a board.
    pub area: usize,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// `[places, channels]`
    pub to: &'a mut Aligned,
    /// The norm.
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
                // Beyond the last channel there are zeros.
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
