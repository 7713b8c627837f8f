//! Random nets that are wide enough for every implementation of 3x3 convolutions and transformer layers. Activations have
//! about the same magnitude as in trained nets.

use crate::nets::drawn::{self, Extras};
use honinbo::net::spec::NetSpec;
use honinbo::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, RotaryAngles,
};
use honinbo::net::spec::heads::{PolicyHead, ValueHead};
use honinbo::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use honinbo::net::spec::{Stem, TrunkNorm};
use honinbo::random::Rng;

struct Draw(Rng);

impl Draw {
    /// Returns `count` random numbers from `-size` to `size`.
    fn numbers(&mut self, count: usize, size: f32) -> Vec<f32> {
        (0..count)
            .map(|_| size * (2.0 * self.0.unit_f32() - 1.0))
            .collect()
    }

    /// Returns weights that approximately preserve the magnitude of the activations.
    fn conv(&mut self, side: usize, inputs: usize, outputs: usize) -> Conv {
        let size = (3.0 / (side * side * inputs) as f32).sqrt();
        Conv {
            height: side,
            width: side,
            inputs,
            outputs,
            weights: self.numbers(side * side * inputs * outputs, size),
        }
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        let size = (3.0 / inputs as f32).sqrt();
        Linear {
            inputs,
            outputs,
            biased: false,
            weights: self.numbers(inputs * outputs, size),
            bias: Vec::new(),
        }
    }

    fn affine(&mut self, channels: usize) -> Affine {
        Affine {
            channels,
            scale: self.numbers(channels, 1.5),
            shift: self.numbers(channels, 0.5),
        }
    }

    fn ordinary(&mut self, channels: usize, inner: usize, act: Activation) -> Block {
        Block::Ordinary(OrdinaryBlock {
            norm1: self.affine(channels),
            act1: act,
            conv1: self.conv(3, channels, inner),
            norm2: self.affine(inner),
            act2: act,
            conv2: self.conv(3, inner, channels),
        })
    }

    fn pooling(&mut self, channels: usize, inner: usize, side: usize) -> Block {
        Block::Pooling(PoolingBlock {
            norm1: self.affine(channels),
            act1: Activation::Relu,
            conv1: self.conv(3, channels, inner),
            pool_conv: self.conv(side, channels, 9),
            pool_norm: self.affine(9),
            pool_act: Activation::Relu,
            pool_linear: self.linear(27, inner),
            norm2: self.affine(inner),
            act2: Activation::Mish,
            conv2: self.conv(5, inner, channels),
        })
    }

    fn nested(&mut self, channels: usize, inner: usize) -> Block {
        Block::Nested(NestedBlock {
            down_norm: self.affine(channels),
            down_act: Activation::Silu,
            down: self.conv(1, channels, inner),
            blocks: vec![
                self.ordinary(inner, inner, Activation::Mish),
                self.ordinary(inner, channels, Activation::Relu),
            ],
            up_norm: self.affine(inner),
            up_act: Activation::Identity,
            up: self.conv(1, inner, channels),
        })
    }

    fn rms(&mut self, channels: usize) -> RmsNorm {
        RmsNorm {
            channels,
            epsilon: 1e-6,
            over_board: false,
            shifted: false,
            weight: self.numbers(channels, 1.5),
            shift: Vec::new(),
        }
    }

    /// Returns an attention block. The array contains the number of query heads, the number of key heads, the query width
    /// and the value width.
    fn attention(
        &mut self,
        channels: usize,
        [heads, kv_heads, width, value_width]: [usize; 4],
        rotation: RotaryAngles,
    ) -> Block {
        Block::Attention(AttentionBlock {
            norm: self.rms(channels),
            heads,
            kv_heads,
            query: self.linear(channels, heads * width),
            key: self.linear(channels, kv_heads * width),
            value: self.linear(channels, kv_heads * value_width),
            out: self.linear(heads * value_width, channels),
            rotation,
        })
    }

    fn feed_forward(&mut self, channels: usize, inner: usize) -> Block {
        Block::FeedForward(FeedForwardBlock {
            norm: self.rms(channels),
            wide: self.linear(channels, inner),
            gate: self.linear(channels, inner),
            out: self.linear(inner, channels),
        })
    }

    fn post_activation(&mut self, channels: usize) -> Block {
        Block::PostActivation(PostActivationBlock {
            conv1: self.conv(3, channels, channels),
            norm1: self.affine(channels),
            conv2: self.conv(3, channels, channels),
            norm2: self.affine(channels),
        })
    }
}

/// Returns a net with `channels` channels in the trunk and `inner` channels in its blocks.
pub fn net(channels: usize, inner: usize, seed: u64) -> NetSpec {
    with_blocks(3, channels, seed, |draw| {
        vec![
            draw.ordinary(channels, inner, Activation::Relu),
            draw.pooling(channels, inner, 3),
            draw.nested(channels, inner),
            // This block must not reuse the transformed input of the nested block, although its own input may have the
            // same address.
            draw.pooling(channels, inner, 1),
            draw.post_activation(channels),
            draw.ordinary(channels, inner, Activation::Silu),
        ]
    })
}

/// Returns a transformer without 3x3 convolutions, with `channels` channels in the trunk and `inner` in its
/// feed-forward layers. The heads differ from layer to layer.
pub fn transformer(channels: usize, inner: usize, seed: u64) -> NetSpec {
    with_blocks(5, channels, seed, |draw| {
        let angles = draw.numbers(2 * 20 * 2, 1.0);
        vec![
            draw.attention(channels, [2, 1, 33, 70], RotaryAngles::None),
            draw.feed_forward(channels, inner),
            // This layer may write to the memory of the first attention layer. Less of that layer's padding was filled
            // with zeros.
            draw.attention(channels, [6, 2, 40, 23], RotaryAngles::Learnt { angles }),
            draw.feed_forward(channels, inner),
            draw.attention(
                channels,
                [3, 3, 16, 9],
                RotaryAngles::Fixed { theta: 100.0 },
            ),
        ]
    })
}

/// Returns a net with these blocks, `channels` channels in the trunk and a first convolution of `side` x `side`.
fn with_blocks(
    side: usize,
    channels: usize,
    seed: u64,
    blocks: impl FnOnce(&mut Draw) -> Vec<Block>,
) -> NetSpec {
    let mut net = drawn::katago(16, Extras::default(), seed, &[]);
    let mut draw = Draw(Rng::new(seed));
    let planes = net.inputs.planes();
    net.stem = Stem {
        conv: draw.conv(side, planes, channels),
        global: Some(draw.linear(net.inputs.globals(), channels)),
        profile: None,
        norm: Some((draw.affine(channels), Activation::Relu)),
    };
    net.blocks = blocks(&mut draw);
    net.trunk_norm = TrunkNorm::Affine {
        norm: draw.affine(channels),
        act: Activation::Relu,
    };
    let PolicyHead::Pooled(policy) = &mut net.policy else {
        unreachable!("KataGo's heads are pooled");
    };
    policy.conv = draw.conv(1, channels, policy.conv.outputs);
    policy.pool_conv = draw.conv(1, channels, policy.pool_conv.outputs);
    let ValueHead::Pooled(value) = &mut net.value else {
        unreachable!("KataGo's heads are pooled");
    };
    value.conv = draw.conv(1, channels, value.conv.outputs);
    net.checked().expect("layers that fit together")
}
