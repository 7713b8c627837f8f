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
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, transposed};
use crate::net::spec::visitor::{Layer, Visit};
use crate::net::spec::{Inputs, NetSpec, Readout, Stem, TrunkNorm};

/// Value of `version` in the configuration.
pub const VERSION: u64 = 1;
/// Metadata key of the trainer's note.
pub const NOTE_KEY: &str = "training";
/// Epsilon that is added to the variances of batch norms, as in the trainer.
const NORM_EPSILON: f32 = 1e-5;
/// Maximum for each of the numbers of channels, planes, global inputs and hidden units.
const MAX_CHANNELS: usize = 2048;
/// Maximum number of residual blocks.
const MAX_BLOCKS: usize = 256;
/// Layers whose name in the file (second element) differs from their path in [`NetSpec`] (first element).
const FILE_LAYER_NAMES: [(&str, &str); 4] = [
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
    tensors.end()?;
    spec.checked()
}

/// Reads the tensors of a layer, which are stored in the layout of PyTorch.
fn read_layer(visit: Visit, tensors: &mut TensorReader) -> Result<(), NetError> {
    let renamed = FILE_LAYER_NAMES
        .iter()
        .find(|(path, _)| *path == visit.path);
    let name = renamed.map_or(&*visit.path, |(_, name)| name);
    match visit.layer {
        Layer::Conv(conv) => {
            let shape = [conv.outputs, conv.inputs, conv.height, conv.width];
            if let Some(weights) = tensors.read(&format!("{name}.weight"), &shape)? {
                *conv = Conv::from_pytorch_layout(
                    &weights,
                    conv.outputs,
                    conv.inputs,
                    [conv.height, conv.width],
                );
            }
        }
        Layer::Linear(linear) => {
            let (inputs, outputs) = (linear.inputs, linear.outputs);
            if let Some(weights) = tensors.read(&format!("{name}.weight"), &[outputs, inputs])? {
                linear.weights = transposed(&weights, outputs, inputs, 1);
            }
            if linear.biased {
                linear.bias = tensors
                    .read(&format!("{name}.bias"), &[outputs])?
                    .unwrap_or_default();
            }
        }
        Layer::Affine(norm) => {
            let mut part = |part: &str| tensors.read(&format!("{name}.{part}"), &[norm.channels]);
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
            ("planes", self.planes, 1, MAX_CHANNELS),
            ("globals", self.globals, 0, MAX_CHANNELS),
            ("channels", self.channels, 1, MAX_CHANNELS),
            ("blocks", self.blocks.len(), 0, MAX_BLOCKS),
            ("pool_channels", self.pool_channels, 1, MAX_CHANNELS),
            ("policy_channels", self.policy_channels, 1, MAX_CHANNELS),
            ("value_channels", self.value_channels, 1, MAX_CHANNELS),
            ("value_hidden", self.value_hidden, 1, MAX_CHANNELS),
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
                conv: conv(3, self.planes, self.channels),
                global: (self.globals > 0).then(|| linear(self.globals, self.channels, false)),
                profile: None,
                norm: None,
            },
            blocks: self.blocks.iter().map(|kind| self.block(*kind)).collect(),
            trunk_norm: TrunkNorm::Affine {
                norm: norm(self.channels),
                act: Activation::Relu,
            },
            policy: PolicyHead::Pooled(Box::new(self.policy())),
            value: ValueHead::Pooled(Box::new(self.value())),
            readout: Readout::Honinbo,
        }
    }

    fn block(&self, kind: BlockKind) -> Block {
        let (width, pooled, act) = (self.channels, self.pool_channels, Activation::Relu);
        let (norm1, conv1) = (norm(width), conv(3, width, width));
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
                pool_conv: conv(3, width, pooled),
                pool_norm: norm(pooled),
                pool_act: act,
                pool_linear: linear(3 * pooled, width, false),
                norm2,
                act2: act,
                conv2,
            }),
        }
    }

    fn policy(&self) -> PooledPolicy {
        let width = self.policy_channels;
        PooledPolicy {
            conv: conv(1, self.channels, width),
            pool_conv: conv(1, self.channels, width),
            pool_norm: norm(width),
            pool_act: Activation::Relu,
            pool_linear: linear(3 * width, width, false),
            norm: norm(width),
            act: Activation::Relu,
            out: conv(1, width, 1),
            pass: self.pass.then(|| PassHead {
                hidden: None,
                out: linear(3 * width, 1, false),
            }),
        }
    }

    fn value(&self) -> PooledValue {
        let (width, hidden) = (self.value_channels, self.value_hidden);
        PooledValue {
            conv: conv(1, self.channels, width),
            norm: norm(width),
            act: Activation::Relu,
            hidden: linear(3 * width, hidden, true),
            hidden_act: Activation::Relu,
            result: linear(hidden, 1, true),
            score: self.score.then(|| linear(hidden, 1, true)),
            ownership: self.ownership.then(|| conv(1, width, 1)),
        }
    }
}

fn conv(side: usize, inputs: usize, outputs: usize) -> Conv {
    Conv {
        height: side,
        width: side,
        inputs,
        outputs,
        weights: Vec::new(),
    }
}

fn linear(inputs: usize, outputs: usize, biased: bool) -> Linear {
    Linear {
        inputs,
        outputs,
        biased,
        ..Linear::default()
    }
}

fn norm(channels: usize) -> Affine {
    Affine {
        channels,
        ..Affine::default()
    }
}
