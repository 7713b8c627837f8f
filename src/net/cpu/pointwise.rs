//! Layers that process each row independently (activations, element-wise products and norms), and the RMS norm, which
//! can also span a whole board.

use super::activations::{Accuracy, ForBf16, ForF32, activate};
use super::gemm::epilogue::ChannelNorm;
use super::steps::RmsWeights;
use super::vectors::{Vectors, WithVectors, mul_add};
use crate::net::spec::layers::Activation;

/// Number format of the output of a norm: `f32`, or the bits of bfloat16 in `u16`.
pub trait OutputElement {
    /// Accuracy of activations whose results are stored in this format.
    type Accuracy: Accuracy;

    /// Stores a vector at the start of `to`.
    fn store<S: Vectors>(simd: S, to: &mut [Self], values: S::f32s)
    where
        Self: Sized;
}

impl OutputElement for f32 {
    type Accuracy = ForF32;

    #[inline(always)]
    fn store<S: Vectors>(_: S, to: &mut [Self], values: S::f32s) {
        S::as_mut_simd_f32s(to).0[0] = values;
    }
}

impl OutputElement for u16 {
    type Accuracy = ForBf16;

    #[inline(always)]
    fn store<S: Vectors>(simd: S, to: &mut [Self], values: S::f32s) {
        simd.store_bf16(to, values);
    }
}

/// Activation, applied in place.
pub struct Activate<'a> {
    pub cells: &'a [usize],
    /// Input and output, `[cells, stride]`, and the stride.
    pub values: (&'a mut [f32], usize),
    pub activation: Activation,
}

impl WithVectors for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        let vectors = self.values.1 / S::F32_LANES;
        let values = S::as_mut_simd_f32s(self.values.0).0;
        for cell in self.cells {
            for x in &mut values[cell * vectors..][..vectors] {
                *x = activate::<ForF32, S>(simd, self.activation, *x);
            }
        }
    }
}

/// Element-wise product in place: `values *= by`.
pub struct Multiply<'a> {
    pub cells: &'a [usize],
    /// First factor and output, `[cells, stride]`, and the stride.
    pub values: (&'a mut [f32], usize),
    /// Second factor, `[cells, stride]`.
    pub by: &'a [f32],
}

impl WithVectors for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        let vectors = self.values.1 / S::F32_LANES;
        let values = S::as_mut_simd_f32s(self.values.0).0;
        let by = S::as_simd_f32s(self.by).0;
        for cell in self.cells {
            let row = cell * vectors..(cell + 1) * vectors;
            for (x, y) in values[row.clone()].iter_mut().zip(&by[row]) {
                *x = simd.mul_f32s(*x, *y);
            }
        }
    }
}

/// Norm with fixed statistics, followed by an activation.
pub struct NormAndActivate<'a, T> {
    pub cells: &'a [usize],
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, stride]`, and the stride.
    pub to: (&'a mut [T], usize),
    pub norm: &'a ChannelNorm,
}

impl<T: OutputElement> WithVectors for NormAndActivate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        let scale = S::as_simd_f32s(&self.norm.scale).0;
        let shift = S::as_simd_f32s(&self.norm.shift).0;
        let from = S::as_simd_f32s(self.from.0).0;
        let vectors = self.from.1 / S::F32_LANES;
        for cell in self.cells {
            let row = &from[cell * vectors..][..vectors];
            let to = &mut self.to.0[cell * self.to.1..][..self.to.1];
            let channels = scale.iter().zip(shift);
            for ((to, x), (scale, shift)) in to.chunks_mut(S::F32_LANES).zip(row).zip(channels) {
                let y = mul_add(simd, *x, *scale, *shift);
                let y = activate::<T::Accuracy, S>(simd, self.norm.activation, y);
                T::store(simd, to, y);
            }
        }
    }
}

/// RMS norm, either over the channels of each point or over all channels of all points of a board.
pub struct RmsNorm<'a, T> {
    pub cells: &'a [usize],
    /// Number of points per board.
    pub area: usize,
    /// Input, `[cells, stride]`, with zeros in the padding channels, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, stride]`, and the stride.
    pub to: (&'a mut [T], usize),
    pub rms: &'a RmsWeights,
}

impl<T: OutputElement> WithVectors for RmsNorm<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        let norm = &self.rms.norm;
        let weight = S::as_simd_f32s(&self.rms.weight).0;
        let shift = S::as_simd_f32s(&self.rms.shift).0;
        let from = S::as_simd_f32s(self.from.0).0;
        let vectors = self.from.1 / S::F32_LANES;
        let group = if norm.over_board { self.area } else { 1 };
        for cells in self.cells.chunks_exact(group) {
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
                let row = &from[cell * vectors..][..vectors];
                let to = &mut self.to.0[cell * self.to.1..][..self.to.1];
                let channels = weight.iter().zip(shift);
                for ((to, x), (weight, shift)) in to.chunks_mut(S::F32_LANES).zip(row).zip(channels)
                {
                    let y = mul_add(simd, simd.mul_f32s(*x, factor), *weight, *shift);
                    T::store(simd, to, y);
                }
            }
        }
    }
}
