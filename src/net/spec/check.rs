//! Checks of network descriptions: size limits, and whether the layers fit together.

use super::blocks::RotaryAngles;
use super::heads::ValueHead;
use super::layer_list::{AttentionMut, LayerMut, PlacedLayer};
use super::{NetSpec, Readout};
use crate::net::error::NetError;

/// Maximum number of channels or hidden units of a layer.
pub const MAX_WIDTH: usize = 16_384;
/// Maximum total width of all query heads, as a multiple of the number of input channels. This limit bounds the size of
/// the rotary tables, which contain a row for every point of the board, in relation to the size of the weights.
const MAX_ATTENTION_WIDTH_RATIO: usize = 16;
pub const MAX_BLOCKS: usize = 512;
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
        let (has_global, globals) = (self.stem.global.is_some(), self.inputs.globals());
        check_presence("stem.global", has_global, "inputs", globals, 1)?;
        if let ValueHead::Pooled(head) = &self.value {
            let (has_score, scores) = (head.score.is_some(), self.readout.score_outputs());
            check_presence("value.score", has_score, "outputs", scores, 2)?;
        }
        self.layers_mut().iter().try_for_each(check_layer)
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

/// Returns an error for a layer unless `is_valid` is true.
fn require(
    is_valid: bool,
    layer: &str,
    expected: impl Into<String>,
    found: impl ToString,
) -> CheckResult {
    match is_valid {
        true => Ok(()),
        false => Err(NetError::Layer {
            location: format!("layer {layer}"),
            expected: expected.into(),
            found: found.to_string(),
        }),
    }
}

fn expect_count(layer: &str, what: &str, count: usize, found: usize) -> CheckResult {
    require(found == count, layer, format!("{count} {what}"), found)
}

fn expect_count_up_to(layer: &str, what: &str, found: usize, max: usize) -> CheckResult {
    let is_valid = (1..=max).contains(&found);
    require(is_valid, layer, format!("1 to {max} {what}"), found)
}

/// Checks that a layer is absent if the network has no such inputs or outputs, and present if it has at least
/// `min_count` of them.
fn check_presence(
    layer: &str,
    is_present: bool,
    what: &str,
    count: usize,
    min_count: usize,
) -> CheckResult {
    require(!is_present || count > 0, layer, "no such layer", "one")?;
    let expected = format!("{count} {what}");
    require(is_present || count < min_count, layer, expected, "none")
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
        let is_valid = multiplier > 0.0 && multiplier <= MAX_OUTPUT_MULTIPLIER;
        let expected = format!("a multiplier above 0 and at most {MAX_OUTPUT_MULTIPLIER}");
        require(is_valid, name, expected, multiplier)?;
    }
    Ok(())
}

fn check_layer(placed: &PlacedLayer) -> CheckResult {
    let path = &*placed.path;
    match &placed.layer {
        LayerMut::Conv(conv) => {
            let mut sides = [conv.height, conv.width].into_iter();
            let is_valid = sides.all(|side| side % 2 == 1 && side <= MAX_KERNEL_SIDE);
            let expected = format!("a kernel with odd sides up to {MAX_KERNEL_SIDE}");
            let found = format!("{} x {}", conv.height, conv.width);
            require(is_valid, path, expected, found)?;
            expect_count_up_to(path, "inputs", conv.inputs, MAX_WIDTH)?;
            check_widths(placed, conv.inputs, conv.outputs)
        }
        LayerMut::Linear(linear) | LayerMut::PointLinear(linear) => {
            check_widths(placed, linear.inputs, linear.outputs)
        }
        LayerMut::Affine(norm) => expect_count(path, "channels", placed.inputs, norm.channels),
        LayerMut::RmsNorm(norm) => {
            let is_valid = norm.epsilon > 0.0 && norm.epsilon <= 1.0;
            let expected = "an epsilon above 0 and at most 1";
            require(is_valid, path, expected, norm.epsilon)?;
            expect_count(path, "channels", placed.inputs, norm.channels)
        }
        LayerMut::Attention(attention) => check_attention(path, attention, placed.inputs),
        LayerMut::Blocks { count, depth } => {
            let expected = format!("blocks nested at most {MAX_NESTING_DEPTH} levels deep");
            require(*depth <= MAX_NESTING_DEPTH, path, expected, "more")?;
            match (depth, count) {
                // The trunk may be empty.
                (0, 0) => Ok(()),
                _ => expect_count_up_to(path, "blocks", *count, MAX_BLOCKS),
            }
        }
    }
}

/// Checks the numbers of inputs and outputs of a convolution or linear layer.
fn check_widths(placed: &PlacedLayer, inputs: usize, outputs: usize) -> CheckResult {
    expect_count(&placed.path, "inputs", placed.inputs, inputs)?;
    match placed.outputs {
        Some(expected) => expect_count(&placed.path, "outputs", expected, outputs),
        None => expect_count_up_to(&placed.path, "outputs", outputs, MAX_WIDTH),
    }
}

/// Checks the sizes of the attention block at the path `block`, which has `channels` input channels.
fn check_attention(block: &str, attention: &AttentionMut, channels: usize) -> CheckResult {
    let part = |part: &str| format!("{block}.{part}");
    let AttentionMut {
        heads,
        kv_heads,
        query,
        ..
    } = *attention;
    let max = max_attention_width(channels);
    expect_count_up_to(&part("heads"), "heads", heads, max)?;
    let is_valid = kv_heads != 0 && heads % kv_heads == 0;
    let expected = format!("a number of key heads that divides {heads}");
    require(is_valid, &part("kv_heads"), expected, kv_heads)?;
    expect_count_up_to(&part("query"), "outputs", query, max)?;
    let width = query / heads;
    let rotated = *attention.rotation != RotaryAngles::None;
    let is_valid = query == heads * width && (!rotated || width.is_multiple_of(2));
    let even = if rotated { "even " } else { "" };
    let expected = format!("outputs for {heads} heads of the same {even}width");
    require(is_valid, &part("query"), expected, query)?;
    expect_count(&part("key"), "outputs", kv_heads * width, attention.key)?;
    let width = attention.value / kv_heads;
    expect_count_up_to(&part("value"), "outputs", heads * width, max)?;
    expect_count(&part("value"), "outputs", kv_heads * width, attention.value)?;
    if let RotaryAngles::Fixed { theta } = *attention.rotation {
        let is_valid = theta > 0.0 && theta.is_finite();
        require(is_valid, &part("rotation"), "a positive base", theta)?;
    }
    Ok(())
}
