//! Writes net descriptions in KataGo's file format.

use honinbo::net::spec::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, RotaryAngles,
};
use honinbo::net::spec::heads::{PolicyHead, PooledPolicy, PooledValue, ValueHead};
use honinbo::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use honinbo::net::spec::{Inputs, KataReadout, NetSpec, Readout, TrunkNorm};

/// Epsilon of every batch norm. With a variance of `1 - EPSILON` the standard deviation is exactly one.
pub const EPSILON: f32 = 1.0 / 1024.0;

/// Returns the file of a net, with numbers in binary or as text.
pub fn file(net: &NetSpec, binary: bool) -> Vec<u8> {
    let Readout::KataGo(readout) = &net.readout else {
        panic!("no net of KataGo's");
    };
    let mut writer = Writer {
        bytes: Vec::new(),
        binary,
        version: readout.version,
    };
    writer.head(net, readout);
    writer.trunk(net);
    let (PolicyHead::Pooled(policy), ValueHead::Pooled(value)) = (&net.policy, &net.value) else {
        panic!("heads for one size of board");
    };
    writer.policy(policy);
    writer.value(value);
    writer.bytes
}

/// Returns the text file of a net.
pub fn text(net: &NetSpec) -> String {
    String::from_utf8(file(net, false)).unwrap()
}

/// A file that is being written.
pub struct Writer {
    pub bytes: Vec<u8>,
    pub binary: bool,
    pub version: u8,
}

impl Writer {
    /// Writes a line of words.
    pub fn words(&mut self, words: &str) {
        self.bytes.extend(words.as_bytes());
        self.bytes.push(b'\n');
    }

    pub fn numbers(&mut self, numbers: &[f32]) {
        if self.binary {
            self.bytes.extend(b"@BIN@");
            self.bytes
                .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            self.bytes.push(b'\n');
        } else {
            let words: Vec<String> = numbers.iter().map(f32::to_string).collect();
            self.words(&words.join(" "));
        }
    }

    fn conv(&mut self, name: &str, conv: &Conv) {
        self.words(&format!(
            "{name} {} {} {} {} 1 1",
            conv.height, conv.width, conv.inputs, conv.outputs
        ));
        self.numbers(&conv.weights);
    }

    fn norm(&mut self, name: &str, norm: &Affine) {
        let channels = norm.channels;
        let scaled = norm.scale.iter().any(|scale| *scale != 1.0);
        let shifted = norm.shift.iter().any(|shift| *shift != 0.0);
        let (scale_flag, shift_flag) = (u8::from(scaled), u8::from(shifted));
        self.words(&format!(
            "{name} {channels} {EPSILON} {scale_flag} {shift_flag}"
        ));
        self.numbers(&vec![0.0; channels]);
        self.numbers(&vec![1.0 - EPSILON; channels]);
        if scaled {
            self.numbers(&norm.scale);
        }
        if shifted {
            self.numbers(&norm.shift);
        }
    }

    fn point_norm(&mut self, name: &str, norm: &RmsNorm) {
        self.words(&format!("{name} {} {}", norm.channels, norm.epsilon));
        self.numbers(&norm.weight);
    }

    fn tip_norm(&mut self, name: &str, norm: &RmsNorm) {
        let over_board = u8::from(norm.over_board);
        self.words(&format!(
            "{name} {} {} {over_board} 0",
            norm.channels, norm.epsilon
        ));
        self.numbers(&norm.weight);
        self.numbers(&norm.shift);
    }

    fn act(&mut self, name: &str, activation: Activation) {
        let kind = match activation {
            Activation::Identity => "ACTIVATION_IDENTITY",
            Activation::Relu => "ACTIVATION_RELU",
            Activation::Mish => "ACTIVATION_MISH",
            Activation::Silu => "ACTIVATION_SILU",
        };
        self.words(name);
        if self.version >= 11 {
            self.words(kind);
        }
    }

    fn linear(&mut self, name: &str, linear: &Linear) {
        self.words(&format!("{name} {} {}", linear.inputs, linear.outputs));
        self.numbers(&linear.weights);
        if linear.biased {
            self.words(&format!("{name}.bias {}", linear.outputs));
            self.numbers(&linear.bias);
        }
    }

    fn head(&mut self, net: &NetSpec, readout: &KataReadout) {
        let (planes, globals) = (net.inputs.planes(), net.inputs.globals());
        self.words(&format!("{} {} {planes} {globals}", net.name, self.version));
        if self.version >= 13 {
            self.words("20.0");
            for unit in [
                readout.score_mean,
                readout.score_deviation,
                readout.lead,
                readout.variance_time,
                readout.value_error,
                readout.score_error,
            ] {
                self.words(&unit.to_string());
            }
        }
        if self.version >= 15 {
            let suicide = matches!(
                net.inputs,
                Inputs::KataGo {
                    suicide_areas: true,
                    ..
                }
            );
            let profile = u8::from(net.stem.profile.is_some());
            self.words(&format!("{profile} {} 0 0 0 0 0 0", u8::from(suicide)));
        }
    }

    fn trunk(&mut self, net: &NetSpec) {
        let (count, channels) = (net.blocks.len(), net.stem.conv.outputs);
        let sizes = format!("trunk {count} {channels} 9 9 0 9");
        let rms = u8::from(matches!(net.trunk_norm, TrunkNorm::Rms { .. }));
        self.words(&match self.version {
            15.. => format!("{sizes} {rms} 0 0 0 0 0"),
            _ => sizes,
        });
        self.conv("stem.conv", &net.stem.conv);
        self.linear("stem.global", net.stem.global.as_ref().unwrap());
        if let Some(profile) = &net.stem.profile {
            self.words(&format!("stem.profile {}", profile.first.inputs));
            self.linear("profile.first", &profile.first);
            self.act("profile.act1", profile.first_activation);
            self.linear("profile.second", &profile.second);
            self.act("profile.act2", profile.second_activation);
            self.linear("profile.out", &profile.out);
        }
        self.blocks("b", &net.blocks);
        match &net.trunk_norm {
            TrunkNorm::Affine { norm, act } => {
                self.norm("tip.norm", norm);
                self.act("tip.act", *act);
            }
            TrunkNorm::Rms { norm, act } => {
                self.tip_norm("tip.norm", norm);
                self.act("tip.act", *act);
            }
            TrunkNorm::None => panic!("KataGo's nets have a norm"),
        }
    }

    fn blocks(&mut self, place: &str, blocks: &[Block]) {
        for (index, block) in blocks.iter().enumerate() {
            let name = format!("{place}{index}");
            let part = |part: &str| format!("{name}.{part}");
            match block {
                Block::Ordinary(block) => {
                    self.words(&format!("ordinary_block {name}"));
                    self.norm(&part("norm1"), &block.norm1);
                    self.act(&part("act1"), block.act1);
                    self.conv(&part("conv1"), &block.conv1);
                    self.norm(&part("norm2"), &block.norm2);
                    self.act(&part("act2"), block.act2);
                    self.conv(&part("conv2"), &block.conv2);
                }
                Block::Pooling(block) => {
                    self.words(&format!("gpool_block {name}"));
                    self.norm(&part("norm1"), &block.norm1);
                    self.act(&part("act1"), block.act1);
                    self.conv(&part("conv1"), &block.conv1);
                    self.conv(&part("pool_conv"), &block.pool_conv);
                    self.norm(&part("pool_norm"), &block.pool_norm);
                    self.act(&part("pool_act"), block.pool_act);
                    self.linear(&part("pool_linear"), &block.pool_linear);
                    self.norm(&part("norm2"), &block.norm2);
                    self.act(&part("act2"), block.act2);
                    self.conv(&part("conv2"), &block.conv2);
                }
                Block::Nested(block) => self.nested(&name, block),
                Block::Attention(block) => self.attention(&name, block),
                Block::FeedForward(block) => self.feed_forward(&name, block),
                Block::PostActivation(_) => panic!("KataGo's nets have no such block"),
            }
        }
    }

    fn nested(&mut self, name: &str, block: &NestedBlock) {
        self.words(&format!(
            "nested_bottleneck_block {name} {}",
            block.blocks.len()
        ));
        self.norm(&format!("{name}.down_norm"), &block.down_norm);
        self.act(&format!("{name}.down_act"), block.down_act);
        self.conv(&format!("{name}.down"), &block.down);
        self.blocks(&format!("{name}."), &block.blocks);
        self.norm(&format!("{name}.up_norm"), &block.up_norm);
        self.act(&format!("{name}.up_act"), block.up_act);
        self.conv(&format!("{name}.up"), &block.up);
    }

    fn attention(&mut self, name: &str, block: &AttentionBlock) {
        let (heads, kv_heads) = (block.heads, block.kv_heads);
        let (width, value_width) = (block.query.outputs / heads, block.out.inputs / heads);
        let (turned, learnt) = match block.rotation {
            RotaryAngles::None => (0, 0),
            RotaryAngles::Fixed { .. } => (1, 0),
            RotaryAngles::Learnt { .. } => (1, 1),
        };
        self.words(&format!(
            "transformer_attention_block {name} {heads} {kv_heads} {width} {value_width} {turned} {learnt}"
        ));
        self.point_norm(&format!("{name}.norm"), &block.norm);
        self.linear(&format!("{name}.query"), &block.query);
        self.linear(&format!("{name}.key"), &block.key);
        self.linear(&format!("{name}.value"), &block.value);
        self.linear(&format!("{name}.out"), &block.out);
        match &block.rotation {
            RotaryAngles::None => {}
            RotaryAngles::Fixed { theta } => self.words(&format!("{name}.theta {theta}")),
            RotaryAngles::Learnt { angles } => {
                self.words(&format!("{name}.angles {kv_heads} {} 2", width / 2));
                self.numbers(angles);
            }
        }
    }

    fn feed_forward(&mut self, name: &str, block: &FeedForwardBlock) {
        let (channels, width) = (block.wide.inputs, block.wide.outputs);
        self.words(&format!(
            "transformer_ffn_block {name} {channels} {width} 1"
        ));
        self.point_norm(&format!("{name}.norm"), &block.norm);
        self.linear(&format!("{name}.wide"), &block.wide);
        self.linear(&format!("{name}.gate"), &block.gate);
        self.linear(&format!("{name}.out"), &block.out);
    }

    fn policy(&mut self, head: &PooledPolicy) {
        if self.version >= 17 {
            self.words(&format!("policy {} 0 0 0", head.out.outputs));
        } else {
            self.words("policy");
        }
        self.conv("policy.conv", &head.conv);
        self.conv("policy.pool_conv", &head.pool_conv);
        self.norm("policy.pool_norm", &head.pool_norm);
        self.act("policy.pool_act", head.pool_act);
        self.linear("policy.pool_linear", &head.pool_linear);
        self.norm("policy.norm", &head.norm);
        self.act("policy.act", head.act);
        self.conv("policy.out", &head.out);
        let pass = head.pass.as_ref().unwrap();
        if let Some((hidden, activation)) = &pass.hidden {
            self.linear("policy.pass.hidden", hidden);
            self.act("policy.pass.act", *activation);
        }
        self.linear("policy.pass.out", &pass.out);
    }

    fn value(&mut self, head: &PooledValue) {
        self.words(match self.version {
            17.. => "value 0 0 0",
            _ => "value",
        });
        self.conv("value.conv", &head.conv);
        self.norm("value.norm", &head.norm);
        self.act("value.act", head.act);
        self.linear("value.hidden", &head.hidden);
        self.act("value.hidden_act", head.hidden_act);
        self.linear("value.result", &head.result);
        self.linear("value.score", head.score.as_ref().unwrap());
        self.conv("value.ownership", head.ownership.as_ref().unwrap());
    }
}
