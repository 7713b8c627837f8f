//! Checks that the layers of a description fit together.

use super::blocks::{AttentionBlock, Block, FeedForwardBlock, PoolingBlock, Rotation};
use super::heads::{PolicyHead, PooledPolicy, PooledValue, ValueHead};
use super::layers::{Affine, Conv, Linear, RmsNorm};
use super::{Inputs, KataReadout, NetDesc, Readout, Stem, TrunkNorm};
use crate::net::error::NetError;

/// Maximum number of channels and hidden units.
pub const MAX_WIDTH: usize = 16_384;
/// Maximum total width of all query heads, as a multiple of the number of input channels. The rotary tables contain a
/// row for every point of the board, and this limit bounds their size relative to that of the weights.
const MAX_HEAD_WIDTH_RATIO: usize = 16;
/// Maximum number of blocks in a list.
pub const MAX_BLOCKS: usize = 512;
/// Maximum nesting depth of blocks.
pub const MAX_DEPTH: usize = 4;
/// Maximum kernel size in either dimension.
pub const MAX_KERNEL: usize = 19;
/// Number of points of a 19x19 board, the only size that flat heads support.
pub const FLAT_AREA: usize = 19 * 19;
/// Length of a player profile.
pub const PROFILE: usize = 192;
/// Maximum multiplier of an output.
pub const MAX_MULTIPLIER: f32 = 1e6;

/// Returns the maximum total width of all query heads, or of all value heads, for `channels` input channels.
pub fn max_head_width(channels: usize) -> usize {
    (MAX_HEAD_WIDTH_RATIO * channels).min(MAX_WIDTH)
}

type Checked = Result<(), NetError>;

impl NetDesc {
    /// Checks all sizes and weights and returns the description unchanged.
    ///
    /// # Errors
    /// Returns [`NetError::Layer`] for the first layer that does not fit its predecessor, and [`NetError::Value`] for
    /// the first weight that is not finite.
    pub fn checked(mut self) -> Result<Self, NetError> {
        self.check_layers()?;
        for tensor in self.tensors_mut() {
            let length = tensor.shape.iter().product();
            expect(&tensor.name, "numbers", length, tensor.values.len())?;
            if let Some(index) = tensor.values.iter().position(|value| !value.is_finite()) {
                return Err(NetError::Value {
                    expected: "finite numbers",
                    found: tensor.values[index],
                    location: format!("tensor {}", tensor.name),
                    index,
                });
            }
        }
        Ok(self)
    }

    fn check_layers(&self) -> Checked {
        multipliers(&self.readout)?;
        stem(&self.stem, self.inputs)?;
        let channels = self.channels();
        if self.blocks.len() > MAX_BLOCKS {
            let expected = format!("at most {MAX_BLOCKS} blocks");
            return Err(mismatch("blocks", expected, self.blocks.len()));
        }
        blocks("blocks", &self.blocks, channels, 0)?;
        match &self.trunk_norm {
            TrunkNorm::None => {}
            TrunkNorm::Affine { norm, .. } => affine("tip.norm", norm, channels)?,
            TrunkNorm::Rms { norm, .. } => rms("tip.norm", norm, channels)?,
        }
        match &self.policy {
            PolicyHead::Pooled(head) => pooled_policy(head, channels)?,
            PolicyHead::Flat {
                conv: layer,
                norm,
                out,
            } => {
                let width = conv("policy.conv", layer, channels)?;
                affine("policy.norm", norm, width)?;
                let outputs = linear("policy.out", out, width * FLAT_AREA)?;
                expect("policy.out", "outputs", FLAT_AREA + 1, outputs)?;
            }
        }
        match &self.value {
            ValueHead::Pooled(head) => pooled_value(head, channels, &self.readout),
            ValueHead::Flat {
                conv: layer,
                norm,
                hidden,
                result,
            } => {
                let width = conv("value.conv", layer, channels)?;
                affine("value.norm", norm, width)?;
                let width = linear("value.hidden", hidden, width * FLAT_AREA)?;
                let outputs = linear("value.result", result, width)?;
                expect("value.result", "outputs", results(&self.readout), outputs)
            }
        }
    }
}

fn mismatch(layer: &str, expected: String, found: impl ToString) -> NetError {
    NetError::Layer {
        location: format!("layer {layer}"),
        expected,
        found: found.to_string(),
    }
}

fn expect(layer: &str, what: &str, expected: usize, found: usize) -> Checked {
    if expected == found {
        Ok(())
    } else {
        Err(mismatch(layer, format!("{expected} {what}"), found))
    }
}

fn expect_at_most(layer: &str, what: &str, found: usize, max: usize) -> Checked {
    if (1..=max).contains(&found) {
        Ok(())
    } else {
        Err(mismatch(layer, format!("1 to {max} {what}"), found))
    }
}

/// Checks that the output multipliers are positive and bounded, so that decoded outputs are finite.
fn multipliers(readout: &Readout) -> Checked {
    let Readout::KataGo(readout) = readout else {
        return Ok(());
    };
    for (name, multiplier) in [
        ("readout.score_mean", readout.score_mean),
        ("readout.score_deviation", readout.score_deviation),
        ("readout.lead", readout.lead),
        ("readout.variance_time", readout.variance_time),
        ("readout.value_error", readout.value_error),
        ("readout.score_error", readout.score_error),
    ] {
        if !(multiplier > 0.0 && multiplier <= MAX_MULTIPLIER) {
            let expected = format!("a multiplier above 0 and at most {MAX_MULTIPLIER}");
            return Err(mismatch(name, expected, multiplier));
        }
    }
    Ok(())
}

fn stem(stem: &Stem, inputs: Inputs) -> Checked {
    let channels = conv("stem.conv", &stem.conv, inputs.planes())?;
    match (&stem.global, inputs.globals()) {
        (None, 0) => {}
        (Some(_), 0) => return Err(mismatch("stem.global", "no such layer".to_owned(), "one")),
        (None, globals) => {
            return Err(mismatch("stem.global", format!("{globals} inputs"), "none"));
        }
        (Some(global), globals) => {
            let outputs = linear("stem.global", global, globals)?;
            expect("stem.global", "outputs", channels, outputs)?;
        }
    }
    if let Some(profile) = &stem.profile {
        let width = linear("stem.profile.first", &profile.first, PROFILE)?;
        let width = linear("stem.profile.second", &profile.second, width)?;
        let outputs = linear("stem.profile.out", &profile.out, width)?;
        expect("stem.profile.out", "outputs", channels, outputs)?;
    }
    if let Some((norm, _)) = &stem.norm {
        affine("stem.norm", norm, channels)?;
    }
    Ok(())
}

/// Checks a convolution and returns its number of output channels.
fn conv(layer: &str, conv: &Conv, inputs: usize) -> Result<usize, NetError> {
    for side in [conv.height, conv.width] {
        if side % 2 == 0 || side > MAX_KERNEL {
            let expected = format!("a kernel with odd sides up to {MAX_KERNEL}");
            let found = format!("{} x {}", conv.height, conv.width);
            return Err(mismatch(layer, expected, found));
        }
    }
    expect(layer, "inputs", inputs, conv.inputs)?;
    expect_at_most(layer, "inputs", conv.inputs, MAX_WIDTH)?;
    expect_at_most(layer, "outputs", conv.outputs, MAX_WIDTH)?;
    Ok(conv.outputs)
}

/// Checks a linear layer and returns its number of outputs.
fn linear(layer: &str, linear: &Linear, inputs: usize) -> Result<usize, NetError> {
    expect(layer, "inputs", inputs, linear.inputs)?;
    expect_at_most(layer, "outputs", linear.outputs, MAX_WIDTH)?;
    Ok(linear.outputs)
}

fn affine(layer: &str, norm: &Affine, channels: usize) -> Checked {
    expect(layer, "channels", channels, norm.channels)
}

fn rms(layer: &str, norm: &RmsNorm, channels: usize) -> Checked {
    if !(norm.epsilon > 0.0 && norm.epsilon <= 1.0) {
        let expected = "an epsilon above 0 and at most 1".to_owned();
        return Err(mismatch(layer, expected, norm.epsilon));
    }
    expect(layer, "channels", channels, norm.channels)
}

fn blocks(path: &str, list: &[Block], channels: usize, depth: usize) -> Checked {
    for (index, block) in list.iter().enumerate() {
        let name = format!("{path}.{index}");
        let part = |part: &str| format!("{name}.{part}");
        match block {
            Block::Ordinary(block) => {
                affine(&part("norm1"), &block.norm1, channels)?;
                let width = conv(&part("conv1"), &block.conv1, channels)?;
                affine(&part("norm2"), &block.norm2, width)?;
                residual_conv(&part("conv2"), &block.conv2, width, channels)?;
            }
            Block::Pooling(block) => pooling(&part, block, channels)?,
            Block::Nested(block) => {
                if depth == MAX_DEPTH {
                    let expected = format!("blocks nested at most {MAX_DEPTH} levels deep");
                    return Err(mismatch(&name, expected, "more"));
                }
                affine(&part("down_norm"), &block.down_norm, channels)?;
                let width = conv(&part("down"), &block.down, channels)?;
                expect_at_most(&name, "blocks", block.blocks.len(), MAX_BLOCKS)?;
                blocks(&part("blocks"), &block.blocks, width, depth + 1)?;
                affine(&part("up_norm"), &block.up_norm, width)?;
                residual_conv(&part("up"), &block.up, width, channels)?;
            }
            Block::Attention(block) => attention(&part, block, channels)?,
            Block::FeedForward(block) => feed_forward(&part, block, channels)?,
            Block::PostActivation(block) => {
                let width = conv(&part("conv1"), &block.conv1, channels)?;
                affine(&part("norm1"), &block.norm1, width)?;
                residual_conv(&part("conv2"), &block.conv2, width, channels)?;
                affine(&part("norm2"), &block.norm2, channels)?;
            }
        }
    }
    Ok(())
}

/// Checks the last convolution of a block. Its output is added to the input of the block, which has `channels` channels.
fn residual_conv(layer: &str, last: &Conv, inputs: usize, channels: usize) -> Checked {
    let outputs = conv(layer, last, inputs)?;
    expect(layer, "outputs", channels, outputs)
}

fn pooling(part: &dyn Fn(&str) -> String, block: &PoolingBlock, channels: usize) -> Checked {
    affine(&part("norm1"), &block.norm1, channels)?;
    let width = conv(&part("conv1"), &block.conv1, channels)?;
    let pooled = conv(&part("pool_conv"), &block.pool_conv, channels)?;
    affine(&part("pool_norm"), &block.pool_norm, pooled)?;
    let added = linear(&part("pool_linear"), &block.pool_linear, 3 * pooled)?;
    expect(&part("pool_linear"), "outputs", width, added)?;
    affine(&part("norm2"), &block.norm2, width)?;
    residual_conv(&part("conv2"), &block.conv2, width, channels)
}

fn attention(part: &dyn Fn(&str) -> String, block: &AttentionBlock, channels: usize) -> Checked {
    let (heads, kv_heads) = (block.heads, block.kv_heads);
    expect_at_most(&part("heads"), "heads", heads, max_head_width(channels))?;
    if kv_heads == 0 || heads % kv_heads != 0 {
        let expected = format!("key heads that divide {heads}");
        return Err(mismatch(&part("kv_heads"), expected, kv_heads));
    }
    rms(&part("norm"), &block.norm, channels)?;
    let query = linear(&part("query"), &block.query, channels)?;
    let key = linear(&part("key"), &block.key, channels)?;
    let value = linear(&part("value"), &block.value, channels)?;
    expect_at_most(&part("query"), "outputs", query, max_head_width(channels))?;
    let width = query / heads;
    let rotated = block.rotation != Rotation::None;
    if query != heads * width || (rotated && width % 2 != 0) {
        let even = if rotated { "even " } else { "" };
        let expected = format!("outputs for {heads} heads of the same {even}width");
        return Err(mismatch(&part("query"), expected, query));
    }
    expect(&part("key"), "outputs", kv_heads * width, key)?;
    let width = value / kv_heads;
    expect_at_most(
        &part("value"),
        "outputs",
        heads * width,
        max_head_width(channels),
    )?;
    expect(&part("value"), "outputs", kv_heads * width.max(1), value)?;
    let out = linear(&part("out"), &block.out, heads * width)?;
    expect(&part("out"), "outputs", channels, out)?;
    match block.rotation {
        Rotation::Fixed { theta } if !(theta > 0.0 && theta.is_finite()) => {
            let expected = "a positive base".to_owned();
            Err(mismatch(&part("rotation"), expected, theta))
        }
        _ => Ok(()),
    }
}

fn feed_forward(
    part: &dyn Fn(&str) -> String,
    block: &FeedForwardBlock,
    channels: usize,
) -> Checked {
    rms(&part("norm"), &block.norm, channels)?;
    let width = linear(&part("wide"), &block.wide, channels)?;
    let outputs = linear(&part("gate"), &block.gate, channels)?;
    expect(&part("gate"), "outputs", width, outputs)?;
    let outputs = linear(&part("out"), &block.out, width)?;
    expect(&part("out"), "outputs", channels, outputs)
}

fn pooled_policy(head: &PooledPolicy, channels: usize) -> Checked {
    let width = conv("policy.conv", &head.conv, channels)?;
    let pooled = conv("policy.pool_conv", &head.pool_conv, channels)?;
    affine("policy.pool_norm", &head.pool_norm, pooled)?;
    let added = linear("policy.pool_linear", &head.pool_linear, 3 * pooled)?;
    expect("policy.pool_linear", "outputs", width, added)?;
    affine("policy.norm", &head.norm, width)?;
    let outputs = conv("policy.out", &head.out, width)?;
    if let Some(pass) = &head.pass {
        let mut width = 3 * pooled;
        if let Some((hidden, _)) = &pass.hidden {
            width = linear("policy.pass.hidden", hidden, width)?;
        }
        let passes = linear("policy.pass.out", &pass.out, width)?;
        expect("policy.pass.out", "outputs", outputs, passes)?;
    }
    Ok(())
}

fn pooled_value(head: &PooledValue, channels: usize, readout: &Readout) -> Checked {
    let width = conv("value.conv", &head.conv, channels)?;
    affine("value.norm", &head.norm, width)?;
    let hidden = linear("value.hidden", &head.hidden, 3 * width)?;
    let outputs = linear("value.result", &head.result, hidden)?;
    expect("value.result", "outputs", results(readout), outputs)?;
    match (&head.score, scores(readout)) {
        (None, Some(expected)) if expected > 1 => {
            return Err(mismatch(
                "value.score",
                format!("{expected} outputs"),
                "none",
            ));
        }
        (Some(score), Some(expected)) => {
            let outputs = linear("value.score", score, hidden)?;
            expect("value.score", "outputs", expected, outputs)?;
        }
        (Some(_), None) => {
            return Err(mismatch("value.score", "no such layer".to_owned(), "one"));
        }
        (None, _) => {}
    }
    if let Some(ownership) = &head.ownership {
        let outputs = conv("value.ownership", ownership, width)?;
        expect("value.ownership", "outputs", 1, outputs)?;
    }
    Ok(())
}

/// Number of outputs for the result.
const fn results(readout: &Readout) -> usize {
    match readout {
        Readout::Honinbo | Readout::LeelaZero | Readout::LeelaZeroBlack => 1,
        Readout::KataGo(_) => 3,
    }
}

/// Number of outputs for the score, or `None` if the head must not have any.
const fn scores(readout: &Readout) -> Option<usize> {
    match readout {
        Readout::Honinbo => Some(1),
        Readout::LeelaZero | Readout::LeelaZeroBlack => None,
        Readout::KataGo(KataReadout { version, .. }) => Some(match version {
            ..=3 => 1,
            4..=7 => 2,
            8 => 4,
            9.. => 6,
        }),
    }
}
