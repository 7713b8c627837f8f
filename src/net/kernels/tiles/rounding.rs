//! From 32-bit floats to what layers in tiles read: as they are, or normed.

use super::activations::activate;
use super::half::Halves;
use crate::net::kernels::steps::{Half, Rms};
use crate::net::kernels::vocabulary::WithHalves;

/// 32-bit numbers of points to be rounded, as they are or normed.
pub struct Halve<'a> {
    /// What is done.
    pub half: &'a Half,
    /// The points.
    pub places: &'a [usize],
    /// The numbers, `[places, stride]`.
    pub from: (&'a [f32], usize),
    /// `[places, stride]`
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

/// A norm by the size of the activations, over each point's channels or over all numbers of a board, rounded.
pub struct HalveRms<'a> {
    /// The norm.
    pub rms: &'a Rms,
    /// The points.
    pub places: &'a [usize],
    /// Points of a board.
    pub area: usize,
    /// The numbers, `[places, stride]`.
    pub from: (&'a [f32], usize),
    /// `[places, stride]`
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
                // Beyond the last channel there are zeros.
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
