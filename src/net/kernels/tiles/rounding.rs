//! Conversion of 32-bit floats to the bfloat16 input of AMX layers, with optional normalisation.

use super::activations::activate;
use super::half::Halves;
use crate::net::kernels::steps::{Half, Rms};
use crate::net::kernels::vocabulary::WithHalves;

/// Arguments of a conversion with an optional scale, shift and activation for each channel.
pub struct Halve<'a> {
    /// Normalisation and activation.
    pub half: &'a Half,
    /// Places to convert.
    pub places: &'a [usize],
    /// Input, `[places, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[places, stride]`, and the stride.
    pub to: (&'a mut [u16], usize),
}

impl WithHalves for Halve<'_> {
    #[inline(always)]
    fn with_halves<S: Halves>(self, simd: S) {
        let vectors = self.from.1.min(self.to.1) / S::F32_LANES;
        let from = S::as_simd_f32s(self.from.0).0;
        for place in self.places {
            let row = &from[place * self.from.1 / S::F32_LANES..][..vectors];
            let to = &mut self.to.0[place * self.to.1..][..self.to.1];
            for ((vector, x), to) in row.iter().enumerate().zip(to.chunks_mut(S::F32_LANES)) {
                let mut y = *x;
                if let Some((scale, shift)) = &self.half.norm {
                    let vector = |numbers| S::as_simd_f32s(numbers).0[vector];
                    y = simd.mul_add_e_f32s(y, vector(scale), vector(shift));
                }
                simd.store_rounded(to, activate(simd, self.half.activation, y));
            }
        }
    }
}

/// Arguments of RMS normalisation with bfloat16 output, over the channels of each point or over a whole board.
pub struct HalveRms<'a> {
    /// Parameters of the normalisation.
    pub rms: &'a Rms,
    /// Places of the points.
    pub places: &'a [usize],
    /// Number of points of a board.
    pub area: usize,
    /// Input, `[places, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[places, stride]`, and the stride.
    pub to: (&'a mut [u16], usize),
}

impl WithHalves for HalveRms<'_> {
    #[inline(always)]
    fn with_halves<S: Halves>(self, simd: S) {
        let norm = &self.rms.norm;
        let weight = S::as_simd_f32s(&self.rms.weight).0;
        let shift = S::as_simd_f32s(&self.rms.shift).0;
        let from = S::as_simd_f32s(self.from.0).0;
        let vectors = weight.len();
        let together = if norm.over_board { self.area } else { 1 };
        for places in self.places.chunks_exact(together) {
            let mut squares = simd.splat_f32s(0.0);
            for place in places {
                // The padding channels are zero.
                for x in &from[place * vectors..][..vectors] {
                    squares = simd.mul_add_e_f32s(*x, *x, squares);
                }
            }
            let mean = simd.reduce_sum_f32s(squares) / (together * norm.channels) as f32;
            let factor = simd.splat_f32s(1.0 / (mean + norm.epsilon).sqrt());
            for place in places {
                let row = from[place * vectors..][..vectors].iter();
                let to = &mut self.to.0[place * self.to.1..][..self.to.1];
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
