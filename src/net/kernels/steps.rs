//! Parts of a compiled plan: packed layers in execution order, and references to the buffers between them.
//!
//! Vocabulary: a map is a linear layer applied to each row. Pairs are 16-bit integer kernels, tiles are bfloat16
//! kernels (AMX), and halves are bfloat16 numbers.

use super::aligned::Aligned;
use super::buffers::Buffer;
use super::finish::{Finish, Scale};
use super::pairs;
use super::pairs::gated::Gated;
use super::pairs::winograd::Sheets;
use super::product::Panels;
use super::tiles;
use crate::net::desc::blocks::Rotation;
use crate::net::desc::layers::{Activation, Pooling, RmsNorm};

/// A step of a plan.
#[derive(Debug)]
pub enum Step {
    /// A convolution or a map.
    Conv(Box<Conv>),
    /// An operation on each row.
    Pointwise(Pointwise),
    /// Global pooling.
    Pool {
        /// Input, one row per point.
        from: Buffer,
        /// Output, one row per board, with three features per channel.
        to: Buffer,
        /// Channels of the input.
        channels: usize,
        /// Selects the three features.
        pooling: Pooling,
    },
    /// Copies all numbers of a board into one row, channel by channel.
    Flatten {
        /// Input, one row per point.
        from: Buffer,
        /// Output, one row per board.
        to: Buffer,
        /// Channels of the input.
        channels: usize,
    },
    /// Attention in 32-bit floats or 16-bit integers.
    Attention(Box<Attention>),
    /// A gated map in 16-bit integers: input, output, layer.
    Gated(Buffer, Buffer, Box<Gated>),
    /// A step of the bfloat16 kernels.
    Tiled(TileStep),
}

impl Step {
    /// Returns true if the step can use 16-bit integer kernels in a plan that was compiled for them.
    pub fn may_be_paired(&self) -> bool {
        match self {
            Self::Conv(conv) => {
                matches!(conv.plain, Plain::Pairs(_))
                    || matches!(conv.transformed, Some(Transformed::Pairs(_)))
            }
            Self::Attention(_) | Self::Gated(..) => true,
            Self::Pointwise(_) | Self::Pool { .. } | Self::Flatten { .. } | Self::Tiled(_) => false,
        }
    }
}

/// An operation on each row.
#[derive(Debug)]
pub enum Pointwise {
    /// Activation in place.
    Activate(Buffer, Activation),
    /// Multiplies the first buffer by the second, element by element.
    Multiply(Buffer, Buffer),
    /// Norm with fixed statistics: input, output, parameters.
    Norm(Buffer, Buffer, Scale),
    /// RMS norm: input, output, parameters.
    Rms(Buffer, Buffer, Rms),
}

/// A step of the bfloat16 kernels.
#[derive(Debug)]
pub enum TileStep {
    /// A convolution or a map on points.
    Layer(Box<TileLayer>),
    /// Converts a 32-bit buffer to bfloat16, optionally with a norm and an activation.
    Halve(Buffer, Half),
    /// RMS norm with a bfloat16 result: input, output, parameters.
    HalveRms(Buffer, Buffer, Rms),
    /// Attention.
    Attention(Box<TileAttention>),
}

/// A convolution or a map, with its epilogue.
#[derive(Debug)]
pub struct Conv {
    /// Weights for the direct product.
    pub plain: Plain,
    /// Weights for Winograd's algorithm, if it supports the kernel size.
    pub transformed: Option<Transformed>,
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    /// Input channels.
    pub inputs: usize,
    /// Output channels.
    pub outputs: usize,
    /// Epilogue applied to the results.
    pub finish: Finish,
    pub from: Buffer,
    pub to: Buffer,
    /// Per-board values added to all points of a board.
    pub added: Option<Buffer>,
    /// Input ID. Convolutions with the same ID read the same input and can share its Winograd transform.
    pub input: usize,
}

/// Untransformed weights, for the direct product.
#[derive(Debug)]
pub enum Plain {
    /// 32-bit floats.
    Full(Panels),
    /// 16-bit integers; only for maps.
    Pairs(Box<pairs::panels::Panels>),
}

/// Weights in Winograd's transformed space.
#[derive(Debug)]
pub enum Transformed {
    /// 32-bit floats.
    Full(Panels),
    /// 16-bit integers.
    Pairs(Box<Sheets>),
}

/// A convolution or a map on points in bfloat16, with its epilogue.
#[derive(Debug)]
pub struct TileLayer {
    pub panels: tiles::panels::Panels,
    /// Bias per output channel.
    pub bias: Aligned,
    /// Per-board values added to all points of a board.
    pub added: Option<Buffer>,
    /// Adds the previous content of the output (residual connection).
    pub accumulate: bool,
    /// Activation of the sum.
    pub activation: Activation,
    /// Gated layer: each group of 16 output channels, after the activation, is multiplied by the next group of 16,
    /// which are its gates. The layer then has half the number of results, all in bfloat16.
    pub gated: bool,
    /// bfloat16 input.
    pub from: Buffer,
    /// 32-bit output; `None` if no other step needs it.
    pub to: Option<Buffer>,
    /// bfloat16 output, the input of the next layer.
    pub half: Option<Half>,
}

/// Results converted to bfloat16.
#[derive(Debug)]
pub struct Half {
    /// Destination of the results.
    pub to: Buffer,
    /// Scale and shift per channel, applied before rounding.
    pub norm: Option<(Aligned, Aligned)>,
    /// Activation applied after the norm and before rounding.
    pub activation: Activation,
}

impl Half {
    /// Converts the results without a norm or an activation.
    pub const fn plain(to: Buffer) -> Self {
        Self {
            to,
            norm: None,
            activation: Activation::Identity,
        }
    }
}

/// RMS norm.
#[derive(Debug)]
pub struct Rms {
    pub norm: RmsNorm,
    /// Weight per channel, padded with zeros.
    pub weight: Aligned,
    /// Shift per channel; zero if the norm has no shift.
    pub shift: Aligned,
}

/// Attention between all points of a board.
#[derive(Debug)]
pub struct Attention {
    /// Queries. If they are rotated, the two channels of a pair lie half a head apart.
    pub query: Buffer,
    /// Keys, with the same channel order.
    pub key: Buffer,
    pub value: Buffer,
    /// Output: weighted sums of values.
    pub to: Buffer,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key and value heads.
    pub kv_heads: usize,
    /// Channels per query and head.
    pub width: usize,
    /// Channels per value and head.
    pub value_width: usize,
    /// Rotary position embedding of queries and keys.
    pub rotation: Rotation,
    /// Index of the rotary table.
    pub turns: usize,
}

/// Attention between all points of a board in bfloat16.
#[derive(Debug)]
pub struct TileAttention {
    /// Queries. The two channels of a pair lie half a head apart. The queries are scaled so that the softmax can use
    /// powers of two.
    pub query: Buffer,
    /// Keys, with the same channel order.
    pub key: Buffer,
    pub value: Buffer,
    /// bfloat16 output: weighted sums of values.
    pub to: Buffer,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key and value heads.
    pub kv_heads: usize,
    /// Channels per query and head, padded to whole steps of the bfloat16 product.
    pub width: usize,
    /// Number of rotated pairs of channels.
    pub pairs: usize,
    /// Channels per value and head, padded to whole tiles.
    pub value_width: usize,
    /// Rotary position embedding of queries and keys.
    pub rotation: Rotation,
    /// Index of the rotary table.
    pub turns: usize,
}

/// Buffers that contain the network's outputs after a run.
#[derive(Debug)]
pub struct Heads {
    /// Policy logits of the points.
    pub policy: Policy,
    /// Buffer and number of the pass logits; `None` for a flat policy, which includes the pass.
    pub pass: Option<(Buffer, usize)>,
    /// Buffer and number of the game result outputs.
    pub result: (Buffer, usize),
    /// Buffer and number of the score outputs, if the network has them.
    pub score: Option<(Buffer, usize)>,
    /// Ownership, one number per point.
    pub ownership: Option<Buffer>,
}

/// Layout of the policy logits.
#[derive(Clone, Copy, Debug)]
pub enum Policy {
    /// One row per point; contains the buffer and the number of logits per point.
    Points(Buffer, usize),
    /// One row per board: all points, then the pass.
    Flat(Buffer),
}

/// Returns the activation that remains to be applied after the lower limit [`Activation::floor`].
pub fn rest(activation: Activation) -> Option<Activation> {
    match activation {
        Activation::Identity | Activation::Relu => None,
        other => Some(other),
    }
}
