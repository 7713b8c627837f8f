//! Steps of a packed program: layers and other operations, with their packed weights.

use super::aligned::AlignedBuffer;
use super::bf16::packing::Bf16Weights;
use super::direct_layers::QuantizedWeights;
use super::gated_linear::QuantizedGatedWeights;
use super::gemm::epilogue::{ChannelNorm, Epilogue};
use super::gemm::packing::PackedMatrices;
use super::layout::BoardLayout;
use super::winograd;
use super::winograd::conv::WinogradWeights;
use crate::net::program::ops::{AttentionOp, BufferId};
use crate::net::spec::layers::{Activation, Pooling, RmsNorm};

#[derive(Debug)]
pub enum Step {
    /// A convolution or a linear layer in floats or 16-bit integers.
    Layer(Box<LayerStep>),
    /// A bfloat16 layer: a convolution, or a linear layer that is applied to every point.
    Bf16Layer(Box<Bf16LayerStep>),
    /// A gated linear layer in 16-bit integers: input, output, weights.
    Gated(BufferId, BufferId, Box<QuantizedGatedWeights>),
    /// Attention in the number format of the executor.
    Attention(Box<AttentionOp>),
    /// Activation, applied in place.
    Activate(BufferId, Activation),
    /// Element-wise product of two buffers, stored in the first.
    Multiply(BufferId, BufferId),
    /// Norm with fixed statistics: input, output, parameters. The output may be bfloat16.
    Norm(BufferId, BufferId, ChannelNorm),
    /// RMS norm: input, output, parameters. The output may be bfloat16.
    RmsNorm(BufferId, BufferId, RmsWeights),
    /// Global pooling: input, output, number of input channels, kind of pooling.
    Pool(BufferId, BufferId, usize, Pooling),
    /// Copy of all points of a board into one row: input, output, number of input channels.
    Flatten(BufferId, BufferId, usize),
}

impl Step {
    /// Returns true if the step computes in 16-bit integers. Call this only for programs that were packed for 16-bit
    /// integers: an attention step does not record its number format and is assumed to use them.
    pub fn uses_i16(&self) -> bool {
        match self {
            Self::Layer(layer) => {
                matches!(layer.direct, DirectWeights::I16(_))
                    || matches!(layer.winograd, Some(TransformedWeights::I16(_)))
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
    /// Weights for Winograd's algorithm. `None` if the algorithm does not support the kernel size, or if the Winograd
    /// weights of the network would take too much memory.
    pub winograd: Option<TransformedWeights>,
    /// Height and width of the kernel.
    pub kernel: (usize, usize),
    pub inputs: usize,
    pub outputs: usize,
    pub epilogue: Epilogue,
    pub from: BufferId,
    pub to: BufferId,
    /// Buffer with one row per board. The row is added to all points of its board.
    pub per_board: Option<BufferId>,
    /// ID of the input. Layers with the same ID read the same values and can share their Winograd transform.
    pub input_id: usize,
}

impl LayerStep {
    /// Returns the transformed weights and the tile side, or `None` if the layer is computed directly on boards of this
    /// size.
    pub fn winograd_if_faster(&self, layout: &BoardLayout) -> Option<(&TransformedWeights, usize)> {
        let weights = self.winograd.as_ref()?;
        let side = winograd::output_tile_side(self.kernel)?;
        winograd::is_faster_than_direct(layout, self.kernel.0, side, self.inputs, self.outputs)
            .then_some((weights, side))
    }
}

/// Weights for the direct computation, without Winograd's algorithm.
#[derive(Debug)]
pub enum DirectWeights {
    F32(PackedMatrices<f32>),
    /// Used only for linear layers.
    I16(Box<QuantizedWeights>),
}

/// Weights transformed for Winograd's algorithm.
#[derive(Debug)]
pub enum TransformedWeights {
    F32(Box<WinogradWeights<f32>>),
    I16(Box<WinogradWeights<u32>>),
}

/// A bfloat16 layer and its epilogue. The layer is a convolution, or a linear layer that is applied to every point.
#[derive(Debug)]
pub struct Bf16LayerStep {
    pub weights: Bf16Weights,
    /// Its second output is bfloat16.
    pub epilogue: Epilogue,
    /// True for a gated layer. Its output channels alternate between groups of 16 values and groups of 16 gates. Each
    /// group of values is activated and then multiplied by the group of gates that follows it. The layer therefore has
    /// half as many results as output channels. The results are stored only in bfloat16.
    pub gated: bool,
    /// Input in bfloat16.
    pub from: BufferId,
    /// Output in 32-bit floats, or `None` if no other step reads it.
    pub to: Option<BufferId>,
    /// Buffer with one row per board. The row is added to all points of its board.
    pub per_board: Option<BufferId>,
}

/// Parameters of an RMS norm.
#[derive(Debug)]
pub struct RmsWeights {
    pub norm: RmsNorm,
    /// Weight per channel, padded with zeros.
    pub weight: AlignedBuffer,
    /// Shift per channel; zero if the norm has no shift.
    pub shift: AlignedBuffer,
}
