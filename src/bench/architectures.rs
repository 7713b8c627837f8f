//! Networks of well-known architectures with random weights, for measuring the speed of networks that are not
//! available as files.

use crate::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock, RotaryAngles,
};
use crate::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use crate::net::spec::{Inputs, KataReadout, NetSpec, Readout, Stem, TrunkNorm};
use crate::random::Rng;

/// Network architecture. All architectures use KataGo's input planes.
struct Architecture {
    name: &'static str,
    /// Kernel side length of the first convolution.
    stem_side: usize,
    /// Number of trunk channels.
    channels: usize,
    blocks: fn(&mut RandomLayers) -> Vec<Block>,
    trunk_norm: fn(usize) -> TrunkNorm,
    heads: HeadConfig,
}

/// Configuration of the policy head and the value head.
#[derive(Clone, Copy)]
struct HeadConfig {
    /// Version of KataGo's network outputs. From version 15 on, the policy head also outputs an optimistic policy, and
    /// its pass output has a hidden layer.
    version: u8,
    /// Number of channels of the policy head.
    policy: usize,
    /// Number of channels and number of hidden units of the value head.
    value: [usize; 2],
    act: Activation,
}

/// Heads with ReLU activations, as in KataGo's convolutional networks.
const CONV_HEADS: HeadConfig = HeadConfig {
    version: 8,
    policy: 32,
    value: [32, 64],
    act: Activation::Relu,
};

/// The available architectures. The last three names follow KataGo's transformers of 2026: `nbt3` means three pairs of
/// inner blocks, `fson` a single norm, and `rsnh` an RMS norm over the board before the heads.
const ARCHITECTURES: [Architecture; 7] = [
    Architecture {
        name: "b6c96",
        stem_side: 5,
        channels: 96,
        blocks: |layers| layers.residual(6, 96, 32),
        trunk_norm: affine_relu_trunk_norm,
        heads: CONV_HEADS,
    },
    Architecture {
        name: "b10c128",
        stem_side: 5,
        channels: 128,
        blocks: |layers| layers.residual(10, 128, 32),
        trunk_norm: affine_relu_trunk_norm,
        heads: CONV_HEADS,
    },
    Architecture {
        name: "b18c384nbt",
        stem_side: 5,
        channels: 384,
        blocks: |layers| layers.nested(18, 384, 192, 64),
        trunk_norm: affine_relu_trunk_norm,
        heads: CONV_HEADS,
    },
    Architecture {
        name: "t10c512",
        stem_side: 5,
        channels: 512,
        blocks: |layers| layers.transformer(10, 512, 8, 1536),
        trunk_norm: affine_relu_trunk_norm,
        heads: CONV_HEADS,
    },
    Architecture {
        name: "b10c384h6nbttflrs",
        stem_side: 3,
        channels: 384,
        blocks: |layers| layers.nested_transformer([10, 2], 384, 6, 512, affine_norm),
        trunk_norm: |channels| rms_silu_trunk_norm(channels, false),
        heads: transformer_heads(48, 96),
    },
    Architecture {
        name: "b10c512h8nbt3tflrs-fson-silu-rsnh",
        stem_side: 3,
        channels: 512,
        blocks: |layers| layers.nested_transformer([10, 3], 512, 8, 768, shift_norm),
        trunk_norm: |channels| rms_silu_trunk_norm(channels, true),
        heads: transformer_heads(64, 128),
    },
    Architecture {
        name: "b11c768h12nbt3tflrs-fson-silu",
        stem_side: 3,
        channels: 768,
        blocks: |layers| layers.nested_transformer([11, 3], 768, 12, 1152, shift_norm),
        trunk_norm: |channels| TrunkNorm::Affine {
            norm: affine_norm(channels),
            act: Activation::Silu,
        },
        heads: transformer_heads(96, 192),
    },
];

const fn transformer_heads(policy: usize, value: usize) -> HeadConfig {
    HeadConfig {
        version: 15,
        policy,
        value: [value, value],
        act: Activation::Silu,
    }
}

/// Returns the names of all available architectures.
pub fn names() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|architecture| architecture.name)
}

/// Creates a network of the named architecture with random weights. The weights are the same in each call. Returns
/// `None` if the name is unknown.
pub fn random_spec(name: &str) -> Option<NetSpec> {
    let named = |architecture: &&Architecture| architecture.name == name;
    let Architecture {
        stem_side,
        channels,
        blocks,
        trunk_norm,
        heads,
        ..
    } = *ARCHITECTURES.iter().find(named)?;
    let mut layers = RandomLayers(Rng::new(1));
    let inputs = Inputs::KataGo {
        version: 7,
        suicide_areas: false,
    };
    Some(NetSpec {
        name: format!("{name} with random weights"),
        note: None,
        ranges: None,
        inputs,
        stem: Stem {
            conv: layers.conv(stem_side, inputs.planes(), channels),
            global: Some(layers.linear(inputs.globals(), channels)),
            profile: None,
            norm: None,
        },
        blocks: blocks(&mut layers),
        trunk_norm: trunk_norm(channels),
        policy: layers.policy(channels, heads),
        value: layers.value(channels, heads),
        readout: Readout::KataGo(KataReadout {
            version: heads.version,
            score_mean: 20.0,
            score_deviation: 20.0,
            lead: 20.0,
            variance_time: 40.0,
            value_error: 0.25,
            score_error: 30.0,
        }),
    })
}

/// Generator of layers with random weights. The weights are scaled so that the layers approximately preserve the
/// magnitude of activations.
struct RandomLayers(Rng);

impl RandomLayers {
    fn weights(&mut self, count: usize, inputs: usize) -> Vec<f32> {
        let scale = (3.0 / inputs as f32).sqrt();
        (0..count)
            .map(|_| scale * (2.0 * self.0.unit_f32() - 1.0))
            .collect()
    }

    fn conv(&mut self, side: usize, inputs: usize, outputs: usize) -> Conv {
        let taps = side * side;
        Conv {
            height: side,
            width: side,
            inputs,
            outputs,
            weights: self.weights(taps * inputs * outputs, taps * inputs),
        }
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        Linear {
            inputs,
            outputs,
            biased: false,
            weights: self.weights(inputs * outputs, inputs),
            bias: Vec::new(),
        }
    }

    /// Creates `blocks` residual blocks. Every third block has global pooling of `pooled` channels.
    fn residual(&mut self, blocks: usize, channels: usize, pooled: usize) -> Vec<Block> {
        (1..=blocks)
            .map(|block| match block % 3 {
                0 => self.pooling(channels, pooled),
                _ => self.ordinary(channels),
            })
            .collect()
    }

    fn ordinary(&mut self, channels: usize) -> Block {
        Block::Ordinary(OrdinaryBlock {
            norm1: affine_norm(channels),
            act1: Activation::Relu,
            conv1: self.conv(3, channels, channels),
            norm2: affine_norm(channels),
            act2: Activation::Relu,
            conv2: self.conv(3, channels, channels),
        })
    }

    fn pooling(&mut self, channels: usize, pooled: usize) -> Block {
        let regular = channels - pooled;
        Block::Pooling(PoolingBlock {
            norm1: affine_norm(channels),
            act1: Activation::Relu,
            conv1: self.conv(3, channels, regular),
            pool_conv: self.conv(3, channels, pooled),
            pool_norm: affine_norm(pooled),
            pool_act: Activation::Relu,
            pool_linear: self.linear(3 * pooled, regular),
            norm2: affine_norm(regular),
            act2: Activation::Relu,
            conv2: self.conv(3, regular, channels),
        })
    }

    /// Creates `blocks` nested bottleneck blocks, each containing two inner blocks with `inner` channels. In every
    /// third nested block, the first inner block has global pooling of `pooled` channels.
    fn nested(
        &mut self,
        blocks: usize,
        channels: usize,
        inner: usize,
        pooled: usize,
    ) -> Vec<Block> {
        let nested_block = |block: usize| {
            let first = match block % 3 {
                0 => self.pooling(inner, pooled),
                _ => self.ordinary(inner),
            };
            Block::Nested(NestedBlock {
                down_norm: affine_norm(channels),
                down_act: Activation::Relu,
                down: self.conv(1, channels, inner),
                blocks: vec![first, self.ordinary(inner)],
                up_norm: affine_norm(inner),
                up_act: Activation::Relu,
                up: self.conv(1, inner, channels),
            })
        };
        (1..=blocks).map(nested_block).collect()
    }

    /// Creates `pairs` pairs of an attention block with fixed rotation angles and a feed-forward block.
    fn transformer(
        &mut self,
        pairs: usize,
        channels: usize,
        heads: usize,
        hidden: usize,
    ) -> Vec<Block> {
        let block_pair = |_| {
            [
                self.attention(channels, heads, RotaryAngles::Fixed { theta: 100.0 }),
                self.feed_forward(channels, hidden),
            ]
        };
        (0..pairs).flat_map(block_pair).collect()
    }

    /// Creates `blocks` nested bottleneck blocks. Each contains `pairs` pairs of an attention block with learnt
    /// rotation angles and a feed-forward block. The inner blocks have half the channels of the trunk.
    fn nested_transformer(
        &mut self,
        [blocks, pairs]: [usize; 2],
        channels: usize,
        heads: usize,
        hidden: usize,
        norm: fn(usize) -> Affine,
    ) -> Vec<Block> {
        let inner = channels / 2;
        let nested_block = |_| {
            let block_pair = |_| {
                // Two angles for each pair of channels.
                let rotation = RotaryAngles::Learnt {
                    angles: self.weights(inner, 1),
                };
                [
                    self.attention(inner, heads, rotation),
                    self.feed_forward(inner, hidden),
                ]
            };
            let blocks = (0..pairs).flat_map(block_pair).collect();
            Block::Nested(NestedBlock {
                down_norm: norm(channels),
                down_act: Activation::Silu,
                down: self.conv(1, channels, inner),
                blocks,
                up_norm: norm(inner),
                up_act: Activation::Silu,
                up: self.conv(1, inner, channels),
            })
        };
        (0..blocks).map(nested_block).collect()
    }

    fn attention(&mut self, channels: usize, heads: usize, rotation: RotaryAngles) -> Block {
        Block::Attention(AttentionBlock {
            norm: rms_norm(channels, false),
            heads,
            kv_heads: heads,
            query: self.linear(channels, channels),
            key: self.linear(channels, channels),
            value: self.linear(channels, channels),
            out: self.linear(channels, channels),
            rotation,
        })
    }

    fn feed_forward(&mut self, channels: usize, hidden: usize) -> Block {
        Block::FeedForward(FeedForwardBlock {
            norm: rms_norm(channels, false),
            wide: self.linear(channels, hidden),
            gate: self.linear(channels, hidden),
            out: self.linear(hidden, channels),
        })
    }

    fn policy(&mut self, channels: usize, heads: HeadConfig) -> PolicyHead {
        let (inner, act) = (heads.policy, heads.act);
        let (policies, has_hidden) = match heads.version {
            ..15 => (1, false),
            _ => (2, true),
        };
        PolicyHead::Pooled(Box::new(PooledPolicy {
            conv: self.conv(1, channels, inner),
            pool_conv: self.conv(1, channels, inner),
            pool_norm: affine_norm(inner),
            pool_act: act,
            pool_linear: self.linear(3 * inner, inner),
            norm: affine_norm(inner),
            act,
            out: self.conv(1, inner, policies),
            pass: Some(match has_hidden {
                false => PassHead {
                    hidden: None,
                    out: self.linear(3 * inner, policies),
                },
                true => PassHead {
                    hidden: Some((with_zero_bias(self.linear(3 * inner, inner)), act)),
                    out: self.linear(inner, policies),
                },
            }),
        }))
    }

    fn value(&mut self, channels: usize, heads: HeadConfig) -> ValueHead {
        let ([inner, hidden], act) = (heads.value, heads.act);
        let scores = match heads.version {
            ..9 => 4,
            _ => 6,
        };
        ValueHead::Pooled(Box::new(PooledValue {
            conv: self.conv(1, channels, inner),
            norm: affine_norm(inner),
            act,
            hidden: with_zero_bias(self.linear(3 * inner, hidden)),
            hidden_act: act,
            result: with_zero_bias(self.linear(hidden, 3)),
            score: Some(with_zero_bias(self.linear(hidden, scores))),
            ownership: Some(self.conv(1, inner, 1)),
        }))
    }
}

fn with_zero_bias(mut linear: Linear) -> Linear {
    linear.biased = true;
    linear.bias = vec![0.0; linear.outputs];
    linear
}

fn affine_relu_trunk_norm(channels: usize) -> TrunkNorm {
    TrunkNorm::Affine {
        norm: affine_norm(channels),
        act: Activation::Relu,
    }
}

fn rms_silu_trunk_norm(channels: usize, over_board: bool) -> TrunkNorm {
    TrunkNorm::Rms {
        norm: rms_norm(channels, over_board),
        act: Activation::Silu,
    }
}

fn affine_norm(channels: usize) -> Affine {
    Affine {
        channels,
        scale: vec![0.7; channels],
        shift: vec![0.1; channels],
    }
}

/// Returns a norm that only adds a shift, as in networks with a single norm (`fson`).
fn shift_norm(channels: usize) -> Affine {
    Affine {
        scale: vec![1.0; channels],
        ..affine_norm(channels)
    }
}

fn rms_norm(channels: usize, over_board: bool) -> RmsNorm {
    RmsNorm {
        channels,
        epsilon: 1e-6,
        over_board,
        shifted: false,
        weight: vec![1.0; channels],
        shift: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_are_valid_and_sized_as_named() {
        // Multiply-adds of the trunk on 19x19, computed by hand: 361 points times inputs times outputs times taps.
        let trunk = |name: &str| -> u64 {
            let of_block = |c: u64| 2 * 9 * c * c;
            let of_pair = |c: u64, hidden: u64| 4 * c * c + 3 * c * hidden + 2 * 361 * c;
            361 * match name {
                "b6c96" => 4 * of_block(96) + 2 * (9 * 96 * 96 + 9 * 64 * 96),
                "b10c128" => 7 * of_block(128) + 3 * (9 * 128 * 128 + 9 * 96 * 128),
                "t10c512" => 10 * of_pair(512, 1536),
                "b10c384h6nbttflrs" => 10 * (2 * 384 * 192 + 2 * of_pair(192, 512)),
                "b10c512h8nbt3tflrs-fson-silu-rsnh" => 10 * (2 * 512 * 256 + 3 * of_pair(256, 768)),
                "b11c768h12nbt3tflrs-fson-silu" => 11 * (2 * 768 * 384 + 3 * of_pair(384, 1152)),
                _ => 18 * (2 * 384 * 192 + 2 * of_block(192)) - 6 * 9 * 64 * 192,
            }
        };
        for name in names() {
            let mut spec = random_spec(name)
                .expect("an architecture")
                .checked()
                .expect("sound");
            let (total, trunk) = (spec.multiply_adds(361) as u64, trunk(name));
            assert!(
                total > trunk && total < trunk * 6 / 5,
                "{name}: {total} against {trunk}"
            );
        }
        assert!(random_spec("b6").is_none());
    }
}
