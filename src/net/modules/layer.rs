//! Maps of rows and convolutions, packed for the product kernel, with the norms after them folded in.

use candle_core::{Result, Tensor};
use candle_nn::Module;

use super::grid::{Grid, Kernel};
use super::product::Matrix;
use crate::net::desc::layers::{self, Activation, Affine};

/// A linear map of rows, which is a layer of the heads, a 1x1 convolution or a larger one.
#[derive(Debug)]
pub struct Linear {
    /// Boxed, since the parts hold many layers and some hold them or not.
    matrix: Box<Matrix>,
    kernel: Kernel,
}

impl Linear {
    /// A map of rows.
    pub fn map(linear: &layers::Linear) -> Self {
        let zeros;
        let bias = if linear.biased {
            &linear.bias
        } else {
            zeros = vec![0.0; linear.outputs];
            &zeros
        };
        Self::pack((1, 1), &linear.weights, None, bias)
    }

    /// A map of rows that is followed by a norm.
    pub fn map_normed(linear: &layers::Linear, norm: &Affine) -> Self {
        let mut shift = norm.shift.clone();
        if linear.biased {
            for ((shift, bias), scale) in shift.iter_mut().zip(&linear.bias).zip(&norm.scale) {
                *shift += bias * scale;
            }
        }
        Self::pack((1, 1), &linear.weights, Some(&norm.scale), &shift)
    }

    /// A convolution.
    pub fn conv(conv: &layers::Conv) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            None,
            &vec![0.0; conv.outputs],
        )
    }

    /// A convolution that is followed by a norm.
    pub fn normed(conv: &layers::Conv, norm: &Affine) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            Some(&norm.scale),
            &norm.shift,
        )
    }

    /// A convolution that is followed by the scale of a norm: one of two maps whose sum goes into that norm.
    pub fn scaled(conv: &layers::Conv, norm: &Affine) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            Some(&norm.scale),
            &vec![0.0; conv.outputs],
        )
    }

    /// Packs `[inputs, outputs]`, each output scaled, then shifted.
    fn pack(kernel: Kernel, weights: &[f32], scale: Option<&[f32]>, shift: &[f32]) -> Self {
        let matrix = match scale {
            None => Matrix::new(weights, shift, kernel.0 * kernel.1),
            Some(scale) => {
                let scaled: Vec<f32> = weights
                    .chunks_exact(scale.len())
                    .flat_map(|row| row.iter().zip(scale).map(|(weight, scale)| weight * scale))
                    .collect();
                Matrix::new(&scaled, shift, kernel.0 * kernel.1)
            }
        };
        Self {
            matrix: Box::new(matrix),
            kernel,
        }
    }

    /// The kernel; (1, 1) for a map of rows.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Each row for itself: `[rows, inputs]` to `[rows, outputs]`, and the activation after it.
    pub fn forward(&self, x: &Tensor, activation: Activation) -> Result<Tensor> {
        rest(activation, &self.matrix.of_rows(x, activation.floor())?)
    }

    /// What lies under the kernel at each point, zero beyond the edge: `[rows, inputs]` to `[rows, outputs]`, and the
    /// activation after it.
    pub fn convolve(&self, x: &Tensor, activation: Activation, grid: &Grid) -> Result<Tensor> {
        let floor = activation.floor();
        let y = match self.kernel {
            (1, 1) => self.matrix.of_rows(x, floor)?,
            kernel => {
                let neighbours = grid.neighbours(kernel)?;
                self.matrix.of_neighbours(x, neighbours, floor)?
            }
        };
        rest(activation, &y)
    }
}

/// What [`Activation::floor`] leaves to do.
pub fn rest(activation: Activation, floored: &Tensor) -> Result<Tensor> {
    match activation {
        Activation::Relu => Ok(floored.clone()),
        other => activate(floored, other),
    }
}

/// The activation of every number.
pub fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Identity => Ok(x.clone()),
        // What is not a number stays none, which candle's `relu` would lose.
        Activation::Relu => x.lt(0.0)?.where_cond(&x.zeros_like()?, x),
        Activation::Mish => candle_nn::Activation::Mish.forward(x),
        Activation::Silu => candle_nn::Activation::Silu.forward(x),
    }
}
