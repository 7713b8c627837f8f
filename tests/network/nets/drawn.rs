//! Small random nets that cover every kind of layer in the file formats of other engines.

use honinbo::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, RotaryAngles,
};
use honinbo::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use honinbo::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use honinbo::net::spec::{Inputs, KataReadout, NetSpec, ProfileEncoder, Readout, Stem, TrunkNorm};
use honinbo::random::Rng;

/// Channels of the trunk.
pub const CHANNELS: usize = 4;
/// Number of block kinds that [`Draw::block`] can create.
pub const KINDS: usize = 8;

/// Optional parts of late KataGo file versions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// RMS norm at the end of the trunk; true if it normalises over the whole board.
    pub rms: Option<bool>,
    /// Encoder of the human player profile.
    pub profile: bool,
    /// True if the areas in the input planes are computed as if suicide were legal.
    pub suicide_areas: bool,
    /// Values and scores of moves in the policy head of version 17.
    pub move_values: bool,
}

/// Random generator of numbers and layers.
pub struct Draw {
    rng: Rng,
    /// True if activations are random too; otherwise all are the same.
    activations: bool,
}

impl Draw {
    pub fn new(seed: u64, activations: bool) -> Self {
        Self {
            rng: Rng::new(seed),
            activations,
        }
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| 2.0 * self.rng.unit_f32() - 1.0)
            .collect()
    }

    fn positive(&mut self) -> f32 {
        self.rng.unit_f32() + 0.5
    }

    fn act(&mut self) -> Activation {
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
        ];
        match self.activations {
            true => all[self.rng.below(all.len())],
            false => Activation::Relu,
        }
    }

    fn conv(&mut self, height: usize, width: usize, inputs: usize, outputs: usize) -> Conv {
        Conv {
            height,
            width,
            inputs,
            outputs,
            weights: self.numbers(height * width * inputs * outputs),
        }
    }

    fn linear(&mut self, inputs: usize, outputs: usize, biased: bool) -> Linear {
        Linear {
            inputs,
            outputs,
            biased,
            weights: self.numbers(inputs * outputs),
            bias: self.numbers(if biased { outputs } else { 0 }),
        }
    }

    /// Returns a random affine norm, often without a scale or without a shift.
    fn affine(&mut self, channels: usize) -> Affine {
        let mut part = |neutral| match self.rng.chance(0.6) {
            true => self.numbers(channels),
            false => vec![neutral; channels],
        };
        Affine {
            channels,
            scale: part(1.0),
            shift: part(0.0),
        }
    }

    fn rms(&mut self, channels: usize, over_board: bool, shifted: bool) -> RmsNorm {
        RmsNorm {
            channels,
            epsilon: 1e-6,
            over_board,
            shifted,
            weight: self.numbers(channels),
            shift: self.numbers(if shifted { channels } else { 0 }),
        }
    }

    /// Returns a block on `channels` channels. The last kind contains blocks of all other kinds.
    pub fn block(&mut self, kind: usize, channels: usize) -> Block {
        match kind {
            0 => self.ordinary(channels),
            1 => self.pooling(channels),
            2 => self.attention(channels, RotaryAngles::None),
            3 => self.attention(channels, RotaryAngles::Fixed { theta: 100.0 }),
            4 => {
                let angles = self.numbers(2 * 3 * 2);
                self.attention(channels, RotaryAngles::Learnt { angles })
            }
            5 | 6 => self.feed_forward(channels),
            _ => {
                let inner = (0..KINDS - 1).map(|kind| self.block(kind, 3)).collect();
                self.nested(channels, inner)
            }
        }
    }

    fn ordinary(&mut self, channels: usize) -> Block {
        Block::Ordinary(OrdinaryBlock {
            norm1: self.affine(channels),
            act1: self.act(),
            conv1: self.conv(3, 3, channels, 5),
            norm2: self.affine(5),
            act2: self.act(),
            conv2: self.conv(1, 3, 5, channels),
        })
    }

    fn pooling(&mut self, channels: usize) -> Block {
        Block::Pooling(PoolingBlock {
            norm1: self.affine(channels),
            act1: self.act(),
            conv1: self.conv(3, 1, channels, 5),
            pool_conv: self.conv(1, 1, channels, 2),
            pool_norm: self.affine(2),
            pool_act: self.act(),
            pool_linear: self.linear(6, 5, false),
            norm2: self.affine(5),
            act2: self.act(),
            conv2: self.conv(1, 1, 5, channels),
        })
    }

    /// Returns an attention block with four query heads of width six, two key heads, and values of width five.
    fn attention(&mut self, channels: usize, rotation: RotaryAngles) -> Block {
        Block::Attention(AttentionBlock {
            norm: self.rms(channels, false, false),
            heads: 4,
            kv_heads: 2,
            query: self.linear(channels, 24, false),
            key: self.linear(channels, 12, false),
            value: self.linear(channels, 10, false),
            out: self.linear(20, channels, false),
            rotation,
        })
    }

    fn feed_forward(&mut self, channels: usize) -> Block {
        Block::FeedForward(FeedForwardBlock {
            norm: self.rms(channels, false, false),
            wide: self.linear(channels, 7, false),
            gate: self.linear(channels, 7, false),
            out: self.linear(7, channels, false),
        })
    }

    /// Adds biases and shifts to all layers of a transformer block. The mean of its norm covers the whole board.
    fn add_biases(&mut self, block: &mut Block) {
        let (norm, linears) = match block {
            Block::Attention(block) => {
                let linears = [
                    &mut block.query,
                    &mut block.key,
                    &mut block.value,
                    &mut block.out,
                ];
                (&mut block.norm, linears.into_iter().collect::<Vec<_>>())
            }
            Block::FeedForward(block) => {
                let linears = [&mut block.wide, &mut block.gate, &mut block.out];
                (&mut block.norm, linears.into_iter().collect())
            }
            _ => return,
        };
        *norm = self.rms(norm.channels, true, true);
        for linear in linears {
            *linear = self.linear(linear.inputs, linear.outputs, true);
        }
    }

    /// Wraps `blocks`, which have three channels, between two convolutions.
    pub fn nested(&mut self, channels: usize, blocks: Vec<Block>) -> Block {
        Block::Nested(NestedBlock {
            down_norm: self.affine(channels),
            down_act: self.act(),
            down: self.conv(1, 1, channels, 3),
            blocks,
            up_norm: self.affine(3),
            up_act: self.act(),
            up: self.conv(1, 1, 3, channels),
        })
    }

    fn stem(&mut self, inputs: Inputs, profile: bool) -> Stem {
        Stem {
            conv: self.conv(3, 3, inputs.planes(), CHANNELS),
            global: Some(self.linear(inputs.globals(), CHANNELS, false)),
            profile: profile.then(|| ProfileEncoder {
                first: self.linear(192, 3, true),
                first_activation: self.act(),
                second: self.linear(3, 2, true),
                second_activation: self.act(),
                out: self.linear(2, CHANNELS, false),
            }),
            norm: None,
        }
    }

    fn trunk_norm(&mut self, rms: Option<bool>) -> TrunkNorm {
        let act = self.act();
        match rms {
            None => TrunkNorm::Affine {
                norm: self.affine(CHANNELS),
                act,
            },
            Some(over_board) => TrunkNorm::Rms {
                norm: self.rms(CHANNELS, over_board, true),
                act,
            },
        }
    }

    fn policy(&mut self, outputs: usize, hidden: bool) -> PolicyHead {
        let pass = PassHead {
            hidden: hidden.then(|| (self.linear(6, 3, true), self.act())),
            out: self.linear(if hidden { 3 } else { 6 }, outputs, false),
        };
        PolicyHead::Pooled(Box::new(PooledPolicy {
            conv: self.conv(1, 1, CHANNELS, 3),
            pool_conv: self.conv(1, 1, CHANNELS, 2),
            pool_norm: self.affine(2),
            pool_act: self.act(),
            pool_linear: self.linear(6, 3, false),
            norm: self.affine(3),
            act: self.act(),
            out: self.conv(1, 1, 3, outputs),
            pass: Some(pass),
        }))
    }

    fn value(&mut self, results: usize, scores: usize) -> ValueHead {
        ValueHead::Pooled(Box::new(PooledValue {
            conv: self.conv(1, 1, CHANNELS, 2),
            norm: self.affine(2),
            act: self.act(),
            hidden: self.linear(6, 5, true),
            hidden_act: self.act(),
            result: self.linear(5, results, true),
            score: Some(self.linear(5, scores, true)),
            ownership: Some(self.conv(1, 1, 2, 1)),
        }))
    }

    fn readout(&mut self, version: u8) -> KataReadout {
        let mut unit = |old: f32| match version {
            ..13 => old,
            13.. => old * self.positive(),
        };
        KataReadout {
            version,
            score_mean: unit(20.0),
            score_deviation: unit(20.0),
            lead: unit(20.0),
            variance_time: unit(40.0),
            value_error: unit(0.25),
            score_error: unit(30.0),
        }
    }
}

/// Returns a KataGo net with blocks of these kinds and those `extras` that the version supports.
pub fn katago(version: u8, extras: Extras, seed: u64, kinds: &[usize]) -> NetSpec {
    let mut draw = Draw::new(seed, version >= 11);
    let late = version >= 15;
    // Policy channels, score channels and input version, as in KataGo's sources.
    let (policy, scores, inputs) = match version {
        3 => (1, 1, 3),
        4 => (1, 2, 3),
        5 => (1, 2, 4),
        6 => (1, 2, 5),
        7 => (1, 2, 6),
        8 => (1, 4, 7),
        9..12 => (1, 6, 7),
        12..16 => (2, 6, 7),
        16 => (4, 6, 7),
        _ if extras.move_values => (4, 6, 7),
        _ => (2, 6, 7),
    };
    let inputs = Inputs::KataGo {
        version: inputs,
        suicide_areas: late && extras.suicide_areas,
    };
    NetSpec {
        name: format!("drawn-{seed}"),
        note: None,
        ranges: None,
        inputs,
        stem: draw.stem(inputs, late && extras.profile),
        blocks: kinds
            .iter()
            .map(|kind| draw.block(*kind, CHANNELS))
            .collect(),
        trunk_norm: draw.trunk_norm(extras.rms.filter(|_| late)),
        policy: draw.policy(policy, late),
        value: draw.value(3, scores),
        readout: Readout::KataGo(draw.readout(version)),
    }
}

/// Returns a net of this engine with these inputs, all outputs and all kinds of blocks.
pub fn honinbo(planes: usize, globals: usize, seed: u64) -> NetSpec {
    let mut draw = Draw::new(seed, true);
    let inputs = Inputs::Honinbo { planes, globals };
    NetSpec {
        name: format!("drawn-{seed}"),
        note: None,
        ranges: None,
        inputs,
        stem: draw.stem(inputs, false),
        blocks: (0..KINDS).map(|kind| draw.block(kind, CHANNELS)).collect(),
        trunk_norm: draw.trunk_norm(None),
        policy: draw.policy(1, false),
        value: draw.value(1, 1),
        readout: Readout::Honinbo,
    }
}

/// Returns a net of this engine with layers and combinations of layers that other file formats do not have.
pub fn unusual(seed: u64) -> NetSpec {
    let mut net = honinbo(7, 3, seed);
    let mut draw = Draw::new(seed + 1, true);
    net.stem.profile = draw.stem(net.inputs, true).profile;
    net.stem.norm = Some((draw.affine(CHANNELS), draw.act()));
    for block in &mut net.blocks {
        draw.add_biases(block);
    }
    let inner = leela_zero(1, false, seed + 2).blocks;
    let nested = draw.nested(3, inner);
    net.blocks.push(draw.nested(CHANNELS, vec![nested]));
    net.trunk_norm = TrunkNorm::None;
    net.policy = PolicyHead::Flat {
        conv: draw.conv(1, 1, CHANNELS, 2),
        norm: draw.affine(2),
        out: draw.linear(2 * 361, 362, false),
    };
    if let ValueHead::Pooled(head) = &mut net.value {
        (head.score, head.ownership) = (None, None);
    }
    net
}

/// Returns a Leela Zero net. Norms have factors 1, 1/2 or 1/4 and shifts with few digits, so that the statistics in a
/// file reproduce the norms exactly.
pub fn leela_zero(blocks: usize, black: bool, seed: u64) -> NetSpec {
    let mut draw = Draw::new(seed, false);
    let norm = |draw: &mut Draw, channels: usize| Affine {
        channels,
        scale: (0..channels)
            .map(|_| [1.0, 0.5, 0.25][draw.rng.below(3)])
            .collect(),
        shift: (0..channels)
            .map(|_| draw.rng.below(64) as f32 / 16.0 - 2.0)
            .collect(),
    };
    let conv = draw.conv(3, 3, 18, 3);
    let blocks: Vec<Block> = (0..blocks)
        .map(|_| {
            Block::PostActivation(PostActivationBlock {
                conv1: draw.conv(3, 3, 3, 3),
                norm1: norm(&mut draw, 3),
                conv2: draw.conv(3, 3, 3, 3),
                norm2: norm(&mut draw, 3),
            })
        })
        .collect();
    NetSpec {
        name: format!("leela-zero-{}x3", blocks.len()),
        note: None,
        ranges: None,
        inputs: Inputs::LeelaZero,
        stem: Stem {
            conv,
            global: None,
            profile: None,
            norm: Some((norm(&mut draw, 3), Activation::Relu)),
        },
        blocks,
        trunk_norm: TrunkNorm::None,
        policy: PolicyHead::Flat {
            conv: draw.conv(1, 1, 3, 2),
            norm: norm(&mut draw, 2),
            out: draw.linear(2 * 361, 362, true),
        },
        value: ValueHead::Flat {
            conv: draw.conv(1, 1, 3, 1),
            norm: norm(&mut draw, 1),
            hidden: draw.linear(361, 6, true),
            result: draw.linear(6, 1, true),
        },
        readout: match black {
            true => Readout::LeelaZeroBlack,
            false => Readout::LeelaZero,
        },
    }
}
