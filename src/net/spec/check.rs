//! Checks of network descriptions: size limits, and whether the layers fit together.

use super::blocks::RotaryAngles;
use super::heads::ValueHead;
use super::layers::{Conv, RmsNorm};
use super::visitor::{AttentionMut, LayerMut, Visit};
use super::{NetSpec, Readout};
use crate::net::error::NetError;

/// Maximum number of channels or hidden units of a layer.
pub const MAX_WIDTH: usize = 16_384;
/// Maximum total width of all query heads, as a multiple of the number of input channels. This limit bounds the size of
/// the rotary tables, which contain a row for every point of the board, in relation to the size of the weights.
const MAX_ATTENTION_WIDTH_RATIO: usize = 16;
/// Maximum number of blocks in a list.
pub const MAX_BLOCKS: usize = 512;
/// Maximum nesting depth of blocks.
pub const MAX_NESTING_DEPTH: usize = 4;
/// Maximum kernel size in either dimension.
pub const MAX_KERNEL_SIDE: usize = 19;
/// Maximum output multiplier ([`KataReadout`](super::KataReadout)).
pub const MAX_OUTPUT_MULTIPLIER: f32 = 1e6;

/// Returns the maximum total width of all query heads, or of all value heads, for `channels` input channels.
pub fn max_attention_width(channels: usize) -> usize {
    (MAX_ATTENTION_WIDTH_RATIO * channels).min(MAX_WIDTH)
}

type CheckResult = Result<(), NetError>;

impl NetSpec {
    /// Checks all sizes, output multipliers and weights, and returns the description unchanged.
    ///
    /// # Errors
    /// Returns [`NetError::Layer`] for the first layer or output multiplier that is invalid or does not fit the rest of
    /// the network, and [`NetError::Value`] for the first weight that is not finite.
    pub fn checked(mut self) -> Result<Self, NetError> {
        self.check_layers()?;
        for tensor in self.tensors_mut() {
            let length = tensor.shape.iter().product();
            expect_count(&tensor.name, "numbers", length, tensor.values.len())?;
            check_finite(&format!("tensor {}", tensor.name), tensor.values)?;
        }
        Ok(self)
    }

    /// Checks all sizes and output multipliers, but not the weights, which may be missing.
    ///
    /// # Errors
    /// Returns [`NetError::Layer`] for the first layer or output multiplier that is invalid or does not fit the rest of
    /// the network.
    pub fn check_layers(&mut self) -> CheckResult {
        check_multipliers(&self.readout)?;
        self.check_optional_layers()?;
        self.visit(&mut |visit| check_layer(&visit))
    }

    /// Checks that the layers for global inputs and score outputs are present if and only if the network has such
    /// inputs and outputs. However, the layer for a single score output is optional.
    fn check_optional_layers(&self) -> CheckResult {
        let superfluous = |layer| Err(mismatch(layer, "no such layer".to_owned(), "one"));
        match (&self.stem.global, self.inputs.globals()) {
            (Some(_), 0) => superfluous("stem.global"),
            (None, globals @ 1..) => {
                Err(mismatch("stem.global", format!("{globals} inputs"), "none"))
            }
            _ => Ok(()),
        }?;
        let ValueHead::Pooled(head) = &self.value else {
            return Ok(());
        };
        match (&head.score, self.readout.score_outputs()) {
            (Some(_), 0) => superfluous("value.score"),
            (None, scores @ 2..) => {
                Err(mismatch("value.score", format!("{scores} outputs"), "none"))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that all values of a tensor are finite.
///
/// # Errors
/// Returns [`NetError::Value`] with the given location for the first value that is not finite.
pub fn check_finite(location: &str, values: &[f32]) -> CheckResult {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(NetError::Value {
            location: location.to_owned(),
            expected: "finite numbers",
            found: values[index],
            index,
        }),
    }
}

fn mismatch(layer: &str, expected: String, found: impl ToString) -> NetError {
    NetError::Layer {
        location: format!("layer {layer}"),
        expected,
        found: found.to_string(),
    }
}

fn expect_count(layer: &str, what: &str, expected: usize, found: usize) -> CheckResult {
    if expected == found {
        Ok(())
    } else {
        Err(mismatch(layer, format!("{expected} {what}"), found))
    }
}

fn expect_count_up_to(layer: &str, what: &str, found: usize, max: usize) -> CheckResult {
    if (1..=max).contains(&found) {
        Ok(())
    } else {
        Err(mismatch(layer, format!("1 to {max} {what}"), found))
    }
}

/// Checks that the output multipliers are positive and bounded, so that decoded outputs are finite.
fn check_multipliers(readout: &Readout) -> CheckResult {
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
        if !(multiplier > 0.0 && multiplier <= MAX_OUTPUT_MULTIPLIER) {
            let expected = format!("a multiplier above 0 and at most {MAX_OUTPUT_MULTIPLIER}");
            return Err(mismatch(name, expected, multiplier));
        }
    }
    Ok(())
}

fn check_layer(visit: &Visit) -> CheckResult {
    match &visit.layer {
        LayerMut::Conv(conv) => {
            check_kernel_and_inputs(&visit.path, conv)?;
            check_widths(visit, conv.inputs, conv.outputs)
        }
        LayerMut::Linear(linear) | LayerMut::PointLinear(linear) => {
            check_widths(visit, linear.inputs, linear.outputs)
        }
        LayerMut::Affine(norm) => {
            expect_count(&visit.path, "channels", visit.inputs, norm.channels)
        }
        LayerMut::RmsNorm(norm) => {
            check_epsilon(&visit.path, norm)?;
            expect_count(&visit.path, "channels", visit.inputs, norm.channels)
        }
        LayerMut::Attention(attention) => check_attention(&visit.path, attention, visit.inputs),
        LayerMut::Blocks { count, depth } => check_blocks(&visit.path, *count, *depth),
    }
}

/// Checks the numbers of inputs and outputs of a convolution or linear layer.
fn check_widths(visit: &Visit, inputs: usize, outputs: usize) -> CheckResult {
    expect_count(&visit.path, "inputs", visit.inputs, inputs)?;
    match visit.outputs {
        Some(expected) => expect_count(&visit.path, "outputs", expected, outputs),
        None => expect_count_up_to(&visit.path, "outputs", outputs, MAX_WIDTH),
    }
}

fn check_kernel_and_inputs(layer: &str, conv: &Conv) -> CheckResult {
    let is_valid = |side: usize| side % 2 == 1 && side <= MAX_KERNEL_SIDE;
    if is_valid(conv.height) && is_valid(conv.width) {
        expect_count_up_to(layer, "inputs", conv.inputs, MAX_WIDTH)
    } else {
        let expected = format!("a kernel with odd sides up to {MAX_KERNEL_SIDE}");
        let found = format!("{} x {}", conv.height, conv.width);
        Err(mismatch(layer, expected, found))
    }
}

fn check_epsilon(layer: &str, norm: &RmsNorm) -> CheckResult {
    if norm.epsilon > 0.0 && norm.epsilon <= 1.0 {
        Ok(())
    } else {
        let expected = "an epsilon above 0 and at most 1".to_owned();
        Err(mismatch(layer, expected, norm.epsilon))
    }
}

fn check_blocks(path: &str, count: usize, depth: usize) -> CheckResult {
    if depth > MAX_NESTING_DEPTH {
        let expected = format!("blocks nested at most {MAX_NESTING_DEPTH} levels deep");
        return Err(mismatch(path, expected, "more"));
    }
    match (depth, count) {
        // The trunk may be empty.
        (0, 0) => Ok(()),
        _ => expect_count_up_to(path, "blocks", count, MAX_BLOCKS),
    }
}

/// Checks the sizes of the attention block at the path `block`, which has `channels` input channels.
fn check_attention(block: &str, attention: &AttentionMut, channels: usize) -> CheckResult {
    let part = |part: &str| format!("{block}.{part}");
    let (heads, kv_heads) = (attention.heads, attention.kv_heads);
    let max = max_attention_width(channels);
    expect_count_up_to(&part("heads"), "heads", heads, max)?;
    if kv_heads == 0 || heads % kv_heads != 0 {
        let expected = format!("a number of key heads that divides {heads}");
        return Err(mismatch(&part("kv_heads"), expected, kv_heads));
    }
    let query = attention.query;
    expect_count_up_to(&part("query"), "outputs", query, max)?;
    let width = query / heads;
    let rotated = *attention.rotation != RotaryAngles::None;
    if query != heads * width || (rotated && !width.is_multiple_of(2)) {
        let even = if rotated { "even " } else { "" };
        let expected = format!("outputs for {heads} heads of the same {even}width");
        return Err(mismatch(&part("query"), expected, query));
    }
    expect_count(&part("key"), "outputs", kv_heads * width, attention.key)?;
    let width = attention.value / kv_heads;
    expect_count_up_to(&part("value"), "outputs", heads * width, max)?;
    expect_count(&part("value"), "outputs", kv_heads * width, attention.value)?;
    match *attention.rotation {
        RotaryAngles::Fixed { theta } if !(theta > 0.0 && theta.is_finite()) => {
            let expected = "a positive base".to_owned();
            Err(mismatch(&part("rotation"), expected, theta))
        }
        _ => Ok(()),
    }
}
