//! Linear layers and convolutions, packed for the matrix product, with the norms after them folded in.

use candle_core::{Result, Tensor};
use candle_nn::Module;

use super::grid::{Grid, Kernel};
use super::product::Matrix;
use crate::net::desc::layers::{self, Activation, Affine};

/// Fully connected layer or convolution.
#[derive(Debug)]
pub struct Linear {
    /// Boxed to keep optional layers small.
    matrix: Box<Matrix>,
    kernel: Kernel,
}

impl Linear {
    /// Creates a layer that is applied to each row.
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

    /// Creates a layer that is applied to each row, with the following norm folded in.
    pub fn map_normed(linear: &layers::Linear, norm: &Affine) -> Self {
        let mut shift = norm.shift.clone();
        if linear.biased {
            for ((shift, bias), scale) in shift.iter_mut().zip(&linear.bias).zip(&norm.scale) {
                *shift += bias * scale;
            }
        }
        Self::pack((1, 1), &linear.weights, Some(&norm.scale), &shift)
    }

    /// Creates a convolution without a bias.
    pub fn conv(conv: &layers::Conv) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            None,
            &vec![0.0; conv.outputs],
        )
    }

    /// Creates a convolution with the following norm folded in.
    pub fn normed(conv: &layers::Conv, norm: &Affine) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            Some(&norm.scale),
            &norm.shift,
        )
    }

    /// Creates a convolution with only the scale of the following norm folded in.
    ///
    /// Used where the norm is applied to the sum of two layers. The other layer then includes the shift.
    pub fn scaled(conv: &layers::Conv, norm: &Affine) -> Self {
        Self::pack(
            (conv.height, conv.width),
            &conv.weights,
            Some(&norm.scale),
            &vec![0.0; conv.outputs],
        )
    }

    /// Packs `[taps * inputs, outputs]` weights multiplied by `scale`, with `shift` as the bias.
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

    /// Returns the kernel size, which is (1, 1) for fully connected layers.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Applies the layer and the activation to each row: `[rows, inputs]` to `[rows, outputs]`.
    pub fn forward(&self, x: &Tensor, activation: Activation) -> Result<Tensor> {
        rest(activation, &self.matrix.of_rows(x, activation.floor())?)
    }

    /// Applies the convolution and the activation to the boards of `grid`, with zero padding.
    ///
    /// Maps `[rows, inputs]` to `[rows, outputs]`.
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

/// Completes an activation after the maximum with [`Activation::floor`] has been applied.
pub fn rest(activation: Activation, floored: &Tensor) -> Result<Tensor> {
    match activation {
        Activation::Relu => Ok(floored.clone()),
        other => activate(floored, other),
    }
}

/// Applies an activation to every element.
pub fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Identity => Ok(x.clone()),
        // Propagates NaN, in contrast to candle's `relu`.
        Activation::Relu => x.lt(0.0)?.where_cond(&x.zeros_like()?, x),
        Activation::Mish => candle_nn::Activation::Mish.forward(x),
        Activation::Silu => candle_nn::Activation::Silu.forward(x),
    }
}
