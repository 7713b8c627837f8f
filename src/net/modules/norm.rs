//! Norms that are separate layers instead of being folded into the preceding layer.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::grid::Grid;
use super::layer::rest;
use crate::net::desc::layers::{self, Activation, Affine};

/// Batch norm with fixed statistics and its activation: `activation(scale * x + shift)` per channel.
#[derive(Debug)]
pub struct Norm {
    norm: Affine,
    activation: Activation,
}

impl Norm {
    pub fn new(norm: &Affine, activation: Activation) -> Self {
        Self {
            norm: norm.clone(),
            activation,
        }
    }

    /// Maps `[rows, channels]` to the same shape.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let y = x.apply_op1_no_bwd(&Scaled { norm: self, grid })?;
        rest(self.activation, &y)
    }
}

/// Norm and maximum with the activation's floor, computed in a single pass.
struct Scaled<'a> {
    norm: &'a Norm,
    grid: &'a Grid,
}

impl CustomOp1 for Scaled<'_> {
    fn name(&self) -> &'static str {
        "norm"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (x, channels) = self.grid.rows(storage, layout)?;
        let Affine { scale, shift, .. } = &self.norm.norm;
        let floor = self.norm.activation.floor();
        let mut output = Vec::with_capacity(x.len());
        for row in x.chunks_exact(channels) {
            let scaled = row.iter().zip(scale).zip(shift);
            // Propagates NaN, in contrast to `f32::max`.
            let floored = |x: f32| if x < floor { floor } else { x };
            output.extend(scaled.map(|((x, scale), shift)| floored(x * scale + shift)));
        }
        Ok((CpuStorage::F32(output), layout.shape().clone()))
    }
}

/// RMS norm: `weight * x / sqrt(mean(x^2) + epsilon) + shift`.
///
/// Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).
#[derive(Debug)]
pub struct RmsNorm(layers::RmsNorm);

impl RmsNorm {
    pub fn new(norm: &layers::RmsNorm) -> Self {
        Self(norm.clone())
    }

    /// Maps `[rows, channels]` to the same shape. The mean is over the channels of each row or over the whole board.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        x.apply_op1_no_bwd(&Rms {
            norm: &self.0,
            grid,
        })
    }
}

struct Rms<'a> {
    norm: &'a layers::RmsNorm,
    grid: &'a Grid,
}

impl CustomOp1 for Rms<'_> {
    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Self { norm, grid } = *self;
        let (x, channels) = grid.rows(storage, layout)?;
        let together = if norm.over_board { grid.area() } else { 1 };
        let mut output = Vec::with_capacity(x.len());
        for group in x.chunks_exact(together * channels) {
            let squares: f32 = group.iter().map(|x| x * x).sum();
            let factor = 1.0 / (squares / group.len() as f32 + norm.epsilon).sqrt();
            for row in group.chunks_exact(channels) {
                let scaled = row.iter().zip(&norm.weight);
                output.extend(scaled.map(|(x, weight)| x * factor * weight));
            }
        }
        if norm.shifted {
            for row in output.chunks_exact_mut(channels) {
                row.iter_mut()
                    .zip(&norm.shift)
                    .for_each(|(y, shift)| *y += shift);
            }
        }
        Ok((CpuStorage::F32(output), layout.shape().clone()))
    }
}
