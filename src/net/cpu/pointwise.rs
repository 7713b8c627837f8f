//! Layers that process each row independently (activations and norms), and the RMS norm, which can also span a whole
//! board.

use pulp::bytemuck::cast_slice_mut;

use super::activations::{OutputElement, activate};
use super::gemm::epilogue::ChannelNorm;
use super::vectors::{Vectors, WithVectors, mul_add};
use crate::net::program::ops::BufferFormat;
use crate::net::spec::layers::{Activation, RmsNorm};

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
                *x = activate::<f32, S>(simd, self.activation, *x);
            }
        }
    }
}

/// Norm, followed by an activation.
pub struct NormAndActivate<'a> {
    pub cells: &'a [usize],
    /// Input, `[cells, stride]`, with zeros in the padding channels, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, stride]`, and the stride in words.
    pub to: (&'a mut [f32], usize),
    pub format: BufferFormat,
    pub norm: &'a ChannelNorm,
    /// RMS norm, either over the channels of each point or over all channels of all points of a board. `None` for a norm
    /// with fixed statistics.
    pub rms: Option<&'a RmsNorm>,
    pub area: usize,
}

impl WithVectors for NormAndActivate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        match self.format {
            BufferFormat::F32 => self.store_as::<f32, S>(simd),
            BufferFormat::Bf16 => self.store_as::<u16, S>(simd),
        }
    }
}

impl NormAndActivate<'_> {
    #[inline(always)]
    fn store_as<T: OutputElement, S: Vectors>(self, simd: S) {
        let scale = S::as_simd_f32s(&self.norm.scale).0;
        let shift = S::as_simd_f32s(&self.norm.shift).0;
        let from = S::as_simd_f32s(self.from.0).0;
        let vectors = self.from.1 / S::F32_LANES;
        let group = match self.rms {
            Some(norm) if norm.over_board => self.area,
            _ => 1,
        };
        for cells in self.cells.chunks_exact(group) {
            let mut factor = simd.splat_f32s(1.0);
            if let Some(norm) = self.rms {
                let mut squares = simd.splat_f32s(0.0);
                for cell in cells {
                    // The padding channels are zero and do not change the sum.
                    for x in &from[cell * vectors..][..vectors] {
                        squares = mul_add(simd, *x, *x, squares);
                    }
                }
                let mean = simd.reduce_sum_f32s(squares) / (group * norm.channels) as f32;
                factor = simd.splat_f32s(1.0 / (mean + norm.epsilon).sqrt());
            }
            for cell in cells {
                let row = &from[cell * vectors..][..vectors];
                let to = &mut self.to.0[cell * self.to.1..][..self.to.1];
                let to = cast_slice_mut::<_, T>(to).chunks_mut(S::F32_LANES);
                for ((to, x), (scale, shift)) in to.zip(row).zip(scale.iter().zip(shift)) {
                    let y = mul_add(simd, simd.mul_f32s(*x, factor), *scale, *shift);
                    T::store(simd, to, activate::<T, S>(simd, self.norm.activation, y));
                }
            }
        }
    }
}
