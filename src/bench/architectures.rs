//! Networks of well-known architectures with random weights, for measuring the speed of networks that are not
//! available as files.

use crate::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock, Rotation,
};
use crate::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use crate::net::spec::{Inputs, KataReadout, NetDesc, Readout, Stem, TrunkNorm};
use crate::random::Rng;

/// A function that creates the blocks of an architecture.
type BuildBlocks = fn(&mut RandomLayers) -> Vec<Block>;

/// Name, number of trunk channels, and blocks of each architecture. All use KataGo's input planes.
const ARCHITECTURES: [(&str, usize, BuildBlocks); 4] = [
    ("b6c96", 96, |draw| draw.residual(6, 96, 32)),
    ("b10c128", 128, |draw| draw.residual(10, 128, 32)),
    ("b18c384nbt", 384, |draw| draw.nested(18, 384, 192, 64)),
    ("t10c512", 512, |draw| draw.transformer(10, 512, 8, 1536)),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES.iter().map(|(name, ..)| *name)
}

/// Creates a network of the named architecture. The weights are the same in each call. Returns `None` if the name is
/// unknown.
pub fn network(name: &str) -> Option<NetDesc> {
    let (name, channels, blocks) = ARCHITECTURES
        .iter()
        .find(|(candidate, ..)| *candidate == name)?;
    let mut layers = RandomLayers(Rng::new(1));
    let inputs = Inputs::KataGo {
        version: 7,
        suicide_areas: false,
    };
    Some(NetDesc {
        name: format!("{name} with random weights"),
        note: None,
        ranges: None,
        inputs,
        stem: Stem {
            conv: layers.conv(5, inputs.planes(), *channels),
            global: Some(layers.linear(inputs.globals(), *channels)),
            profile: None,
            norm: None,
        },
        blocks: blocks(&mut layers),
        trunk_norm: TrunkNorm::Affine {
            norm: affine(*channels),
            act: Activation::Relu,
        },
        policy: layers.policy(*channels, 32),
        value: layers.value(*channels, 32),
        readout: Readout::KataGo(KataReadout {
            version: 8,
            score_mean: 20.0,
            score_deviation: 20.0,
            lead: 20.0,
            variance_time: 40.0,
            value_error: 0.25,
            score_error: 30.0,
        }),
    })
}

/// Creates layers with random weights that approximately preserve the magnitude of activations.
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

    /// Creates residual blocks, with global pooling in every third one.
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
            norm1: affine(channels),
            act1: Activation::Relu,
            conv1: self.conv(3, channels, channels),
            norm2: affine(channels),
            act2: Activation::Relu,
            conv2: self.conv(3, channels, channels),
        })
    }

    fn pooling(&mut self, channels: usize, pooled: usize) -> Block {
        let regular = channels - pooled;
        Block::Pooling(PoolingBlock {
            norm1: affine(channels),
            act1: Activation::Relu,
            conv1: self.conv(3, channels, regular),
            pool_conv: self.conv(3, channels, pooled),
            pool_norm: affine(pooled),
            pool_act: Activation::Relu,
            pool_linear: self.linear(3 * pooled, regular),
            norm2: affine(regular),
            act2: Activation::Relu,
            conv2: self.conv(3, regular, channels),
        })
    }

    /// Creates nested bottleneck blocks, each containing two blocks. In every third one, the first inner block has
    /// global pooling.
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
                down_norm: affine(channels),
                down_act: Activation::Relu,
                down: self.conv(1, channels, inner),
                blocks: vec![first, self.ordinary(inner)],
                up_norm: affine(inner),
                up_act: Activation::Relu,
                up: self.conv(1, inner, channels),
            })
        };
        (1..=blocks).map(nested_block).collect()
    }

    /// Creates pairs of an attention block and a feed-forward block.
    fn transformer(
        &mut self,
        blocks: usize,
        channels: usize,
        heads: usize,
        hidden: usize,
    ) -> Vec<Block> {
        let block_pair = |_| {
            let attention = AttentionBlock {
                norm: rms(channels),
                heads,
                kv_heads: heads,
                query: self.linear(channels, channels),
                key: self.linear(channels, channels),
                value: self.linear(channels, channels),
                out: self.linear(channels, channels),
                rotation: Rotation::Fixed { theta: 100.0 },
            };
            let feed_forward = FeedForwardBlock {
                norm: rms(channels),
                wide: self.linear(channels, hidden),
                gate: self.linear(channels, hidden),
                out: self.linear(hidden, channels),
            };
            [
                Block::Attention(attention),
                Block::FeedForward(feed_forward),
            ]
        };
        (0..blocks).flat_map(block_pair).collect()
    }

    fn policy(&mut self, channels: usize, inner: usize) -> PolicyHead {
        PolicyHead::Pooled(Box::new(PooledPolicy {
            conv: self.conv(1, channels, inner),
            pool_conv: self.conv(1, channels, inner),
            pool_norm: affine(inner),
            pool_act: Activation::Relu,
            pool_linear: self.linear(3 * inner, inner),
            norm: affine(inner),
            act: Activation::Relu,
            out: self.conv(1, inner, 1),
            pass: Some(PassHead {
                hidden: None,
                out: self.linear(3 * inner, 1),
            }),
        }))
    }

    fn value(&mut self, channels: usize, inner: usize) -> ValueHead {
        let biased = |mut linear: Linear| {
            linear.biased = true;
            linear.bias = vec![0.0; linear.outputs];
            linear
        };
        ValueHead::Pooled(Box::new(PooledValue {
            conv: self.conv(1, channels, inner),
            norm: affine(inner),
            act: Activation::Relu,
            hidden: biased(self.linear(3 * inner, 2 * inner)),
            hidden_act: Activation::Relu,
            result: biased(self.linear(2 * inner, 3)),
            score: Some(biased(self.linear(2 * inner, 4))),
            ownership: Some(self.conv(1, inner, 1)),
        }))
    }
}

fn affine(channels: usize) -> Affine {
    Affine {
        channels,
        scale: vec![0.7; channels],
        shift: vec![0.1; channels],
    }
}

fn rms(channels: usize) -> RmsNorm {
    RmsNorm {
        channels,
        epsilon: 1e-6,
        over_board: false,
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
            361 * match name {
                "b6c96" => 4 * of_block(96) + 2 * (9 * 96 * 96 + 9 * 64 * 96),
                "b10c128" => 7 * of_block(128) + 3 * (9 * 128 * 128 + 9 * 96 * 128),
                "t10c512" => 10 * (4 * 512 * 512 + 3 * 512 * 1536 + 2 * 361 * 512),
                _ => 18 * (2 * 384 * 192 + 2 * of_block(192)) - 6 * 9 * 64 * 192,
            }
        };
        for name in names() {
            let mut desc = network(name).expect("a shape").checked().expect("sound");
            let (total, trunk) = (desc.multiply_adds(361) as u64, trunk(name));
            assert!(
                total > trunk && total < trunk * 6 / 5,
                "{name}: {total} against {trunk}"
            );
        }
        assert!(network("b6").is_none());
    }
}
