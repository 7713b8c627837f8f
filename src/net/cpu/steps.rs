//! Steps of an executor: packed layers in execution order.

use super::aligned::Aligned;
use super::bf16::packing::Bf16Weights;
use super::gated::GatedWeights;
use super::gemm::epilogue::{ChannelNorm, Epilogue};
use super::gemm::packing::Packed;
use super::linear::QuantizedWeights;
use super::winograd::conv::WinogradWeights;
use crate::net::program::ops::{AttentionOp, BufferId};
use crate::net::spec::layers::{Activation, Pooling, RmsNorm};

#[derive(Debug)]
pub enum Step {
    /// A convolution or a linear layer in floats or 16-bit integers.
    Layer(Box<LayerStep>),
    /// A convolution or a linear layer of points in bfloat16.
    Bf16Layer(Box<Bf16LayerStep>),
    /// A gated linear layer in 16-bit integers.
    Gated(BufferId, BufferId, Box<GatedWeights>),
    /// Attention in the number format of the executor.
    Attention(Box<AttentionOp>),
    /// Activation, applied in place.
    Activate(BufferId, Activation),
    /// Multiplies the first buffer by the second, element by element.
    Multiply(BufferId, BufferId),
    /// Norm with fixed statistics: input, output, parameters.
    Norm(BufferId, BufferId, ChannelNorm),
    /// RMS norm: input, output, parameters.
    RmsNorm(BufferId, BufferId, RmsWeights),
    /// Conversion to bfloat16.
    ToBf16(BufferId, Bf16Copy),
    /// RMS norm with bfloat16 output: input, output, parameters.
    RmsNormToBf16(BufferId, BufferId, RmsWeights),
    /// Global pooling: input, output, channels of the input.
    Pool(BufferId, BufferId, usize, Pooling),
    /// Copies all points of a board into one row: input, output, channels of the input.
    Flatten(BufferId, BufferId, usize),
}

impl Step {
    /// Returns true if the step uses 16-bit integers in an executor that was packed for them.
    pub fn uses_i16(&self) -> bool {
        match self {
            Self::Layer(layer) => {
                matches!(layer.direct, DirectWeights::I16(_))
                    || matches!(layer.winograd, Some(Transformed::I16(_)))
            }
            Self::Attention(_) | Self::Gated(..) => true,
            _ => false,
        }
    }
}

/// A convolution or a linear layer, and its epilogue.
#[derive(Debug)]
pub struct LayerStep {
    /// Weights for the direct computation, without Winograd's algorithm.
    pub direct: DirectWeights,
    /// Weights for Winograd's algorithm, if it supports the kernel size.
    pub winograd: Option<Transformed>,
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    pub inputs: usize,
    pub outputs: usize,
    pub epilogue: Epilogue,
    pub from: BufferId,
    pub to: BufferId,
    /// Values added to all points of a board.
    pub per_board: Option<BufferId>,
    /// Layers with the same ID read the same input and can share its Winograd transform.
    pub input_id: usize,
}

/// Weights for the direct computation, without Winograd's algorithm.
#[derive(Debug)]
pub enum DirectWeights {
    F32(Packed<f32>),
    /// Only for linear layers.
    I16(Box<QuantizedWeights>),
}

/// Weights in Winograd's transformed space.
#[derive(Debug)]
pub enum Transformed {
    F32(Box<WinogradWeights<f32>>),
    I16(Box<WinogradWeights<u32>>),
}

/// A convolution or a linear layer of points in bfloat16, and its epilogue.
#[derive(Debug)]
pub struct Bf16LayerStep {
    pub weights: Bf16Weights,
    /// Bias per output channel.
    pub bias: Aligned,
    /// Values added to all points of a board.
    pub per_board: Option<BufferId>,
    /// True if the previous content of the output is added (a residual connection).
    pub accumulate: bool,
    /// Activation of the sum.
    pub activation: Activation,
    /// True for a gated layer: each group of 16 output channels is activated and then multiplied by the next group of 16
    /// channels, which are its gates. A gated layer has half as many results as output channels, all in bfloat16.
    pub gated: bool,
    /// Input in bfloat16.
    pub from: BufferId,
    /// Output in 32-bit floats, or `None` if no other step needs it.
    pub to: Option<BufferId>,
    /// Output in bfloat16, the input of other layers.
    pub copy: Option<Bf16Copy>,
}

/// Results converted to bfloat16.
#[derive(Debug)]
pub struct Bf16Copy {
    pub to: BufferId,
    /// Scale and shift per channel, applied before rounding.
    pub norm: Option<(Aligned, Aligned)>,
    /// Activation applied after the norm and before rounding.
    pub activation: Activation,
}

/// Parameters of an RMS norm.
#[derive(Debug)]
pub struct RmsWeights {
    pub norm: RmsNorm,
    /// Weight per channel, padded with zeros.
    pub weight: Aligned,
    /// Shift per channel; zero if the norm has no shift.
    pub shift: Aligned,
}

/// Returns the activation that remains to be applied after the lower limit [`Activation::floor`].
pub fn rest_after_floor(activation: Activation) -> Option<Activation> {
    match activation {
        Activation::Identity | Activation::Relu => None,
        other => Some(other),
    }
}
