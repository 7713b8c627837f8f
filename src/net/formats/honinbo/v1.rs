//! Version 1 of this engine's network files. The trainer writes this version for residual networks with ReLU.
//!
//! The configuration contains the sizes that determine the layers; [`NetConfig::to_description`] converts it to a
//! description as in version 2. The tensors have PyTorch's names and layouts, and batch norms are stored with their
//! statistics.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tensors::TensorReader;
use crate::net::error::NetError;
use crate::net::spec::NetSpec;
use crate::net::spec::layer_list::{LayerMut, PlacedLayer};
use crate::net::spec::layers::{Affine, Conv, transpose_to_outputs_last};

/// Value of `version` in the configuration.
pub const VERSION: u64 = 1;
/// Metadata key of the trainer's note.
pub const NOTE_KEY: &str = "training";
/// Epsilon that is added to the variances of batch norms, as in the trainer.
const NORM_EPSILON: f32 = 1e-5;
/// Maximum for each of the numbers of channels, planes, global inputs and hidden units.
const MAX_WIDTH: usize = 2048;
const MAX_BLOCKS: usize = 256;
/// Paths in [`NetSpec`] (first element) of layers that have a different name in the file (second element).
const RENAMED_LAYERS: [(&str, &str); 4] = [
    ("stem.conv", "input.conv"),
    ("stem.global", "input.global"),
    ("policy.pass.out", "policy.pass"),
    ("value.result", "value.win"),
];

/// Configuration of a network: the name, the sizes, and which optional outputs there are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NetConfig {
    name: String,
    planes: usize,
    /// Number of global inputs; may be 0.
    globals: usize,
    channels: usize,
    blocks: Vec<BlockKind>,
    /// Number of pooled channels in a pooling block.
    pool_channels: usize,
    policy_channels: usize,
    value_channels: usize,
    /// Number of hidden units of the value head.
    value_hidden: usize,
    /// True if the network has an output for the pass.
    pass: bool,
    /// True if the network has an output for the score lead.
    score: bool,
    /// True if the network has an output for the ownership of each point.
    ownership: bool,
}

/// Kind of a residual block.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BlockKind {
    /// Two 3x3 convolutions.
    Ordinary,
    /// An ordinary block that also adds globally pooled features to the output of its first convolution.
    Pooling,
}

/// Converts the fields of a configuration to a description as in version 2.
///
/// # Errors
/// Returns [`NetError::Config`] if a field is missing, unknown or out of range.
pub(super) fn description(
    config: Map<String, Value>,
    note: Option<&String>,
) -> Result<Value, NetError> {
    let config: NetConfig = serde_json::from_value(Value::Object(config))
        .map_err(|error| NetError::Config(error.to_string()))?;
    config.check()?;
    Ok(config.to_description(note))
}

/// Reads all tensors of a network.
///
/// # Errors
/// Returns [`NetError::Value`] for numbers that are not finite and for negative variances.
pub(super) fn read_tensors(spec: &mut NetSpec, tensors: &mut TensorReader) -> Result<(), NetError> {
    let mut layers = spec.layers_mut().into_iter();
    layers.try_for_each(|layer| read_layer(layer, tensors))
}

fn read_layer(placed: PlacedLayer, tensors: &mut TensorReader) -> Result<(), NetError> {
    let path = &*placed.path;
    let renamed = RENAMED_LAYERS.iter().find(|(new, _)| *new == path);
    let name = renamed.map_or(path, |(_, old)| old);
    let mut read =
        |part: &str, shape: &[usize]| tensors.read_named(&format!("{name}.{part}"), shape);
    match placed.layer {
        LayerMut::Conv(conv) => {
            let (sides, inputs, outputs) = ([conv.height, conv.width], conv.inputs, conv.outputs);
            if let Some(weights) = read("weight", &[outputs, inputs, sides[0], sides[1]])? {
                *conv = Conv::from_pytorch_layout(&weights, outputs, inputs, sides);
            }
        }
        LayerMut::Linear(linear) => {
            let (inputs, outputs) = (linear.inputs, linear.outputs);
            if let Some(weights) = read("weight", &[outputs, inputs])? {
                linear.weights = transpose_to_outputs_last(&weights, outputs, inputs, 1);
            }
            if linear.biased {
                linear.bias = read("bias", &[outputs])?.unwrap_or_default();
            }
        }
        LayerMut::Affine(norm) => {
            let mut part = |part| read(part, &[norm.channels]);
            let (scale, shift) = (part("weight")?, part("bias")?);
            let (mean, variance) = (part("running_mean")?, part("running_var")?);
            if let (Some(mean), Some(variance), Some(scale), Some(shift)) =
                (mean, variance, scale, shift)
            {
                let location = format!("norm {name}");
                let epsilon = NORM_EPSILON;
                *norm =
                    Affine::from_batch_norm(&location, &mean, &variance, epsilon, &scale, &shift)?;
            }
        }
        _ => {}
    }
    Ok(())
}

impl NetConfig {
    /// Checks that all sizes are within their limits.
    fn check(&self) -> Result<(), NetError> {
        for (name, found, min, max) in [
            ("planes", self.planes, 1, MAX_WIDTH),
            ("globals", self.globals, 0, MAX_WIDTH),
            ("channels", self.channels, 1, MAX_WIDTH),
            ("blocks", self.blocks.len(), 0, MAX_BLOCKS),
            ("pool_channels", self.pool_channels, 1, MAX_WIDTH),
            ("policy_channels", self.policy_channels, 1, MAX_WIDTH),
            ("value_channels", self.value_channels, 1, MAX_WIDTH),
            ("value_hidden", self.value_hidden, 1, MAX_WIDTH),
        ] {
            if !(min..=max).contains(&found) {
                return Err(NetError::Config(format!(
                    "expected {name} from {min} to {max}, found {found}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the description of the network in the form of version 2.
    fn to_description(&self, note: Option<&String>) -> Value {
        let (channels, pooled) = (self.channels, self.pool_channels);
        let (policy, value, hidden) =
            (self.policy_channels, self.value_channels, self.value_hidden);
        let conv = |side: usize, inputs: usize, outputs: usize| json!({ "height": side, "width": side, "inputs": inputs, "outputs": outputs });
        let linear = |inputs: usize, outputs: usize, biased: bool| json!({ "inputs": inputs, "outputs": outputs, "biased": biased });
        let norm = |channels: usize| json!({ "channels": channels });
        let block = |kind: &BlockKind| {
            let mut block = json!({
                "kind": "ordinary",
                "norm1": norm(channels), "act1": "relu", "conv1": conv(3, channels, channels),
                "norm2": norm(channels), "act2": "relu", "conv2": conv(3, channels, channels),
            });
            if let BlockKind::Pooling = kind {
                block["kind"] = "pooling".into();
                block["pool_conv"] = conv(3, channels, pooled);
                block["pool_norm"] = norm(pooled);
                block["pool_act"] = "relu".into();
                block["pool_linear"] = linear(3 * pooled, channels, false);
            }
            block
        };
        json!({
            "name": self.name,
            "note": note,
            "inputs": { "honinbo": { "planes": self.planes, "globals": self.globals } },
            "stem": {
                "conv": conv(3, self.planes, channels),
                "global": (self.globals > 0).then(|| linear(self.globals, channels, false)),
            },
            "blocks": self.blocks.iter().map(block).collect::<Vec<_>>(),
            "tip": { "kind": "affine", "norm": norm(channels), "act": "relu" },
            "policy": {
                "kind": "pooled",
                "conv": conv(1, channels, policy),
                "pool_conv": conv(1, channels, policy), "pool_norm": norm(policy), "pool_act": "relu",
                "pool_linear": linear(3 * policy, policy, false),
                "norm": norm(policy), "act": "relu",
                "out": conv(1, policy, 1),
                "pass": self.pass.then(|| json!({ "out": linear(3 * policy, 1, false) })),
            },
            "value": {
                "kind": "pooled",
                "conv": conv(1, channels, value), "norm": norm(value), "act": "relu",
                "hidden": linear(3 * value, hidden, true), "hidden_act": "relu",
                "result": linear(hidden, 1, true),
                "score": self.score.then(|| linear(hidden, 1, true)),
                "ownership": self.ownership.then(|| conv(1, value, 1)),
            },
            "readout": "honinbo",
        })
    }
}
