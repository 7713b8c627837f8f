//! The tensors of a description, each under the name of its place.

use super::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, Rotation,
};
use super::heads::{PolicyHead, PooledPolicy, PooledValue, ValueHead};
use super::layers::{Affine, Conv, Linear, RmsNorm};
use super::{NetDesc, ProfileEncoder, Stem, Tip};

/// A tensor of a description.
#[derive(Debug)]
pub struct TensorMut<'a> {
    /// Its place, such as `blocks.3.conv1.weights`.
    pub name: String,
    /// The shape it must have.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub values: &'a mut Vec<f32>,
}

impl NetDesc {
    /// All tensors, in the order in which the network uses them.
    pub fn tensors_mut(&mut self) -> Vec<TensorMut<'_>> {
        let mut walk = Walk::default();
        walk.within("stem", |walk| walk.stem(&mut self.stem));
        walk.within("blocks", |walk| walk.blocks(&mut self.blocks));
        walk.within("tip", |walk| match &mut self.tip {
            Tip::Plain => {}
            Tip::Affine { norm, .. } => walk.affine("norm", norm),
            Tip::Rms { norm, .. } => walk.rms("norm", norm),
        });
        walk.within("policy", |walk| walk.policy(&mut self.policy));
        walk.within("value", |walk| walk.value(&mut self.value));
        walk.found
    }

    /// The number of weights.
    #[must_use]
    pub fn parameters(&mut self) -> usize {
        self.tensors_mut()
            .iter()
            .map(|tensor| tensor.values.len())
            .sum()
    }
}

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
        let name = format!("{}.{part}", self.place.join("."));
        self.found.push(TensorMut {
            name,
            shape,
            values,
        });
    }

    fn conv(&mut self, part: &str, conv: &'a mut Conv) {
        let shape = vec![conv.height, conv.width, conv.inputs, conv.outputs];
        self.within(part, |walk| walk.add("weights", shape, &mut conv.weights));
    }

    fn linear(&mut self, part: &str, linear: &'a mut Linear) {
        let shape = vec![linear.inputs, linear.outputs];
        self.within(part, |walk| {
            walk.add("weights", shape, &mut linear.weights);
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
        self.linear("query", &mut block.query);
        self.linear("key", &mut block.key);
        self.linear("value", &mut block.value);
        if let Rotation::Learnt { angles } = &mut block.rotation {
            self.add("angles", vec![block.kv_heads, pairs, 2], angles);
        }
        self.linear("out", &mut block.out);
    }

    fn feed_forward(&mut self, block: &'a mut FeedForwardBlock) {
        self.rms("norm", &mut block.norm);
        self.linear("wide", &mut block.wide);
        if let Some(gate) = &mut block.gate {
            self.linear("gate", gate);
        }
        self.linear("out", &mut block.out);
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
