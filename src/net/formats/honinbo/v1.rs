//! Version 1 of this engine's network files. The trainer writes this version for residual networks with ReLU.
//!
//! The metadata contains the sizes that determine the layers. The tensors have PyTorch's names and layouts, and batch
//! norms are stored with their statistics.

use safetensors::SafeTensors;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::tensors::TensorReader;
use crate::net::error::NetError;
use crate::net::spec::blocks::{Block, OrdinaryBlock, PoolingBlock};
use crate::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, transpose_to_outputs_last};
use crate::net::spec::visitor::{LayerMut, Visit};
use crate::net::spec::{Inputs, NetSpec, Readout, Stem, TrunkNorm};

/// Value of `version` in the configuration.
pub const VERSION: u64 = 1;
/// Metadata key of the trainer's note.
pub const NOTE_KEY: &str = "training";
/// Epsilon that is added to the variances of batch norms, as in the trainer.
const NORM_EPSILON: f32 = 1e-5;
/// Maximum for each of the numbers of channels, planes, global inputs and hidden units.
const MAX_WIDTH: usize = 2048;
/// Maximum number of residual blocks.
const MAX_BLOCKS: usize = 256;
/// Layers whose name in the file (second element) differs from their path in [`NetSpec`] (first element).
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

/// Parses a network from the fields of its configuration and the tensors of `file`.
///
/// # Errors
/// Returns an error if a field is missing, unknown or out of range, if the names or shapes of the tensors do not match
/// the configuration, if a value is not finite, or if a variance is negative.
pub(super) fn from_file(
    config: Map<String, Value>,
    file: &SafeTensors,
) -> Result<NetSpec, NetError> {
    let config: NetConfig = serde_json::from_value(Value::Object(config))
        .map_err(|error| NetError::Config(error.to_string()))?;
    config.check()?;
    let mut spec = config.to_spec();
    let mut tensors = TensorReader::new(file);
    spec.visit(&mut |visit| read_layer(visit, &mut tensors))?;
    tensors.finish()?;
    spec.checked()
}

/// Reads the tensors of a layer, which are stored in the layout of PyTorch.
fn read_layer(visit: Visit, tensors: &mut TensorReader) -> Result<(), NetError> {
    let renamed = RENAMED_LAYERS.iter().find(|(path, _)| *path == visit.path);
    let name = renamed.map_or(&*visit.path, |(_, name)| name);
    match visit.layer {
        LayerMut::Conv(conv) => {
            let shape = [conv.outputs, conv.inputs, conv.height, conv.width];
            if let Some(weights) = tensors.read_named(&format!("{name}.weight"), &shape)? {
                *conv = Conv::from_pytorch_layout(
                    &weights,
                    conv.outputs,
                    conv.inputs,
                    [conv.height, conv.width],
                );
            }
        }
        LayerMut::Linear(linear) => {
            let (inputs, outputs) = (linear.inputs, linear.outputs);
            if let Some(weights) =
                tensors.read_named(&format!("{name}.weight"), &[outputs, inputs])?
            {
                linear.weights = transpose_to_outputs_last(&weights, outputs, inputs, 1);
            }
            if linear.biased {
                linear.bias = tensors
                    .read_named(&format!("{name}.bias"), &[outputs])?
                    .unwrap_or_default();
            }
        }
        LayerMut::Affine(norm) => {
            let mut part =
                |part: &str| tensors.read_named(&format!("{name}.{part}"), &[norm.channels]);
            let (scale, shift) = (part("weight")?, part("bias")?);
            let (mean, variance) = (part("running_mean")?, part("running_var")?);
            if let (Some(mean), Some(variance), Some(scale), Some(shift)) =
                (mean, variance, scale, shift)
            {
                let location = format!("norm {name}");
                *norm = Affine::from_batch_norm(
                    &location,
                    &mean,
                    &variance,
                    NORM_EPSILON,
                    &scale,
                    &shift,
                )?;
            }
        }
        _ => {}
    }
    Ok(())
}

impl NetConfig {
    /// Checks that all sizes are within their limits.
    fn check(&self) -> Result<(), NetError> {
        let sizes = [
            ("planes", self.planes, 1, MAX_WIDTH),
            ("globals", self.globals, 0, MAX_WIDTH),
            ("channels", self.channels, 1, MAX_WIDTH),
            ("blocks", self.blocks.len(), 0, MAX_BLOCKS),
            ("pool_channels", self.pool_channels, 1, MAX_WIDTH),
            ("policy_channels", self.policy_channels, 1, MAX_WIDTH),
            ("value_channels", self.value_channels, 1, MAX_WIDTH),
            ("value_hidden", self.value_hidden, 1, MAX_WIDTH),
        ];
        match sizes
            .iter()
            .find(|(_, found, min, max)| !(min..=max).contains(&found))
        {
            None => Ok(()),
            Some((name, found, min, max)) => Err(NetError::Config(format!(
                "expected {name} from {min} to {max}, found {found}"
            ))),
        }
    }

    /// Returns a description of the network without weights: all tensors are empty.
    fn to_spec(&self) -> NetSpec {
        NetSpec {
            name: self.name.clone(),
            note: None,
            ranges: None,
            inputs: Inputs::Honinbo {
                planes: self.planes,
                globals: self.globals,
            },
            stem: Stem {
                conv: empty_conv(3, self.planes, self.channels),
                global: (self.globals > 0)
                    .then(|| empty_linear(self.globals, self.channels, false)),
                profile: None,
                norm: None,
            },
            blocks: self.blocks.iter().map(|kind| self.block(*kind)).collect(),
            trunk_norm: TrunkNorm::Affine {
                norm: empty_norm(self.channels),
                act: Activation::Relu,
            },
            policy: PolicyHead::Pooled(Box::new(self.policy())),
            value: ValueHead::Pooled(Box::new(self.value())),
            readout: Readout::Honinbo,
        }
    }

    fn block(&self, kind: BlockKind) -> Block {
        let (width, pooled, act) = (self.channels, self.pool_channels, Activation::Relu);
        let (norm1, conv1) = (empty_norm(width), empty_conv(3, width, width));
        let (norm2, conv2) = (norm1.clone(), conv1.clone());
        match kind {
            BlockKind::Ordinary => Block::Ordinary(OrdinaryBlock {
                norm1,
                act1: act,
                conv1,
                norm2,
                act2: act,
                conv2,
            }),
            BlockKind::Pooling => Block::Pooling(PoolingBlock {
                norm1,
                act1: act,
                conv1,
                pool_conv: empty_conv(3, width, pooled),
                pool_norm: empty_norm(pooled),
                pool_act: act,
                pool_linear: empty_linear(3 * pooled, width, false),
                norm2,
                act2: act,
                conv2,
            }),
        }
    }

    fn policy(&self) -> PooledPolicy {
        let width = self.policy_channels;
        PooledPolicy {
            conv: empty_conv(1, self.channels, width),
            pool_conv: empty_conv(1, self.channels, width),
            pool_norm: empty_norm(width),
            pool_act: Activation::Relu,
            pool_linear: empty_linear(3 * width, width, false),
            norm: empty_norm(width),
            act: Activation::Relu,
            out: empty_conv(1, width, 1),
            pass: self.pass.then(|| PassHead {
                hidden: None,
                out: empty_linear(3 * width, 1, false),
            }),
        }
    }

    fn value(&self) -> PooledValue {
        let (width, hidden) = (self.value_channels, self.value_hidden);
        PooledValue {
            conv: empty_conv(1, self.channels, width),
            norm: empty_norm(width),
            act: Activation::Relu,
            hidden: empty_linear(3 * width, hidden, true),
            hidden_act: Activation::Relu,
            result: empty_linear(hidden, 1, true),
            score: self.score.then(|| empty_linear(hidden, 1, true)),
            ownership: self.ownership.then(|| empty_conv(1, width, 1)),
        }
    }
}

fn empty_conv(side: usize, inputs: usize, outputs: usize) -> Conv {
    Conv {
        height: side,
        width: side,
        inputs,
        outputs,
        weights: Vec::new(),
    }
}

fn empty_linear(inputs: usize, outputs: usize, biased: bool) -> Linear {
    Linear {
        inputs,
        outputs,
        biased,
        ..Linear::default()
    }
}

fn empty_norm(channels: usize) -> Affine {
    Affine {
        channels,
        ..Affine::default()
    }
}
