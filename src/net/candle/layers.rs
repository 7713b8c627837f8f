//! Layers of a network: convolution, linear layer, norms, activations and global pooling.
//!
//! Every tensor of activations has the shape `[n, channels, height, width]`. Its memory layout is channels-first (as
//! after a 3x3 convolution) or channels-last (as after a transformer block). [`to_rows`] and [`to_boards`] convert
//! between this shape and `[n, points, channels]`. [`to_rows`] copies the values only if the layout is channels-first,
//! and [`to_boards`] never copies them.
//!
//! A layer reads any float type and returns the type of its [`Backend`]. With 16-bit types, the operands of matrix
//! multiplications are rounded to 16 bits, while the trunk, norms and pooling are computed in f32.
//!
//! This file avoids the following defects of candle 0.9.2:
//! - On the CPU, `conv2d` reads a channels-first input as channels-last if channels, height and width are equal.
//! - A 1x1 or strided convolution reads wrong weights if its kernel is not contiguous and starts at an offset. In this
//!   file, all kernels are contiguous, and 1x1 convolutions are computed as matrix products.
//! - There is no bf16 matrix multiplication on the CPU.
//! - `relu` returns 0 for NaN.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::Module;

use super::device::{Backend, product_dtype};
use crate::net::spec::layers::{self, Activation, Affine, Pooling};

/// Convolution followed by an activation. Zero padding preserves the board size.
#[derive(Debug)]
pub struct Conv {
    /// `[outputs, inputs, side, side]`, contiguous.
    weight: Tensor,
    /// `[outputs, 1, 1]`
    bias: Option<Tensor>,
    activation: Activation,
    dtype: DType,
}

impl Conv {
    /// Creates a convolution without a bias or an activation.
    ///
    /// # Errors
    /// Returns an error if the device reports one, as do all other fallible functions in this file.
    pub fn new(conv: &layers::Conv, backend: &Backend) -> Result<Self> {
        Self::folded(conv, None, backend)
    }

    /// Creates a convolution followed by a norm and an activation. The norm is folded into weights and bias.
    pub fn with_folded_norm(
        conv: &layers::Conv,
        norm: &Affine,
        activation: Activation,
        backend: &Backend,
    ) -> Result<Self> {
        let shift = backend.upload(&norm.shift, (norm.channels, 1, 1))?;
        Ok(Self {
            bias: Some(backend.to_product_operand(&shift)?),
            activation,
            ..Self::folded(conv, Some(norm), backend)?
        })
    }

    /// Creates a convolution into whose weights the scale of the following norm is folded. It has no bias and no
    /// activation.
    ///
    /// This is used if the norm is applied to the sum of the outputs of two layers. The other layer then includes the
    /// shift of the norm.
    pub fn with_folded_norm_scale(
        conv: &layers::Conv,
        norm: &Affine,
        backend: &Backend,
    ) -> Result<Self> {
        Self::folded(conv, Some(norm), backend)
    }

    /// Creates a convolution without a bias or an activation. If `norm` is `Some`, multiplies the weights by its scale.
    ///
    /// A kernel that is not square is padded with zeros to a square, because candle pads both dimensions of the board
    /// equally.
    fn folded(conv: &layers::Conv, norm: Option<&Affine>, backend: &Backend) -> Result<Self> {
        let (height, width) = (conv.height, conv.width);
        let shape = (height, width, conv.inputs, conv.outputs);
        let mut weight = backend.upload(&conv.weights, shape)?;
        if let Some(norm) = norm {
            weight = weight.broadcast_mul(&backend.upload(&norm.scale, conv.outputs)?)?;
        }
        let [rows, columns] = [height, width].map(|length| (height.max(width) - length) / 2);
        let weight = weight
            .permute((3, 2, 0, 1))?
            .pad_with_zeros(2, rows, rows)?
            .pad_with_zeros(3, columns, columns)?;
        Ok(Self {
            weight: backend.to_product_operand(&weight)?,
            bias: None,
            activation: Activation::Identity,
            dtype: backend.dtype,
        })
    }

    /// Maps `[n, inputs, height, width]` to `[n, outputs, height, width]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.to_dtype(self.dtype)?.to_dtype(self.weight.dtype())?;
        let side = self.weight.dim(D::Minus1)?;
        let y = match side {
            1 => self.pointwise(&x)?,
            _ => to_conv2d_layout(&x)?.conv2d(&self.weight, side / 2, 1, 1, 1)?,
        };
        let y = match &self.bias {
            None => y,
            Some(bias) => y.broadcast_add(bias)?,
        };
        activate(&y.to_dtype(self.dtype)?, self.activation)
    }

    /// Computes a 1x1 convolution as a single matrix product over all points of all boards. Candle's product of a batch
    /// and a broadcast matrix cannot be used, because it is incorrect on the CPU.
    fn pointwise(&self, x: &Tensor) -> Result<Tensor> {
        let (outputs, inputs, _, _) = self.weight.dims4()?;
        let (n, _, height, width) = x.dims4()?;
        let points = to_rows(x)?.reshape((n * height * width, inputs))?;
        let weight = self.weight.reshape((outputs, inputs))?;
        let products = points.matmul(&weight.t()?)?;
        to_boards(
            &products.reshape((n, height * width, outputs))?,
            height,
            width,
        )
    }
}

/// Returns `x` in a memory layout that candle's `conv2d` reads correctly: channels-last if channels, height and width
/// are equal, and unchanged otherwise.
fn to_conv2d_layout(x: &Tensor) -> Result<Tensor> {
    let (_, channels, height, width) = x.dims4()?;
    if channels == height && channels == width {
        x.permute((0, 2, 3, 1))?.contiguous()?.permute((0, 3, 1, 2))
    } else {
        Ok(x.clone())
    }
}

/// Linear layer followed by an activation. Applied to the last dimension.
#[derive(Debug)]
pub struct Linear {
    linear: candle_nn::Linear,
    activation: Activation,
    dtype: DType,
}

impl Linear {
    /// Creates a linear layer without an activation from weights `[inputs, outputs]`.
    pub fn new(linear: &layers::Linear, backend: &Backend) -> Result<Self> {
        let weight = backend.upload(&linear.weights, (linear.inputs, linear.outputs))?;
        let bias = match linear.biased {
            true => {
                Some(backend.to_product_operand(&backend.upload(&linear.bias, linear.outputs)?)?)
            }
            false => None,
        };
        Ok(Self {
            linear: candle_nn::Linear::new(backend.to_product_operand(&weight.t()?)?, bias),
            activation: Activation::Identity,
            dtype: backend.dtype,
        })
    }

    /// Creates a linear layer without an activation. The following norm is folded into the weights and the bias.
    pub fn with_folded_norm(
        linear: &layers::Linear,
        norm: &Affine,
        backend: &Backend,
    ) -> Result<Self> {
        let mut folded = linear.clone();
        for row in folded.weights.chunks_exact_mut(linear.outputs) {
            let scaled = row.iter_mut().zip(&norm.scale);
            scaled.for_each(|(weight, scale)| *weight *= scale);
        }
        folded.biased = true;
        folded.bias.resize(linear.outputs, 0.0);
        for ((bias, scale), shift) in folded.bias.iter_mut().zip(&norm.scale).zip(&norm.shift) {
            *bias = *bias * scale + shift;
        }
        Self::new(&folded, backend)
    }

    /// Returns this layer with `activation` applied to its output.
    pub fn activated(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// Maps `[…, inputs]` to `[…, outputs]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.to_dtype(self.dtype)?;
        let x = x.to_dtype(self.linear.weight().dtype())?;
        let y = self.linear.forward(&x)?.to_dtype(self.dtype)?;
        activate(&y, self.activation)
    }
}

/// Applies linear layers in sequence.
pub fn forward_in_sequence(layers: &[Linear], x: &Tensor) -> Result<Tensor> {
    let mut layers = layers.iter();
    layers.try_fold(x.clone(), |x, layer| layer.forward(&x))
}

/// Batch norm with fixed statistics, followed by an activation: `activation(scale * x + shift)`.
#[derive(Debug)]
pub struct AffineNorm {
    /// `[channels, 1, 1]`
    scale: Tensor,
    /// `[channels, 1, 1]`
    shift: Tensor,
    activation: Activation,
    dtype: DType,
}

impl AffineNorm {
    pub fn new(norm: &Affine, activation: Activation, backend: &Backend) -> Result<Self> {
        Ok(Self {
            scale: backend.upload(&norm.scale, (norm.channels, 1, 1))?,
            shift: backend.upload(&norm.shift, (norm.channels, 1, 1))?,
            activation,
            dtype: backend.dtype,
        })
    }

    /// Applies the norm and the activation to `x`, `[n, channels, height, width]` in f32.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = x.broadcast_mul(&self.scale)?.broadcast_add(&self.shift)?;
        activate(&y.to_dtype(self.dtype)?, self.activation)
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
    dtype: DType,
}

impl RmsNorm {
    pub fn new(norm: &layers::RmsNorm, backend: &Backend) -> Result<Self> {
        let shift = match norm.shifted {
            true => Some(backend.upload(&norm.shift, norm.channels)?),
            false => None,
        };
        Ok(Self {
            weight: backend.upload(&norm.weight, norm.channels)?,
            shift,
            epsilon: norm.epsilon,
            over_board: norm.over_board,
            dtype: backend.dtype,
        })
    }

    /// Applies the norm to `x`, a contiguous tensor `[n, points, channels]` in f32. The mean covers either the channels
    /// of each point or all channels of all points of a board.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = if self.over_board {
            let mean = x.sqr()?.mean_keepdim((1, 2))?;
            let root = (mean + f64::from(self.epsilon))?.sqrt()?;
            x.broadcast_div(&root)?.broadcast_mul(&self.weight)?
        } else {
            candle_nn::ops::rms_norm(x, &self.weight, self.epsilon)?
        };
        let y = match &self.shift {
            None => y,
            Some(shift) => y.broadcast_add(shift)?,
        };
        y.to_dtype(self.dtype)
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
        // a few roundings for all x, even in 16 bits. It tends to 1 where n overflows.
        Activation::Mish => {
            let exp = x.exp()?;
            let n = (&exp * (&exp + 2.0)?)?;
            x / n.recip()?.affine(2.0, 1.0)?
        }
        Activation::Silu => x.silu(),
    }
}

/// Global pooling: maps `[n, channels, height, width]` to `[n, 3 * channels]` in f32.
///
/// All points are on the board, so no mask is needed. See [`Pooling`] for the three features of a channel.
pub fn pool(x: &Tensor, pooling: Pooling) -> Result<Tensor> {
    let (_, _, height, width) = x.dims4()?;
    let points = x.to_dtype(DType::F32)?.flatten_from(2)?;
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
    let vectors = vectors.to_dtype(x.dtype())?.unsqueeze(2)?.unsqueeze(3)?;
    x.broadcast_add(&vectors)
}

/// Adds the output of a block's last layer to the trunk, in f32.
pub fn add_to_trunk(trunk: &Tensor, output: &Tensor) -> Result<Tensor> {
    trunk + output.to_dtype(DType::F32)?
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

/// Returns the product of two matrices, or of two batches of matrices, of the same type.
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (dtype, product) = (a.dtype(), product_dtype(a.device(), a.dtype()));
    a.to_dtype(product)?
        .matmul(&b.to_dtype(product)?)?
        .to_dtype(dtype)
}

/// Computes the softmax over the last dimension of a contiguous tensor.
pub fn softmax(x: &Tensor) -> Result<Tensor> {
    match x.device() {
        // The GPU kernels compute sums in f32, but the CPU kernel computes them in the type of the input.
        Device::Cpu => {
            candle_nn::ops::softmax_last_dim(&x.to_dtype(DType::F32)?)?.to_dtype(x.dtype())
        }
        _ => candle_nn::ops::softmax_last_dim(x),
    }
}
