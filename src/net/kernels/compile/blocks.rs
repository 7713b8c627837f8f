//! Compilation of the trunk blocks.

use super::compiler::{Compiler, Into, table};
use super::layer::{Layer, pairs_apart};
use crate::net::desc::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, PoolingBlock, PostActivationBlock,
    Rotation,
};
use crate::net::desc::layers::{Activation, Pooling};
use crate::net::kernels::buffers::{Buffer, Per};
use crate::net::kernels::pairs::gated::Gated;
use crate::net::kernels::steps::{Attention, Pointwise, Step};

impl Compiler {
    /// Adds the steps of the blocks. Each block adds its result to `x`.
    pub fn blocks(&mut self, blocks: &[Block], x: Buffer) {
        for block in blocks {
            match block {
                Block::Ordinary(block) => {
                    let r = self.normed(x, &block.norm1, block.act1);
                    let conv1 = Layer::conv(&block.conv1).normed(&block.norm2);
                    let y = self.inner(&conv1, r, block.act2);
                    self.free(r);
                    self.back(&Layer::conv(&block.conv2), y, x);
                }
                Block::Pooling(block) => self.pooling(block, x),
                Block::Nested(block) => self.nested(block, x),
                Block::Attention(block) if self.tiles => self.tile_attention(block, x),
                Block::Attention(block) => self.attention(block, x),
                Block::FeedForward(block) => self.feed_forward(block, x),
                Block::PostActivation(block) => self.post_activation(block, x),
            }
        }
    }

    /// Adds the last layer of a block. Its output for `y` is added to `x`, and `y` is freed.
    fn back(&mut self, layer: &Layer, y: Buffer, x: Buffer) {
        let into = Into {
            sum: Some(x),
            ..Into::PLAIN
        };
        self.conv(layer, y, into);
        self.free(y);
    }

    fn pooling(&mut self, block: &PoolingBlock, x: Buffer) {
        let r = self.normed(x, &block.norm1, block.act1);
        let pool_conv = Layer::conv(&block.pool_conv).normed(&block.pool_norm);
        let g = self.map(&pool_conv, r, block.pool_act);
        let board = self.pool(g, block.pool_conv.outputs, Pooling::Max);
        self.free(g);
        let linear = Layer::map(&block.pool_linear).normed(&block.norm2);
        let added = self.map(&linear, board, Activation::Identity);
        self.free(board);
        let conv1 = Layer::conv(&block.conv1).scaled(&block.norm2);
        let y = self.shared(&conv1, r, added, block.act2);
        self.free(r);
        self.free(added);
        self.back(&Layer::conv(&block.conv2), y, x);
    }

    fn nested(&mut self, block: &NestedBlock, x: Buffer) {
        let r = self.normed(x, &block.down_norm, block.down_act);
        let inner = self.map(&Layer::conv(&block.down), r, Activation::Identity);
        self.free(r);
        self.blocks(&block.blocks, inner);
        let y = self.normed(inner, &block.up_norm, block.up_act);
        self.free(inner);
        self.back(&Layer::conv(&block.up), y, x);
    }

    fn attention(&mut self, block: &AttentionBlock, x: Buffer) {
        let y = self.rms(x, &block.norm);
        let (query, key) = (Layer::map(&block.query), Layer::map(&block.key));
        let width = block.query.outputs / block.heads;
        let [query, key] = match block.rotation {
            Rotation::None => [query, key],
            _ => [(query, block.heads), (key, block.kv_heads)].map(|(layer, heads)| {
                layer.outputs_at(&pairs_apart(heads, width, width), heads * width)
            }),
        };
        let [query, key, value] = [query, key, Layer::map(&block.value)]
            .map(|layer| self.map(&layer, y, Activation::Identity));
        self.free(y);
        let to = self.claim(Per::Point, block.out.inputs);
        let mut attention = Attention {
            query,
            key,
            value,
            to,
            heads: block.heads,
            kv_heads: block.kv_heads,
            width,
            value_width: block.value.outputs / block.kv_heads,
            rotation: block.rotation.clone(),
            turns: 0,
        };
        let earlier = self.steps.iter().filter_map(|step| match step {
            Step::Attention(earlier) => Some(&**earlier),
            _ => None,
        });
        let of = |layer: &Attention| (layer.width, layer.kv_heads);
        attention.turns = table(earlier.map(|earlier| {
            let same = of(earlier) == of(&attention) && earlier.rotation == attention.rotation;
            (earlier.turns, same)
        }));
        self.push(Step::Attention(Box::new(attention)));
        for buffer in [query, key, value] {
            self.free(buffer);
        }
        self.back(&Layer::map(&block.out), to, x);
    }

    fn feed_forward(&mut self, block: &FeedForwardBlock, x: Buffer) {
        let y = self.rms_read(x, &block.norm);
        let (wide, gate) = (Layer::map(&block.wide), Layer::map(&block.gate));
        let wide = if self.tiles {
            self.gated(&wide, &gate, y)
        } else if self.pairs_pay(wide.inputs, wide.outputs) {
            self.paired_gate(&wide, &gate, y)
        } else {
            let wide = self.map(&wide, y, Activation::Silu);
            let gate = self.map(&gate, y, Activation::Identity);
            self.push(Step::Pointwise(Pointwise::Multiply(wide, gate)));
            self.free(gate);
            wide
        };
        self.free(y);
        self.back(&Layer::map(&block.out), wide, x);
    }

    /// Adds a gated layer, `silu(wide(x)) * gate(x)`, in 16-bit integers.
    fn paired_gate(&mut self, wide: &Layer, gate: &Layer, from: Buffer) -> Buffer {
        let &Layer {
            inputs, outputs, ..
        } = wide;
        let weights = [&*wide.weights, &*gate.weights].concat();
        let map = Gated {
            panels: self.paired(&weights, inputs, outputs, 2),
            bias: [wide, gate].map(|layer| self.filled(&layer.bias)),
        };
        let to = self.claim(Per::Point, outputs);
        self.push(Step::Gated(from, to, Box::new(map)));
        to
    }

    fn post_activation(&mut self, block: &PostActivationBlock, x: Buffer) {
        let conv1 = Layer::conv(&block.conv1).normed(&block.norm1);
        let r = self.readable(x);
        let y = self.inner(&conv1, r, Activation::Relu);
        if r != x {
            self.free(r);
        }
        let into = Into {
            sum: Some(x),
            added: None,
            activation: Activation::Relu,
        };
        self.conv(&Layer::conv(&block.conv2).normed(&block.norm2), y, into);
        self.free(y);
    }
}
