//! Operations of a lowered network and the buffers between them.

use crate::net::folded::Layer;
use crate::net::spec::blocks::RotaryAngles;
use crate::net::spec::layers::{Activation, Affine, Pooling, RmsNorm};

/// Index of a buffer in [`Program::buffers`](super::Program::buffers).
pub type BufferId = usize;

/// Kind of item that a row of a buffer represents: a point or a whole board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    Point,
    Board,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferFormat {
    F32,
    Bf16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferShape {
    pub rows: RowKind,
    pub format: BufferFormat,
    /// Number of elements per row, padding included.
    pub stride: usize,
}

/// An operation of a lowered network.
#[derive(Debug)]
pub enum Op {
    Layer(Box<LayerOp>),
    Attention(Box<AttentionOp>),
    /// Copy of a buffer, computed by a separate operation.
    Copy {
        from: BufferId,
        copy: CopyOp,
    },
    /// RMS norm; the output buffer may be bfloat16.
    RmsNorm {
        from: BufferId,
        to: BufferId,
        norm: RmsNorm,
    },
    /// Activation, applied in place.
    Activate(BufferId, Activation),
    Pool(PoolOp),
    Flatten(FlattenOp),
}

/// Global pooling: three features per channel.
#[derive(Debug)]
pub struct PoolOp {
    /// Buffer with one row per point.
    pub from: BufferId,
    /// Buffer with one row per board.
    pub to: BufferId,
    pub channels: usize,
    pub pooling: Pooling,
}

/// Copy of the activations of all points of a board into one row, `[channels, points]`.
#[derive(Debug)]
pub struct FlattenOp {
    /// Buffer with one row per point.
    pub from: BufferId,
    /// Buffer with one row per board.
    pub to: BufferId,
    pub channels: usize,
}

/// A convolution or a linear layer: `to = activation(layer(from) + per_board + (accumulate ? to : 0))`, or a gated linear
/// layer.
#[derive(Debug)]
pub struct LayerOp {
    pub layer: Layer,
    /// Gate of a gated layer, which computes `silu(layer(from)) * gate(from)`. Only `copy` is stored, and no other
    /// operation is applied to the result. `None` for other layers.
    pub gate: Option<Layer>,
    pub from: BufferId,
    /// Output in 32-bit floats; `None` if only `copy` is stored.
    pub to: Option<BufferId>,
    /// True if the previous content of `to` is added (a residual connection).
    pub accumulate: bool,
    /// Optional buffer with one row per board. Each row is added to all points of its board.
    pub per_board: Option<BufferId>,
    pub activation: Activation,
    /// Optional second output, computed from the result.
    pub copy: Option<CopyOp>,
    /// Layers with the same ID read the same input and can share its transformed form.
    pub input_id: usize,
}

impl LayerOp {
    /// Creates an operation without outputs. Its input is not shared with other layers. The caller sets `to`, `copy` or
    /// both.
    pub const fn new(layer: Layer, from: BufferId) -> Self {
        Self {
            layer,
            gate: None,
            from,
            to: None,
            accumulate: false,
            per_board: None,
            activation: Activation::Identity,
            copy: None,
            input_id: usize::MAX,
        }
    }
}

/// Copy of a buffer `x` or of a layer's result `x`: `to = activation(norm(x))`, in the number format of `to`.
#[derive(Debug)]
pub struct CopyOp {
    pub to: BufferId,
    pub norm: Option<Affine>,
    pub activation: Activation,
}

impl CopyOp {
    /// Creates a copy operation that changes only the number format.
    pub const fn unchanged(to: BufferId) -> Self {
        Self {
            to,
            norm: None,
            activation: Activation::Identity,
        }
    }
}

/// Attention between all points of a board: `to = softmax(query key^T / sqrt(d)) value` for each head, where `d` is the
/// number of channels per query and head without padding.
#[derive(Debug)]
pub struct AttentionOp {
    /// Queries. If they are rotated, the two channels of a pair lie half a head apart. For an executor with
    /// [`Bf16Rules`](super::storage::Bf16Rules), the queries are already multiplied by `log2(e) / sqrt(d)`, so that the
    /// softmax can use powers of two.
    pub query: BufferId,
    /// Keys, with the same channel order as the queries.
    pub key: BufferId,
    pub value: BufferId,
    /// Output: weighted sums of values.
    pub to: BufferId,
    pub heads: usize,
    /// Number of key and value heads. Each serves `heads / kv_heads` consecutive query heads.
    pub kv_heads: usize,
    /// Number of channels per query and head, padding included.
    pub width: usize,
    /// Number of rotated channel pairs per head.
    pub pairs: usize,
    /// Number of channels per value and head, padding included.
    pub value_width: usize,
    pub rotation: RotaryAngles,
    /// Index of the rotary table. Operations with equal tables share an index.
    pub rotary_table: usize,
}

/// Buffers that contain the outputs of a head, in the order of the outputs, and the number of outputs per row.
pub type HeadOutputs = Vec<(BufferId, usize)>;
