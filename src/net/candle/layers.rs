//! Layers of a network: convolution, linear layer, norms, activations and global pooling.
//!
//! Every tensor of activations has the shape `[n, channels, height, width]`. Its memory layout is channels-first (as
//! after a 3x3 convolution) or channels-last (as after a transformer block). [`to_rows`] and [`to_boards`] convert
//! between this shape and `[n, points, channels]`. [`to_rows`] copies the values only if the layout is channels-first,
//! and [`to_boards`] never copies them.
//!
//! All activations are f32. If the [`Backend`] has a 16-bit type, convolutions and matrix products round their operands
//! and results to this type. Everything else is computed in f32: biases, norms, activations, softmax, pooling and sums.
//! The constructors return an error only if the device reports one, for example because it is out of memory.
//!
//! This file avoids the following defects of candle 0.9.2:
//! - On the CPU, `conv2d` reads a channels-first input as channels-last if channels, height and width are equal.
//! - A 1x1 or strided convolution reads wrong weights if its kernel is not contiguous and starts at an offset. In this
//!   file, all kernels are contiguous, and 1x1 convolutions are computed as matrix products.
//! - The product of a batch and a broadcast matrix is incorrect on the CPU. In this file, the input of a linear layer is
//!   contiguous, so that all rows of the batch form one matrix.
//! - There is no bf16 matrix multiplication on the CPU.
//! - `relu` returns 0 for NaN.

use candle_core::{Result, Shape, Tensor};
use candle_nn::{Conv2d, Conv2dConfig, Module};

use super::device::Backend;
use crate::net::folded::Layer;
use crate::net::spec::layers::{self, Activation, Affine, Pooling};

/// Convolution followed by an activation. Zero padding preserves the board size.
#[derive(Debug)]
pub enum Conv {
    /// 1x1 convolution: a linear layer at every point.
    Pointwise(Linear),
    /// Convolution with a square kernel, without its bias.
    Spatial(Conv2d, Epilogue),
}

/// Linear layer followed by an activation. Applied to the last dimension.
#[derive(Debug)]
pub struct Linear {
    /// Layer without its bias.
    linear: candle_nn::Linear,
    epilogue: Epilogue,
}

/// Bias and activation of a layer, applied in f32.
#[derive(Debug)]
pub struct Epilogue {
    /// `None` if the bias is zero.
    bias: Option<Tensor>,
    activation: Activation,
    backend: Backend,
}

impl Conv {
    /// A kernel that is not square is padded with zeros to a square, because candle pads both dimensions of the board
    /// equally.
    pub fn new(layer: &Layer, activation: Activation, backend: &Backend) -> Result<Self> {
        let (height, width) = layer.kernel;
        let side = height.max(width);
        if side == 1 {
            return Linear::new(layer, activation, backend).map(Self::Pointwise);
        }
        let [rows, columns] = [height, width].map(|length| (side - length) / 2);
        let shape = (height, width, layer.inputs, layer.outputs);
        let weight = backend
            .upload(&layer.weights, shape)?
            .permute((3, 2, 0, 1))?
            .pad_with_zeros(2, rows, rows)?
            .pad_with_zeros(3, columns, columns)?;
        let config = Conv2dConfig {
            padding: side / 2,
            ..Conv2dConfig::default()
        };
        let weight = backend.product_operand(&weight)?.contiguous()?;
        Ok(Self::Spatial(
            Conv2d::new(weight, None, config),
            Epilogue::new(layer, (layer.outputs, 1, 1), activation, backend)?,
        ))
    }
}

impl Linear {
    /// `layer` must have a 1x1 kernel.
    pub fn new(layer: &Layer, activation: Activation, backend: &Backend) -> Result<Self> {
        let weight = backend.upload(&layer.weights, (layer.inputs, layer.outputs))?;
        let weight = backend.product_operand(&weight.t()?)?.contiguous()?;
        Ok(Self {
            linear: candle_nn::Linear::new(weight, None),
            epilogue: Epilogue::new(layer, layer.outputs, activation, backend)?,
        })
    }
}

impl Epilogue {
    fn new(
        layer: &Layer,
        shape: impl Into<Shape>,
        activation: Activation,
        backend: &Backend,
    ) -> Result<Self> {
        let is_biased = layer.bias.iter().any(|bias| *bias != 0.0);
        let bias = is_biased.then(|| backend.upload(&layer.bias, shape));
        Ok(Self {
            bias: bias.transpose()?,
            activation,
            backend: backend.clone(),
        })
    }
}

impl Module for Conv {
    /// Maps `[n, inputs, height, width]` to `[n, outputs, height, width]`.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (_, channels, height, width) = x.dims4()?;
        match self {
            Self::Pointwise(linear) => to_boards(&to_rows(x)?.apply(linear)?, height, width),
            Self::Spatial(conv, epilogue) => {
                let mut x = epilogue.backend.product_operand(x)?;
                if channels == height && channels == width {
                    // In a channels-last layout, `conv2d` reads this shape correctly.
                    let rows = x.permute((0, 2, 3, 1))?.contiguous()?;
                    x = rows.permute((0, 3, 1, 2))?;
                }
                x.apply(conv)?.apply(epilogue)
            }
        }
    }
}

impl Module for Linear {
    /// Maps a contiguous tensor `[…, inputs]` to `[…, outputs]`.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.epilogue.backend.product_operand(x)?;
        x.apply(&self.linear)?.apply(&self.epilogue)
    }
}

impl Module for Epilogue {
    /// Applies bias and activation to a product.
    fn forward(&self, product: &Tensor) -> Result<Tensor> {
        let mut y = self.backend.product_result(product)?;
        if let Some(bias) = &self.bias {
            y = y.broadcast_add(bias)?;
        }
        activate(&y, self.activation)
    }
}

/// Batch norm with fixed statistics, followed by an activation: `activation(scale * x + shift)`.
#[derive(Debug)]
pub struct AffineNorm {
    /// `[channels, 1, 1]`
    scale: Tensor,
    /// `[channels, 1, 1]`
    shift: Tensor,
    activation: Activation,
}

impl AffineNorm {
    pub fn new(norm: &Affine, activation: Activation, backend: &Backend) -> Result<Self> {
        Ok(Self {
            scale: backend.upload(&norm.scale, (norm.channels, 1, 1))?,
            shift: backend.upload(&norm.shift, (norm.channels, 1, 1))?,
            activation,
        })
    }
}

impl Module for AffineNorm {
    /// Applies the norm and the activation to `x`, `[n, channels, height, width]`.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = x.broadcast_mul(&self.scale)?.broadcast_add(&self.shift)?;
        activate(&y, self.activation)
    }
}

/// RMS norm: `weight * x / sqrt(mean(x^2) + epsilon) + shift`.
///
/// See Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).
#[derive(Debug)]
pub struct RmsNorm {
    /// `[channels]`
    weight: Tensor,
    /// `[channels]`
    shift: Option<Tensor>,
    epsilon: f32,
    over_board: bool,
}

impl RmsNorm {
    pub fn new(norm: &layers::RmsNorm, backend: &Backend) -> Result<Self> {
        let shift = norm
            .shifted
            .then(|| backend.upload(&norm.shift, norm.channels));
        Ok(Self {
            weight: backend.upload(&norm.weight, norm.channels)?,
            shift: shift.transpose()?,
            epsilon: norm.epsilon,
            over_board: norm.over_board,
        })
    }
}

impl Module for RmsNorm {
    /// Applies the norm to `x`, a contiguous tensor `[n, points, channels]`. The mean covers either the channels
    /// of each point or all channels of all points of a board.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = if self.over_board {
            let mean = x.sqr()?.mean_keepdim((1, 2))?;
            let root = (mean + f64::from(self.epsilon))?.sqrt()?;
            x.broadcast_div(&root)?.broadcast_mul(&self.weight)?
        } else {
            candle_nn::ops::rms_norm(x, &self.weight, self.epsilon)?
        };
        match &self.shift {
            None => Ok(y),
            Some(shift) => y.broadcast_add(shift),
        }
    }
}

/// Applies an activation to every element. Propagates NaN, so that an overflow leads to an error instead of a wrong
/// result.
pub fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Identity => Ok(x.clone()),
        // max(x, 0) in one operation that preserves NaN: x if x > 0, otherwise 0 * (e^x - 1).
        Activation::Relu => x.elu(0.0),
        // With n = e^x (e^x + 2), tanh(ln(1 + e^x)) = n / (n + 2) = 1 / (1 + 2 / n). The last form has an error of only
        // a few roundings for all x. It tends to 1 where n overflows.
        Activation::Mish => {
            let exp = x.exp()?;
            let n = (&exp * (&exp + 2.0)?)?;
            x / n.recip()?.affine(2.0, 1.0)?
        }
        Activation::Silu => x.silu(),
    }
}

/// Global pooling: maps `[n, channels, height, width]` to `[n, 3 * channels]`.
///
/// All points are on the board, so no mask is needed. See [`Pooling`] for the three features of a channel.
pub fn pool(x: &Tensor, pooling: Pooling) -> Result<Tensor> {
    let (_, _, height, width) = x.dims4()?;
    let points = x.flatten_from(2)?;
    let side = ((height * width) as f64).sqrt() - 14.0;
    let mean = points.mean(2)?;
    let scaled = (&mean * (side / 10.0))?;
    let last = match pooling {
        Pooling::Max => points.max(2)?,
        Pooling::Mean => (&mean * (side * side / 100.0 - 0.1))?,
    };
    Tensor::cat(&[mean, scaled, last], 1)
}

/// Adds one vector per board (`vectors`, `[n, channels]`) to each point of that board in `x`
/// (`[n, channels, height, width]`).
pub fn add_to_points(x: &Tensor, vectors: &Tensor) -> Result<Tensor> {
    x.broadcast_add(&vectors.unsqueeze(2)?.unsqueeze(3)?)
}

/// Converts `[n, channels, height, width]` to contiguous `[n, points, channels]`.
pub fn to_rows(x: &Tensor) -> Result<Tensor> {
    let (n, channels, height, width) = x.dims4()?;
    x.permute((0, 2, 3, 1))?
        .contiguous()?
        .reshape((n, height * width, channels))
}

/// Converts `[n, points, channels]` to `[n, channels, height, width]`, channels-last and without a copy.
pub fn to_boards(rows: &Tensor, height: usize, width: usize) -> Result<Tensor> {
    let (n, _, channels) = rows.dims3()?;
    rows.reshape((n, height, width, channels))?
        .permute((0, 3, 1, 2))
}
