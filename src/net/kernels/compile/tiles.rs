//! Compilation of layers in bfloat16 tiles. Results are stored as 32-bit floats, as bfloat16, or as both.

use super::compiler::{Compiler, Into, table};
use super::layer::{Layer, pairs_apart};
use crate::net::desc::blocks::AttentionBlock;
use crate::net::desc::layers::{self, Activation, Affine};
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::buffers::{Buffer, Form, Per, Shape};
use crate::net::kernels::steps::{Half, Step, TileAttention, TileLayer, TileStep};
use crate::net::kernels::tiles::block::{DEPTH, SIDE};
use crate::net::kernels::tiles::panels::Panels;

impl Compiler {
    /// Returns a free or new bfloat16 buffer with `channels` channels per point, other than `but`.
    pub fn claim_half(&mut self, channels: usize, but: Option<Buffer>) -> Buffer {
        let shape = Shape {
            per: Per::Point,
            form: Form::Half,
            stride: channels.next_multiple_of(DEPTH),
        };
        self.claim_shape(shape, but)
    }

    /// Adds a layer of points. With [`Form::Half`] and no `into.sum`, the result is stored only in bfloat16.
    pub fn tile_layer(&mut self, layer: &Layer, from: Buffer, into: Into, form: Form) -> Buffer {
        let (height, width) = layer.kernel;
        self.border = self.border.max(height / 2).max(width / 2);
        let from = self.readable(from);
        let (to, half, result) = match (into.sum, form) {
            (None, Form::Half) => {
                let to = self.claim_half(layer.outputs, None);
                (None, Some(Half::plain(to)), to)
            }
            (sum, _) => {
                let to = sum.unwrap_or_else(|| self.claim(Per::Point, layer.outputs));
                (Some(to), None, to)
            }
        };
        self.push(Step::Tiled(TileStep::Layer(Box::new(TileLayer {
            to,
            half,
            ..tile_layer(layer, from, into)
        }))));
        result
    }

    /// Returns a buffer with the same values that layers of points can read.
    ///
    /// This is `buffer` itself or, in tiles, a bfloat16 copy.
    pub fn readable(&mut self, buffer: Buffer) -> Buffer {
        let shape = self.shapes[buffer];
        if self.tiles && shape.per == Per::Point && shape.form == Form::Full {
            self.halved(buffer, None, Activation::Identity)
        } else {
            buffer
        }
    }

    /// Adds a conversion of `x` to bfloat16, after an optional norm and the activation. Returns a new buffer.
    ///
    /// If the last step is a layer with output `x`, its epilogue also stores the converted copy.
    pub fn halved(&mut self, x: Buffer, norm: Option<&Affine>, activation: Activation) -> Buffer {
        let beside = match self.steps.last() {
            Some(Step::Tiled(TileStep::Layer(layer)))
                if layer.to == Some(x) && layer.half.is_none() =>
            {
                Some(layer.from)
            }
            _ => None,
        };
        let channels = self.shapes[x].stride;
        let to = self.claim_half(norm.map_or(channels, |norm| norm.channels), beside);
        let numbers =
            |numbers: &[f32]| Aligned::filled(numbers, numbers.len().next_multiple_of(SIDE));
        let half = Half {
            to,
            norm: norm.map(|norm| (numbers(&norm.scale), numbers(&norm.shift))),
            activation,
        };
        match self.steps.last_mut() {
            Some(Step::Tiled(TileStep::Layer(layer))) if beside.is_some() => {
                layer.half = Some(half)
            }
            _ => self.push(Step::Tiled(TileStep::Halve(x, half))),
        }
        to
    }

    /// Adds an RMS norm of `x` with bfloat16 output. Returns a new buffer with the result.
    pub fn halved_rms(&mut self, x: Buffer, norm: &layers::RmsNorm) -> Buffer {
        let to = self.claim_half(norm.channels, None);
        let rms = self.filled_rms(norm);
        self.push(Step::Tiled(TileStep::HalveRms(x, to, rms)));
        to
    }

    /// Adds a gated layer, `silu(wide(x)) * gate(x)`, with bfloat16 output. Returns a new buffer with the result.
    pub fn gated(&mut self, wide: &Layer, gate: &Layer, from: Buffer) -> Buffer {
        let from = self.readable(from);
        let to = self.claim_half(wide.outputs, None);
        let both = wide.alternating(gate, SIDE);
        let mut step = tile_layer(&both, from, Into::PLAIN);
        step.activation = Activation::Silu;
        step.gated = true;
        step.half = Some(Half::plain(to));
        self.push(Step::Tiled(TileStep::Layer(Box::new(step))));
        to
    }

    /// Adds attention and its output layer. The result is added to `x`.
    pub fn tile_attention(&mut self, block: &AttentionBlock, x: Buffer) {
        let y = self.halved_rms(x, &block.norm);
        let width = block.query.outputs / block.heads;
        let value_width = block.value.outputs / block.kv_heads;
        let (wide, value_wide) = (
            width.next_multiple_of(DEPTH),
            value_width.next_multiple_of(SIDE),
        );
        let apart = |heads| pairs_apart(heads, width, wide);
        let spread = |heads: usize| -> Vec<usize> {
            (0..heads * value_width)
                .map(|channel| channel / value_width * value_wide + channel % value_width)
                .collect()
        };
        let (heads, kv_heads) = (block.heads, block.kv_heads);
        // The kernel computes `2^x`, so this factor turns `e^(x / sqrt(width))` into a power of two.
        let scale = std::f32::consts::LOG2_E / (width as f32).sqrt();
        let query = Layer::map(&block.query).times(scale);
        let layers = [
            query.outputs_at(&apart(heads), heads * wide),
            Layer::map(&block.key).outputs_at(&apart(kv_heads), kv_heads * wide),
            Layer::map(&block.value).outputs_at(&spread(kv_heads), kv_heads * value_wide),
        ];
        let [query, key, value] = layers.map(|layer| self.conv(&layer, y, Into::PLAIN));
        self.free(y);
        let to = self.claim_half(heads * value_wide, None);
        let mut attention = TileAttention {
            query,
            key,
            value,
            to,
            heads,
            kv_heads,
            width: wide,
            pairs: width / 2,
            value_width: value_wide,
            rotation: block.rotation.clone(),
            turns: 0,
        };
        attention.turns = self.same_turns(&attention);
        self.push(Step::Tiled(TileStep::Attention(Box::new(attention))));
        for buffer in [query, key, value] {
            self.free(buffer);
        }
        let out = Layer::map(&block.out).inputs_at(&spread(heads), heads * value_wide);
        let into = Into {
            sum: Some(x),
            ..Into::PLAIN
        };
        self.conv(&out, to, into);
        self.free(to);
    }

    /// Returns the index of the layer's rotary table, which can be shared with an earlier layer.
    fn same_turns(&self, layer: &TileAttention) -> usize {
        let earlier = self.steps.iter().filter_map(|step| match step {
            Step::Tiled(TileStep::Attention(earlier)) => Some(earlier),
            _ => None,
        });
        let of = |layer: &TileAttention| (layer.width, layer.pairs, layer.kv_heads);
        table(earlier.map(|earlier| {
            let same = of(earlier) == of(layer) && earlier.rotation == layer.rotation;
            (earlier.turns, same)
        }))
    }
}

/// Creates a layer in tiles without an output buffer.
fn tile_layer(layer: &Layer, from: Buffer, into: Into) -> TileLayer {
    TileLayer {
        panels: Panels::new(&layer.weights, layer.kernel, layer.outputs),
        bias: Aligned::filled(&layer.bias, layer.outputs.next_multiple_of(SIDE)),
        added: into.added,
        accumulate: into.sum.is_some(),
        activation: into.activation,
        gated: false,
        from,
        to: None,
        half: None,
    }
}
