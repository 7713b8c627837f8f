//! The layers of a network as a list, with the path of each layer and the sizes that the neighbouring layers require.
//!
//! The list of tensors, the checks, and the counts of weights and multiply-adds are all based on
//! [`NetSpec::layers_mut`].

use std::iter;

use LayerMut::{Affine, Attention, Blocks, Conv, Linear, PointLinear, RmsNorm};

use super::blocks::{AttentionBlock, Block, RotaryAngles};
use super::heads::{FLAT_AREA, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use super::layers;
use super::{Inputs, NetSpec, PROFILE_LEN, Readout, Stem, TrunkNorm};

/// A layer and its place in the network.
#[derive(Debug)]
pub struct PlacedLayer<'a> {
    /// Path of the layer, such as `blocks.3.conv1`.
    pub path: String,
    pub layer: LayerMut<'a>,
    /// Number of input channels, which is determined by the preceding layers.
    pub inputs: usize,
    /// Number of output channels that the network requires. `None` if any number is allowed.
    pub outputs: Option<usize>,
}

/// A layer with weights, an attention operation, or the start of a list of blocks.
#[derive(Debug)]
pub enum LayerMut<'a> {
    Conv(&'a mut layers::Conv),
    /// Linear layer applied once per board.
    Linear(&'a mut layers::Linear),
    /// Linear layer applied to every point.
    PointLinear(&'a mut layers::Linear),
    Affine(&'a mut layers::Affine),
    RmsNorm(&'a mut layers::RmsNorm),
    /// Attention between all points. Its projections are separate linear layers.
    Attention(AttentionMut<'a>),
    /// Start of a list of blocks.
    Blocks {
        count: usize,
        /// Number of enclosing nested blocks.
        depth: usize,
    },
}

/// Sizes and rotation of an attention block.
#[derive(Debug)]
pub struct AttentionMut<'a> {
    pub heads: usize,
    pub kv_heads: usize,
    /// Number of outputs of the query projection.
    pub query: usize,
    /// Number of outputs of the key projection.
    pub key: usize,
    /// Number of outputs of the value projection.
    pub value: usize,
    /// Total width of the attention-weighted values of all query heads.
    pub output_width: usize,
    /// Number of channel pairs in a query head.
    pub pairs: usize,
    pub rotation: &'a mut RotaryAngles,
}

/// Mutable access to a tensor of a description.
#[derive(Debug)]
pub struct TensorMut<'a> {
    /// Path of the tensor, such as `blocks.3.conv1.weights`.
    pub name: String,
    /// Required shape; `values` may have a different length in an unchecked description.
    pub shape: Vec<usize>,
    pub values: &'a mut Vec<f32>,
}

impl NetSpec {
    /// Returns all layers in the order in which the network uses them. The sizes in an unchecked description may
    /// contradict each other.
    pub fn layers_mut(&mut self) -> Vec<PlacedLayer<'_>> {
        let mut list = LayerList::default();
        let channels = list.stem(&mut self.stem, self.inputs);
        list.blocks("blocks".to_owned(), &mut self.blocks, channels, 0);
        list.prefix = "tip".to_owned();
        match &mut self.trunk_norm {
            TrunkNorm::None => channels,
            TrunkNorm::Affine { norm, .. } => list.add("norm", Affine(norm), channels),
            TrunkNorm::Rms { norm, .. } => list.add("norm", RmsNorm(norm), channels),
        };
        list.policy(&mut self.policy, channels);
        list.value(&mut self.value, channels, self.readout);
        list.layers
    }

    /// Returns all tensors in the order in which the network uses them.
    pub fn tensors_mut(&mut self) -> Vec<TensorMut<'_>> {
        let layers = self.layers_mut().into_iter();
        layers.flat_map(PlacedLayer::tensors).collect()
    }

    /// Returns the number of parameters: the total length of all tensors.
    #[must_use]
    pub fn parameter_count(&mut self) -> usize {
        let tensors = self.tensors_mut();
        tensors.iter().map(|tensor| tensor.values.len()).sum()
    }

    /// Returns the number of multiply-adds per evaluation on a board with `area` points. Norms and activations are not
    /// counted.
    #[must_use]
    pub fn multiply_adds(&mut self, area: usize) -> usize {
        let count = |placed: PlacedLayer| match placed.layer {
            Conv(conv) => area * conv.weights.len(),
            PointLinear(linear) => area * linear.weights.len(),
            Linear(linear) => linear.weights.len(),
            Attention(attention) => area * area * (attention.query + attention.output_width),
            Affine(_) | RmsNorm(_) | Blocks { .. } => 0,
        };
        self.layers_mut().into_iter().map(count).sum()
    }
}

impl<'a> PlacedLayer<'a> {
    /// Returns the tensors of the layer.
    fn tensors(self) -> Vec<TensorMut<'a>> {
        let parts: Vec<(&str, Vec<usize>, &mut Vec<f32>)> = match self.layer {
            Conv(conv) => {
                let shape = vec![conv.height, conv.width, conv.inputs, conv.outputs];
                vec![("weights", shape, &mut conv.weights)]
            }
            Linear(linear) | PointLinear(linear) => {
                let shape = vec![linear.inputs, linear.outputs];
                let bias = ("bias", vec![linear.outputs], &mut linear.bias);
                let weights = ("weights", shape, &mut linear.weights);
                iter::once(weights)
                    .chain(linear.biased.then_some(bias))
                    .collect()
            }
            Affine(norm) => vec![
                ("scale", vec![norm.channels], &mut norm.scale),
                ("shift", vec![norm.channels], &mut norm.shift),
            ],
            RmsNorm(norm) => {
                let shift = ("shift", vec![norm.channels], &mut norm.shift);
                let weight = ("weight", vec![norm.channels], &mut norm.weight);
                iter::once(weight)
                    .chain(norm.shifted.then_some(shift))
                    .collect()
            }
            Attention(attention) => match attention.rotation {
                RotaryAngles::Learnt { angles } => {
                    vec![(
                        "angles",
                        vec![attention.kv_heads, attention.pairs, 2],
                        angles,
                    )]
                }
                RotaryAngles::None | RotaryAngles::Fixed { .. } => Vec::new(),
            },
            Blocks { .. } => Vec::new(),
        };
        let tensor = |(part, shape, values)| TensorMut {
            name: format!("{}.{part}", self.path),
            shape,
            values,
        };
        parts.into_iter().map(tensor).collect()
    }
}

/// A list under construction.
#[derive(Default)]
struct LayerList<'a> {
    /// Path of the part of the network that is being listed.
    prefix: String,
    layers: Vec<PlacedLayer<'a>>,
}

impl<'a> LayerList<'a> {
    /// Adds a layer that may have any number of outputs, and returns this number.
    fn add(&mut self, part: &str, layer: LayerMut<'a>, inputs: usize) -> usize {
        let width = match &layer {
            Conv(conv) => conv.outputs,
            Linear(linear) | PointLinear(linear) => linear.outputs,
            Affine(norm) => norm.channels,
            RmsNorm(norm) => norm.channels,
            Attention(attention) => attention.output_width,
            Blocks { .. } => inputs,
        };
        let separator = if part.is_empty() { "" } else { "." };
        self.layers.push(PlacedLayer {
            path: format!("{}{separator}{part}", self.prefix),
            layer,
            inputs,
            outputs: None,
        });
        width
    }

    /// Adds a layer that must have `outputs` outputs.
    fn add_exact(&mut self, part: &str, layer: LayerMut<'a>, inputs: usize, outputs: usize) {
        self.add(part, layer, inputs);
        if let Some(placed) = self.layers.last_mut() {
            placed.outputs = Some(outputs);
        }
    }

    fn stem(&mut self, stem: &'a mut Stem, inputs: Inputs) -> usize {
        self.prefix = "stem".to_owned();
        let channels = self.add("conv", Conv(&mut stem.conv), inputs.planes());
        if let Some(global) = &mut stem.global {
            self.add_exact("global", Linear(global), inputs.globals(), channels);
        }
        if let Some(encoder) = &mut stem.profile {
            let width = self.add("profile.first", Linear(&mut encoder.first), PROFILE_LEN);
            let width = self.add("profile.second", Linear(&mut encoder.second), width);
            self.add_exact("profile.out", Linear(&mut encoder.out), width, channels);
        }
        if let Some((norm, _)) = &mut stem.norm {
            self.add("norm", Affine(norm), channels);
        }
        channels
    }

    fn blocks(&mut self, path: String, blocks: &'a mut [Block], channels: usize, depth: usize) {
        let count = blocks.len();
        self.prefix = path.clone();
        self.add("", Blocks { count, depth }, channels);
        for (index, block) in blocks.iter_mut().enumerate() {
            self.prefix = format!("{path}.{index}");
            self.block(block, channels, depth);
        }
    }

    fn block(&mut self, block: &'a mut Block, channels: usize, depth: usize) {
        match block {
            Block::Ordinary(block) => {
                self.add("norm1", Affine(&mut block.norm1), channels);
                let width = self.add("conv1", Conv(&mut block.conv1), channels);
                self.add("norm2", Affine(&mut block.norm2), width);
                self.add_exact("conv2", Conv(&mut block.conv2), width, channels);
            }
            Block::Pooling(block) => {
                self.add("norm1", Affine(&mut block.norm1), channels);
                let width = self.add("conv1", Conv(&mut block.conv1), channels);
                let pooled = self.add("pool_conv", Conv(&mut block.pool_conv), channels);
                self.add("pool_norm", Affine(&mut block.pool_norm), pooled);
                let pooled = pooled_feature_count(pooled);
                self.add_exact("pool_linear", Linear(&mut block.pool_linear), pooled, width);
                self.add("norm2", Affine(&mut block.norm2), width);
                self.add_exact("conv2", Conv(&mut block.conv2), width, channels);
            }
            Block::Nested(block) => {
                self.add("down_norm", Affine(&mut block.down_norm), channels);
                let width = self.add("down", Conv(&mut block.down), channels);
                let path = self.prefix.clone();
                let inner = format!("{path}.blocks");
                self.blocks(inner, &mut block.blocks, width, depth + 1);
                self.prefix = path;
                self.add("up_norm", Affine(&mut block.up_norm), width);
                self.add_exact("up", Conv(&mut block.up), width, channels);
            }
            Block::Attention(block) => self.attention(block, channels),
            Block::FeedForward(block) => {
                self.add("norm", RmsNorm(&mut block.norm), channels);
                let width = self.add("wide", PointLinear(&mut block.wide), channels);
                self.add_exact("gate", PointLinear(&mut block.gate), channels, width);
                self.add_exact("out", PointLinear(&mut block.out), width, channels);
            }
            Block::PostActivation(block) => {
                let width = self.add("conv1", Conv(&mut block.conv1), channels);
                self.add("norm1", Affine(&mut block.norm1), width);
                self.add_exact("conv2", Conv(&mut block.conv2), width, channels);
                self.add("norm2", Affine(&mut block.norm2), channels);
            }
        }
    }

    fn attention(&mut self, block: &'a mut AttentionBlock, channels: usize) {
        let pairs = block.channel_pairs_per_head();
        self.add("norm", RmsNorm(&mut block.norm), channels);
        let query = self.add("query", PointLinear(&mut block.query), channels);
        let key = self.add("key", PointLinear(&mut block.key), channels);
        let value = self.add("value", PointLinear(&mut block.value), channels);
        let value_width = value.checked_div(block.kv_heads).unwrap_or(0);
        let output_width = block.heads.saturating_mul(value_width);
        let attention = Attention(AttentionMut {
            heads: block.heads,
            kv_heads: block.kv_heads,
            query,
            key,
            value,
            output_width,
            pairs,
            rotation: &mut block.rotation,
        });
        self.add("", attention, channels);
        self.add_exact("out", PointLinear(&mut block.out), output_width, channels);
    }

    fn policy(&mut self, head: &'a mut PolicyHead, channels: usize) {
        self.prefix = "policy".to_owned();
        match head {
            PolicyHead::Pooled(head) => self.pooled_policy(head, channels),
            PolicyHead::Flat { conv, norm, out } => {
                let width = self.add("conv", Conv(conv), channels);
                self.add("norm", Affine(norm), width);
                let features = flattened_feature_count(width);
                self.add_exact("out", Linear(out), features, FLAT_AREA + 1);
            }
        }
    }

    fn pooled_policy(&mut self, head: &'a mut PooledPolicy, channels: usize) {
        let width = self.add("conv", Conv(&mut head.conv), channels);
        let pooled = self.add("pool_conv", Conv(&mut head.pool_conv), channels);
        self.add("pool_norm", Affine(&mut head.pool_norm), pooled);
        let features = pooled_feature_count(pooled);
        self.add_exact(
            "pool_linear",
            Linear(&mut head.pool_linear),
            features,
            width,
        );
        self.add("norm", Affine(&mut head.norm), width);
        let outputs = self.add("out", Conv(&mut head.out), width);
        if let Some(pass) = &mut head.pass {
            let mut width = features;
            if let Some((hidden, _)) = &mut pass.hidden {
                width = self.add("pass.hidden", Linear(hidden), width);
            }
            self.add_exact("pass.out", Linear(&mut pass.out), width, outputs);
        }
    }

    fn value(&mut self, head: &'a mut ValueHead, channels: usize, readout: Readout) {
        self.prefix = "value".to_owned();
        let results = readout.result_outputs();
        match head {
            ValueHead::Pooled(head) => {
                let PooledValue {
                    conv,
                    norm,
                    hidden,
                    result,
                    score,
                    ownership,
                    ..
                } = &mut **head;
                let width = self.add("conv", Conv(conv), channels);
                self.add("norm", Affine(norm), width);
                let units = self.add("hidden", Linear(hidden), pooled_feature_count(width));
                self.add_exact("result", Linear(result), units, results);
                if let Some(score) = score {
                    self.add_exact("score", Linear(score), units, readout.score_outputs());
                }
                if let Some(ownership) = ownership {
                    self.add_exact("ownership", Conv(ownership), width, 1);
                }
            }
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let width = self.add("conv", Conv(conv), channels);
                self.add("norm", Affine(norm), width);
                let features = flattened_feature_count(width);
                let units = self.add("hidden", Linear(hidden), features);
                self.add_exact("result", Linear(result), units, results);
            }
        }
    }
}

/// Returns the number of globally pooled features of `channels` channels.
fn pooled_feature_count(channels: usize) -> usize {
    channels.saturating_mul(3)
}

/// Returns the number of inputs of a linear layer that reads `channels` channels of all points of a 19x19 board.
fn flattened_feature_count(channels: usize) -> usize {
    channels.saturating_mul(FLAT_AREA)
}
