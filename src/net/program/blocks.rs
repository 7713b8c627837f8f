//! Lowering of the trunk blocks. Each block adds its result to the trunk, which is the buffer `x`.

use super::builder::{Builder, Dest};
use super::ops::{AttentionOp, BufferId, CopyOp, LayerOp, Op};
use crate::net::folded::{Layer, head_element_channels};
use crate::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, RotaryAngles,
};
use crate::net::spec::layers::{Activation, Pooling};

impl Builder {
    /// Adds the operations of the blocks, which update the trunk `x` in place.
    pub fn blocks(&mut self, blocks: &[Block], x: BufferId) {
        for block in blocks {
            match block {
                Block::Ordinary(block) => self.ordinary(block, x),
                Block::Pooling(block) => self.pooling(block, x),
                Block::Nested(block) => self.nested(block, x),
                Block::Attention(block) => self.attention(block, x),
                Block::FeedForward(block) => self.feed_forward(block, x),
                Block::PostActivation(block) => self.post_activation(block, x),
            }
        }
    }

    /// Adds the last layer of a block, which reads `y` and adds its output to `x`. Frees `y`.
    fn add_to_trunk(&mut self, layer: Layer, y: BufferId, x: BufferId) {
        self.layer(layer, y, Dest::add_to(x));
        self.free(y);
    }

    fn ordinary(&mut self, block: &OrdinaryBlock, x: BufferId) {
        let input = self.copy(x, Some(&block.norm1), block.act1);
        let conv1 = Layer::conv(&block.conv1).with_folded_norm(&block.norm2);
        let y = self.layer(conv1, input, Dest::for_layers(block.act2));
        self.free(input);
        self.add_to_trunk(Layer::conv(&block.conv2), y, x);
    }

    fn pooling(&mut self, block: &PoolingBlock, x: BufferId) {
        let input = self.copy(x, Some(&block.norm1), block.act1);
        let pool_conv = Layer::conv(&block.pool_conv).with_folded_norm(&block.pool_norm);
        let g = self.layer(pool_conv, input, Dest::new(block.pool_act));
        let board = self.pool(g, block.pool_conv.outputs, Pooling::Max);
        self.free(g);
        let linear = Layer::linear(&block.pool_linear).with_folded_norm(&block.norm2);
        let per_board = self.layer(linear, board, Dest::default());
        self.free(board);
        let dest = Dest {
            per_board: Some(per_board),
            shares_input: true,
            ..Dest::for_layers(block.act2)
        };
        let conv1 = Layer::conv(&block.conv1).with_folded_norm_scale(&block.norm2);
        let y = self.layer(conv1, input, dest);
        self.free(input);
        self.free(per_board);
        self.add_to_trunk(Layer::conv(&block.conv2), y, x);
    }

    fn nested(&mut self, block: &NestedBlock, x: BufferId) {
        let input = self.copy(x, Some(&block.down_norm), block.down_act);
        let inner = self.layer(Layer::conv(&block.down), input, Dest::default());
        self.free(input);
        self.blocks(&block.blocks, inner);
        let y = self.copy(inner, Some(&block.up_norm), block.up_act);
        self.free(inner);
        self.add_to_trunk(Layer::conv(&block.up), y, x);
    }

    fn attention(&mut self, block: &AttentionBlock, x: BufferId) {
        let (heads, kv_heads) = (block.heads, block.kv_heads);
        let width = block.query.outputs / heads;
        let value_width = block.value.outputs / kv_heads;
        let (padded_width, padded_value_width) = match self.rules.bf16 {
            None => (width, value_width),
            Some(rules) => (
                width.next_multiple_of(rules.input_multiple),
                value_width.next_multiple_of(rules.value_multiple),
            ),
        };
        let rotated = block.rotation != RotaryAngles::None;
        let qk_channels = |heads| head_element_channels(heads, width, padded_width, rotated);
        let value_channels =
            |heads| head_element_channels(heads, value_width, padded_value_width, false);

        let mut query = Layer::linear(&block.query);
        if self.rules.bf16.is_some() {
            query = query.scale_outputs(std::f32::consts::LOG2_E / (width as f32).sqrt());
        }
        let key = Layer::linear(&block.key);
        let value = Layer::linear(&block.value);
        let y = self.rms_norm_to_layer_input(x, &block.norm);
        let [query, key, value] = [
            query.spread_outputs(&qk_channels(heads), heads * padded_width),
            key.spread_outputs(&qk_channels(kv_heads), kv_heads * padded_width),
            value.spread_outputs(&value_channels(kv_heads), kv_heads * padded_value_width),
        ]
        .map(|layer| self.layer(layer, y, Dest::default()));
        self.free(y);
        let to = self.claim_input(heads * padded_value_width);
        let mut op = AttentionOp {
            query,
            key,
            value,
            to,
            heads,
            kv_heads,
            width: padded_width,
            pairs: width / 2,
            value_width: padded_value_width,
            rotation: block.rotation.clone(),
            rotary_table: 0,
        };
        op.rotary_table = self.rotary_table(&op);
        self.push(Op::Attention(Box::new(op)));
        for buffer in [query, key, value] {
            self.free(buffer);
        }
        let out = Layer::linear(&block.out)
            .spread_inputs(&value_channels(heads), heads * padded_value_width);
        self.add_to_trunk(out, to, x);
    }

    /// Returns the index of the rotary table of `op`. Operations with equal tables share an index.
    fn rotary_table(&self, op: &AttentionOp) -> usize {
        let mut next = 0;
        for earlier in self.ops.iter().filter_map(|op| match op {
            Op::Attention(earlier) => Some(earlier),
            _ => None,
        }) {
            let shape = |op: &AttentionOp| (op.width, op.pairs, op.kv_heads);
            if shape(earlier) == shape(op) && earlier.rotation == op.rotation {
                return earlier.rotary_table;
            }
            next = next.max(earlier.rotary_table + 1);
        }
        next
    }

    fn feed_forward(&mut self, block: &FeedForwardBlock, x: BufferId) {
        let from = self.rms_norm_to_layer_input(x, &block.norm);
        let to = self.claim_input(block.wide.outputs);
        self.push(Op::Layer(Box::new(LayerOp {
            gate: Some(Layer::linear(&block.gate)),
            copy: Some(CopyOp::unchanged(to)),
            ..LayerOp::new(Layer::linear(&block.wide), from)
        })));
        self.free(from);
        self.add_to_trunk(Layer::linear(&block.out), to, x);
    }

    fn post_activation(&mut self, block: &PostActivationBlock, x: BufferId) {
        let conv1 = Layer::conv(&block.conv1).with_folded_norm(&block.norm1);
        let input = self.convert_to_layer_input(x);
        let y = self.layer(conv1, input, Dest::for_layers(Activation::Relu));
        if input != x {
            self.free(input);
        }
        let conv2 = Layer::conv(&block.conv2).with_folded_norm(&block.norm2);
        let dest = Dest {
            activation: Activation::Relu,
            ..Dest::add_to(x)
        };
        self.layer(conv2, y, dest);
        self.free(y);
    }
}
