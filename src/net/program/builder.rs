//! Builder for the operations and buffers of a program.

use super::ops::{BufferFormat, BufferId, BufferShape, CopyOp, LayerOp, Op, PoolOp, RowKind};
use super::storage::StorageRules;
use crate::net::folded::Layer;
use crate::net::spec::layers::{Activation, Affine, Pooling, RmsNorm};

/// Destination of a layer's result, and the operations applied to the result before it is stored. The default is a new
/// buffer without further operations.
#[derive(Clone, Copy, Default)]
pub struct Dest {
    /// Buffer to which the result is added in place. If `None`, the result is stored in a new buffer.
    pub residual: Option<BufferId>,
    /// Buffer with one row per board. The row is added to all points of its board.
    pub per_board: Option<BufferId>,
    /// Activation applied after the additions.
    pub activation: Activation,
    /// True if the result is read only by layers ([`Op::Layer`]), not by other operations.
    pub layers_only: bool,
    /// True if an earlier layer reads the same buffer, so that both can share one transformed input.
    pub shares_input: bool,
}

impl Dest {
    /// Returns a destination that adds the result to `x`.
    pub fn add_to(x: BufferId) -> Self {
        Self {
            residual: Some(x),
            ..Self::default()
        }
    }

    /// Returns a destination that applies `activation` and stores the result in a new buffer.
    pub fn new(activation: Activation) -> Self {
        Self {
            activation,
            ..Self::default()
        }
    }

    /// Like [`new`](Self::new), for a result that only layers read.
    pub fn for_layers(activation: Activation) -> Self {
        Self {
            layers_only: true,
            ..Self::new(activation)
        }
    }
}

/// A program under construction: operations and buffers so far.
pub struct Builder {
    pub rules: StorageRules,
    pub ops: Vec<Op>,
    pub buffers: Vec<BufferShape>,
    /// Buffers available for reuse.
    idle: Vec<BufferId>,
    /// Largest kernel radius of the layers added since this field was last reset, in points.
    pub max_kernel_radius: usize,
}

impl Builder {
    pub fn new(rules: StorageRules) -> Self {
        Self {
            rules,
            ops: Vec::new(),
            buffers: Vec::new(),
            idle: Vec::new(),
            max_kernel_radius: 0,
        }
    }

    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Returns an idle or new buffer of 32-bit floats.
    pub fn claim_f32(&mut self, rows: RowKind, channels: usize) -> BufferId {
        let shape = BufferShape {
            rows,
            format: BufferFormat::F32,
            stride: channels.next_multiple_of(self.rules.channel_multiple),
        };
        self.claim(shape, None)
    }

    /// Returns an idle or new buffer of points in the format that layers read.
    pub fn claim_input(&mut self, channels: usize) -> BufferId {
        self.claim(self.input_shape(channels), None)
    }

    fn input_shape(&self, channels: usize) -> BufferShape {
        let (format, multiple) = match &self.rules.bf16 {
            Some(rules) => (BufferFormat::Bf16, rules.input_multiple),
            None => (BufferFormat::F32, self.rules.channel_multiple),
        };
        BufferShape {
            rows: RowKind::Point,
            format,
            stride: channels.next_multiple_of(multiple),
        }
    }

    /// Returns an idle or new buffer other than `except`, which an operation still reads.
    fn claim(&mut self, shape: BufferShape, except: Option<BufferId>) -> BufferId {
        let fits = |id: &BufferId| self.buffers[*id] == shape && Some(*id) != except;
        match self.idle.iter().position(fits) {
            Some(index) => self.idle.swap_remove(index),
            None => {
                self.buffers.push(shape);
                self.buffers.len() - 1
            }
        }
    }

    /// Marks a buffer as available for reuse.
    pub fn free(&mut self, buffer: BufferId) {
        self.idle.push(buffer);
    }

    /// Adds a layer and returns the buffer with its result.
    pub fn layer(&mut self, layer: Layer, from: BufferId, dest: Dest) -> BufferId {
        let earlier = self.ops.iter().rev().find_map(|op| match op {
            Op::Layer(op) if dest.shares_input && op.from == from => Some(op.input_id),
            _ => None,
        });
        let input_id = earlier.unwrap_or(self.ops.len());
        let (height, width) = layer.kernel;
        self.max_kernel_radius = self.max_kernel_radius.max(height / 2).max(width / 2);
        let from = self.convert_to_layer_input(from);
        let BufferShape { rows, format, .. } = self.buffers[from];
        let (to, copy, result) = match dest.residual {
            Some(residual) => (Some(residual), None, residual),
            None if format == BufferFormat::Bf16 && dest.layers_only => {
                let to = self.claim_input(layer.outputs);
                (None, Some(CopyOp::unchanged(to)), to)
            }
            None => {
                let to = self.claim_f32(rows, layer.outputs);
                (Some(to), None, to)
            }
        };
        self.push(Op::Layer(Box::new(LayerOp {
            to,
            accumulate: dest.residual.is_some(),
            per_board: dest.per_board,
            activation: dest.activation,
            copy,
            input_id,
            ..LayerOp::new(layer, from)
        })));
        result
    }

    /// Returns a buffer with the values of `buffer` in the format that layers read: `buffer` itself or a copy.
    pub fn convert_to_layer_input(&mut self, buffer: BufferId) -> BufferId {
        let BufferShape { rows, format, .. } = self.buffers[buffer];
        match self.rules.bf16 {
            Some(_) if rows == RowKind::Point && format == BufferFormat::F32 => {
                self.copy(buffer, None, Activation::Identity)
            }
            _ => buffer,
        }
    }

    /// Returns a new buffer with the values of `x` after a norm, if any, and an activation, in the format that layers
    /// read.
    ///
    /// If the last operation is a layer that computes `x` and can also store the copy, it does so. Otherwise, a
    /// separate operation is added.
    pub fn copy(&mut self, x: BufferId, norm: Option<&Affine>, activation: Activation) -> BufferId {
        let source = self.ops.last().and_then(|op| match op {
            Op::Layer(op) if op.to == Some(x) && op.copy.is_none() && op.activation.is_clamp() => {
                Some(op.from)
            }
            _ => None,
        });
        let channels = norm.map_or(self.buffers[x].stride, |norm| norm.channels);
        let copy = CopyOp {
            to: self.claim(self.input_shape(channels), source),
            norm: norm.cloned(),
            activation,
        };
        let to = copy.to;
        match self.ops.last_mut() {
            Some(Op::Layer(op)) if source.is_some() => op.copy = Some(copy),
            _ => self.push(Op::Copy { from: x, copy }),
        }
        to
    }

    /// Applies an RMS norm to `x`. Returns a new buffer with the result, in the format that layers read.
    pub fn rms_norm_to_layer_input(&mut self, x: BufferId, norm: &RmsNorm) -> BufferId {
        let to = self.claim_input(norm.channels);
        let norm = norm.clone();
        self.push(Op::RmsNorm { from: x, to, norm });
        to
    }

    /// Adds global pooling. Returns a new buffer with one row per board.
    pub fn pool(&mut self, from: BufferId, channels: usize, pooling: Pooling) -> BufferId {
        let to = self.claim_f32(RowKind::Board, 3 * channels);
        self.push(Op::Pool(PoolOp {
            from,
            to,
            channels,
            pooling,
        }));
        to
    }
}
