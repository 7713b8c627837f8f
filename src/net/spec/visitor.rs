//! Iteration over the tensors of a description, with a unique name for each.

use super::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, Rotation,
};
use super::heads::{PolicyHead, PooledPolicy, PooledValue, ValueHead};
use super::layers::{Affine, Conv, Linear, RmsNorm};
use super::{NetDesc, ProfileEncoder, Stem, TrunkNorm};

/// Mutable access to a tensor of a description.
#[derive(Debug)]
pub struct TensorMut<'a> {
    /// Path of the tensor, such as `blocks.3.conv1.weights`.
    pub name: String,
    /// Required shape; `values` may have a different length in an unchecked description.
    pub shape: Vec<usize>,
    pub values: &'a mut Vec<f32>,
    pub factor: Factor,
}

/// Number of multiplications per weight in one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// No multiplication (biases), or multiplications that are not counted (norms).
    Never,
    /// One multiplication.
    Once,
    /// One multiplication per point of the board.
    PerPoint,
}

impl NetDesc {
    /// Returns all tensors in the order in which the network uses them.
    pub fn tensors_mut(&mut self) -> Vec<TensorMut<'_>> {
        let mut walk = Walk::default();
        walk.within("stem", |walk| walk.stem(&mut self.stem));
        walk.within("blocks", |walk| walk.blocks(&mut self.blocks));
        walk.within("tip", |walk| match &mut self.trunk_norm {
            TrunkNorm::None => {}
            TrunkNorm::Affine { norm, .. } => walk.affine("norm", norm),
            TrunkNorm::Rms { norm, .. } => walk.rms("norm", norm),
        });
        walk.within("policy", |walk| walk.policy(&mut self.policy));
        walk.within("value", |walk| walk.value(&mut self.value));
        walk.found
    }

    /// Number of weights.
    #[must_use]
    pub fn parameters(&mut self) -> usize {
        let lengths = self.tensors_mut().into_iter();
        lengths.map(|tensor| tensor.values.len()).sum()
    }

    /// Returns the number of multiply-adds per evaluation on a board with `area` points. Norms and activations are not
    /// counted.
    #[must_use]
    pub fn multiply_adds(&mut self, area: usize) -> usize {
        let maps: usize = self
            .tensors_mut()
            .into_iter()
            .map(|tensor| match tensor.factor {
                Factor::Never => 0,
                Factor::Once => tensor.values.len(),
                Factor::PerPoint => area * tensor.values.len(),
            })
            .sum();
        maps + area * area * mixing(&self.blocks)
    }
}

/// Returns the number of multiply-adds in the attention blocks for each pair of points.
fn mixing(blocks: &[Block]) -> usize {
    blocks
        .iter()
        .map(|block| match block {
            Block::Attention(block) => block.query.outputs + block.out.inputs,
            Block::Nested(block) => mixing(&block.blocks),
            _ => 0,
        })
        .sum()
}

/// Collects tensors and keeps track of the path of the current layer.
#[derive(Default)]
struct Walk<'a> {
    place: Vec<String>,
    found: Vec<TensorMut<'a>>,
}

impl<'a> Walk<'a> {
    fn within(&mut self, part: &str, visit: impl FnOnce(&mut Self)) {
        self.place.push(part.to_owned());
        visit(self);
        self.place.pop();
    }

    fn add(&mut self, part: &str, shape: Vec<usize>, values: &'a mut Vec<f32>) {
        self.add_factor(part, shape, values, Factor::Never);
    }

    fn add_factor(
        &mut self,
        part: &str,
        shape: Vec<usize>,
        values: &'a mut Vec<f32>,
        factor: Factor,
    ) {
        let name = format!("{}.{part}", self.place.join("."));
        self.found.push(TensorMut {
            name,
            shape,
            values,
            factor,
        });
    }

    fn conv(&mut self, part: &str, conv: &'a mut Conv) {
        let shape = vec![conv.height, conv.width, conv.inputs, conv.outputs];
        self.within(part, |walk| {
            walk.add_factor("weights", shape, &mut conv.weights, Factor::PerPoint);
        });
    }

    /// Adds a linear layer that is applied once per board.
    fn linear(&mut self, part: &str, linear: &'a mut Linear) {
        self.map(part, linear, Factor::Once);
    }

    fn map(&mut self, part: &str, linear: &'a mut Linear, factor: Factor) {
        let shape = vec![linear.inputs, linear.outputs];
        self.within(part, |walk| {
            walk.add_factor("weights", shape, &mut linear.weights, factor);
            if linear.biased {
                walk.add("bias", vec![linear.outputs], &mut linear.bias);
            }
        });
    }

    fn affine(&mut self, part: &str, norm: &'a mut Affine) {
        self.within(part, |walk| {
            walk.add("scale", vec![norm.channels], &mut norm.scale);
            walk.add("shift", vec![norm.channels], &mut norm.shift);
        });
    }

    fn rms(&mut self, part: &str, norm: &'a mut RmsNorm) {
        self.within(part, |walk| {
            walk.add("weight", vec![norm.channels], &mut norm.weight);
            if norm.shifted {
                walk.add("shift", vec![norm.channels], &mut norm.shift);
            }
        });
    }

    fn stem(&mut self, stem: &'a mut Stem) {
        self.conv("conv", &mut stem.conv);
        if let Some(global) = &mut stem.global {
            self.linear("global", global);
        }
        if let Some(ProfileEncoder {
            first, second, out, ..
        }) = &mut stem.profile
        {
            self.within("profile", |walk| {
                walk.linear("first", first);
                walk.linear("second", second);
                walk.linear("out", out);
            });
        }
        if let Some((norm, _)) = &mut stem.norm {
            self.affine("norm", norm);
        }
    }

    fn blocks(&mut self, blocks: &'a mut [Block]) {
        for (index, block) in blocks.iter_mut().enumerate() {
            self.within(&index.to_string(), |walk| match block {
                Block::Ordinary(block) => walk.ordinary(block),
                Block::Pooling(block) => walk.pooling(block),
                Block::Nested(block) => walk.nested(block),
                Block::Attention(block) => walk.attention(block),
                Block::FeedForward(block) => walk.feed_forward(block),
                Block::PostActivation(block) => walk.post_activation(block),
            });
        }
    }

    fn ordinary(&mut self, block: &'a mut OrdinaryBlock) {
        self.affine("norm1", &mut block.norm1);
        self.conv("conv1", &mut block.conv1);
        self.affine("norm2", &mut block.norm2);
        self.conv("conv2", &mut block.conv2);
    }

    fn pooling(&mut self, block: &'a mut PoolingBlock) {
        self.affine("norm1", &mut block.norm1);
        self.conv("conv1", &mut block.conv1);
        self.conv("pool_conv", &mut block.pool_conv);
        self.affine("pool_norm", &mut block.pool_norm);
        self.linear("pool_linear", &mut block.pool_linear);
        self.affine("norm2", &mut block.norm2);
        self.conv("conv2", &mut block.conv2);
    }

    fn nested(&mut self, block: &'a mut NestedBlock) {
        self.affine("down_norm", &mut block.down_norm);
        self.conv("down", &mut block.down);
        self.within("blocks", |walk| walk.blocks(&mut block.blocks));
        self.affine("up_norm", &mut block.up_norm);
        self.conv("up", &mut block.up);
    }

    fn attention(&mut self, block: &'a mut AttentionBlock) {
        let pairs = block.pairs();
        self.rms("norm", &mut block.norm);
        self.map("query", &mut block.query, Factor::PerPoint);
        self.map("key", &mut block.key, Factor::PerPoint);
        self.map("value", &mut block.value, Factor::PerPoint);
        if let Rotation::Learnt { angles } = &mut block.rotation {
            self.add("angles", vec![block.kv_heads, pairs, 2], angles);
        }
        self.map("out", &mut block.out, Factor::PerPoint);
    }

    fn feed_forward(&mut self, block: &'a mut FeedForwardBlock) {
        self.rms("norm", &mut block.norm);
        self.map("wide", &mut block.wide, Factor::PerPoint);
        self.map("gate", &mut block.gate, Factor::PerPoint);
        self.map("out", &mut block.out, Factor::PerPoint);
    }

    fn post_activation(&mut self, block: &'a mut PostActivationBlock) {
        self.conv("conv1", &mut block.conv1);
        self.affine("norm1", &mut block.norm1);
        self.conv("conv2", &mut block.conv2);
        self.affine("norm2", &mut block.norm2);
    }

    fn policy(&mut self, head: &'a mut PolicyHead) {
        match head {
            PolicyHead::Flat { conv, norm, out } => {
                self.conv("conv", conv);
                self.affine("norm", norm);
                self.linear("out", out);
            }
            PolicyHead::Pooled(head) => self.pooled_policy(head),
        }
    }

    fn pooled_policy(&mut self, head: &'a mut PooledPolicy) {
        self.conv("conv", &mut head.conv);
        self.conv("pool_conv", &mut head.pool_conv);
        self.affine("pool_norm", &mut head.pool_norm);
        self.linear("pool_linear", &mut head.pool_linear);
        self.affine("norm", &mut head.norm);
        self.conv("out", &mut head.out);
        if let Some(pass) = &mut head.pass {
            self.within("pass", |walk| {
                if let Some((hidden, _)) = &mut pass.hidden {
                    walk.linear("hidden", hidden);
                }
                walk.linear("out", &mut pass.out);
            });
        }
    }

    fn value(&mut self, head: &'a mut ValueHead) {
        match head {
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                self.conv("conv", conv);
                self.affine("norm", norm);
                self.linear("hidden", hidden);
                self.linear("result", result);
            }
            ValueHead::Pooled(head) => self.pooled_value(head),
        }
    }

    fn pooled_value(&mut self, head: &'a mut PooledValue) {
        self.conv("conv", &mut head.conv);
        self.affine("norm", &mut head.norm);
        self.linear("hidden", &mut head.hidden);
        self.linear("result", &mut head.result);
        if let Some(score) = &mut head.score {
            self.linear("score", score);
        }
        if let Some(ownership) = &mut head.ownership {
            self.conv("ownership", ownership);
        }
    }
}
