//! Traversal of the layers of a network. The visitor receives the path of each layer and the sizes that the
//! neighbouring layers require.
//!
//! The list of tensors, the checks, and the counts of weights and multiply-adds are all based on [`NetSpec::visit`].

use std::convert::Infallible;

use super::blocks::{
    AttentionBlock, Block, FeedForwardBlock, NestedBlock, OrdinaryBlock, PoolingBlock,
    PostActivationBlock, RotaryAngles,
};
use super::heads::{FLAT_AREA, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use super::layers::{Affine, Conv, Linear, RmsNorm};
use super::{Inputs, NetSpec, PROFILE_LEN, Readout, Stem, TrunkNorm};

/// A layer and its place in the network.
#[derive(Debug)]
pub struct Visit<'a> {
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
    Conv(&'a mut Conv),
    /// Linear layer applied once per board.
    Linear(&'a mut Linear),
    /// Linear layer applied to every point.
    PointLinear(&'a mut Linear),
    Affine(&'a mut Affine),
    RmsNorm(&'a mut RmsNorm),
    /// Attention between all points. Its projections are visited separately, as linear layers.
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
    /// Passes all layers to `visitor`, in the order in which the network uses them.
    ///
    /// The sizes in an unchecked description may contradict each other.
    ///
    /// # Errors
    /// Stops at the first error of `visitor` and returns it.
    pub fn visit<'a, E>(
        &'a mut self,
        visitor: &mut dyn FnMut(Visit<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut traversal = Traversal {
            path: Vec::new(),
            visitor,
        };
        let (inputs, readout) = (self.inputs, self.readout);
        let channels = traversal.within("stem", |t| t.stem(&mut self.stem, inputs))?;
        traversal.within("blocks", |t| t.blocks(&mut self.blocks, channels, 0))?;
        traversal.within("tip", |t| match &mut self.trunk_norm {
            TrunkNorm::None => Ok(channels),
            TrunkNorm::Affine { norm, .. } => t.layer("norm", norm, channels, None),
            TrunkNorm::Rms { norm, .. } => t.layer("norm", norm, channels, None),
        })?;
        traversal.within("policy", |t| t.policy(&mut self.policy, channels))?;
        traversal.within("value", |t| t.value(&mut self.value, channels, readout))?;
        Ok(())
    }

    /// Returns all tensors in the order in which the network uses them.
    pub fn tensors_mut(&mut self) -> Vec<TensorMut<'_>> {
        let mut tensors = Vec::new();
        let Ok(()) = self.visit::<Infallible>(&mut |visit| {
            visit.add_tensors(&mut tensors);
            Ok(())
        });
        tensors
    }

    /// Returns the number of parameters: the total length of all tensors.
    #[must_use]
    pub fn parameter_count(&mut self) -> usize {
        let lengths = self.tensors_mut().into_iter();
        lengths.map(|tensor| tensor.values.len()).sum()
    }

    /// Returns the number of multiply-adds per evaluation on a board with `area` points. Norms and activations are not
    /// counted.
    #[must_use]
    pub fn multiply_adds(&mut self, area: usize) -> usize {
        let mut sum = 0;
        let Ok(()) = self.visit::<Infallible>(&mut |visit| {
            sum += match visit.layer {
                LayerMut::Conv(conv) => area * conv.weights.len(),
                LayerMut::PointLinear(linear) => area * linear.weights.len(),
                LayerMut::Linear(linear) => linear.weights.len(),
                LayerMut::Attention(attention) => {
                    area * area * (attention.query + attention.output_width())
                }
                LayerMut::Affine(_) | LayerMut::RmsNorm(_) | LayerMut::Blocks { .. } => 0,
            };
            Ok(())
        });
        sum
    }
}

impl<'a> From<&'a mut Conv> for LayerMut<'a> {
    fn from(conv: &'a mut Conv) -> Self {
        Self::Conv(conv)
    }
}

/// Converts to [`LayerMut::Linear`], a linear layer applied once per board.
impl<'a> From<&'a mut Linear> for LayerMut<'a> {
    fn from(linear: &'a mut Linear) -> Self {
        Self::Linear(linear)
    }
}

impl<'a> From<&'a mut Affine> for LayerMut<'a> {
    fn from(norm: &'a mut Affine) -> Self {
        Self::Affine(norm)
    }
}

impl<'a> From<&'a mut RmsNorm> for LayerMut<'a> {
    fn from(norm: &'a mut RmsNorm) -> Self {
        Self::RmsNorm(norm)
    }
}

impl LayerMut<'_> {
    /// Returns the number of output channels, or 0 for a list of blocks.
    fn outputs(&self) -> usize {
        match self {
            Self::Conv(conv) => conv.outputs,
            Self::Linear(linear) | Self::PointLinear(linear) => linear.outputs,
            Self::Affine(norm) => norm.channels,
            Self::RmsNorm(norm) => norm.channels,
            Self::Attention(attention) => attention.output_width(),
            Self::Blocks { .. } => 0,
        }
    }
}

impl AttentionMut<'_> {
    /// Returns the total width of the attention-weighted values of all query heads.
    #[must_use]
    pub fn output_width(&self) -> usize {
        let width = self.value.checked_div(self.kv_heads).unwrap_or(0);
        self.heads.saturating_mul(width)
    }
}

impl<'a> Visit<'a> {
    /// Adds the tensors of the layer to `tensors`.
    fn add_tensors(self, tensors: &mut Vec<TensorMut<'a>>) {
        let path = self.path;
        let mut add = |part: &str, shape: &[usize], values: &'a mut Vec<f32>| {
            tensors.push(TensorMut {
                name: format!("{path}.{part}"),
                shape: shape.to_vec(),
                values,
            });
        };
        match self.layer {
            LayerMut::Conv(conv) => {
                let shape = [conv.height, conv.width, conv.inputs, conv.outputs];
                add("weights", &shape, &mut conv.weights);
            }
            LayerMut::Linear(linear) | LayerMut::PointLinear(linear) => {
                let shape = [linear.inputs, linear.outputs];
                add("weights", &shape, &mut linear.weights);
                if linear.biased {
                    add("bias", &[linear.outputs], &mut linear.bias);
                }
            }
            LayerMut::Affine(norm) => {
                add("scale", &[norm.channels], &mut norm.scale);
                add("shift", &[norm.channels], &mut norm.shift);
            }
            LayerMut::RmsNorm(norm) => {
                add("weight", &[norm.channels], &mut norm.weight);
                if norm.shifted {
                    add("shift", &[norm.channels], &mut norm.shift);
                }
            }
            LayerMut::Attention(attention) => {
                if let RotaryAngles::Learnt { angles } = attention.rotation {
                    add("angles", &[attention.kv_heads, attention.pairs, 2], angles);
                }
            }
            LayerMut::Blocks { .. } => {}
        }
    }
}

/// State of a traversal.
///
/// The method for each part of the network returns the number of output channels of that part. The return values of the
/// methods for the heads are not used.
struct Traversal<'v, 'a, E> {
    path: Vec<String>,
    visitor: &'v mut dyn FnMut(Visit<'a>) -> Result<(), E>,
}

impl<'a, E> Traversal<'_, 'a, E> {
    /// Calls `visit` with `part` appended to the path.
    fn within<T>(
        &mut self,
        part: &str,
        visit: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.path.push(part.to_owned());
        let result = visit(self)?;
        self.path.pop();
        Ok(result)
    }

    /// Calls the visitor for the layer at the current path.
    fn visit(
        &mut self,
        layer: LayerMut<'a>,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<(), E> {
        (self.visitor)(Visit {
            path: self.path.join("."),
            layer,
            inputs,
            outputs,
        })
    }

    fn layer(
        &mut self,
        part: &str,
        layer: impl Into<LayerMut<'a>>,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<usize, E> {
        let layer = layer.into();
        let width = layer.outputs();
        self.within(part, |t| t.visit(layer, inputs, outputs))?;
        Ok(width)
    }

    /// Visits a linear layer that is applied to every point.
    fn point_linear(
        &mut self,
        part: &str,
        linear: &'a mut Linear,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<usize, E> {
        self.layer(part, LayerMut::PointLinear(linear), inputs, outputs)
    }

    fn stem(&mut self, stem: &'a mut Stem, inputs: Inputs) -> Result<usize, E> {
        let channels = self.layer("conv", &mut stem.conv, inputs.planes(), None)?;
        if let Some(global) = &mut stem.global {
            self.layer("global", global, inputs.globals(), Some(channels))?;
        }
        if let Some(encoder) = &mut stem.profile {
            self.within("profile", |t| {
                let width = t.layer("first", &mut encoder.first, PROFILE_LEN, None)?;
                let width = t.layer("second", &mut encoder.second, width, None)?;
                t.layer("out", &mut encoder.out, width, Some(channels))
            })?;
        }
        if let Some((norm, _)) = &mut stem.norm {
            self.layer("norm", norm, channels, None)?;
        }
        Ok(channels)
    }

    fn blocks(
        &mut self,
        blocks: &'a mut [Block],
        channels: usize,
        depth: usize,
    ) -> Result<usize, E> {
        let count = blocks.len();
        self.visit(LayerMut::Blocks { count, depth }, channels, Some(channels))?;
        for (index, block) in blocks.iter_mut().enumerate() {
            self.within(&index.to_string(), |t| match block {
                Block::Ordinary(block) => t.ordinary(block, channels),
                Block::Pooling(block) => t.pooling(block, channels),
                Block::Nested(block) => t.nested(block, channels, depth),
                Block::Attention(block) => t.attention(block, channels),
                Block::FeedForward(block) => t.feed_forward(block, channels),
                Block::PostActivation(block) => t.post_activation(block, channels),
            })?;
        }
        Ok(channels)
    }

    fn ordinary(&mut self, block: &'a mut OrdinaryBlock, channels: usize) -> Result<usize, E> {
        self.layer("norm1", &mut block.norm1, channels, None)?;
        let width = self.layer("conv1", &mut block.conv1, channels, None)?;
        self.layer("norm2", &mut block.norm2, width, None)?;
        self.layer("conv2", &mut block.conv2, width, Some(channels))
    }

    fn pooling(&mut self, block: &'a mut PoolingBlock, channels: usize) -> Result<usize, E> {
        self.layer("norm1", &mut block.norm1, channels, None)?;
        let width = self.layer("conv1", &mut block.conv1, channels, None)?;
        let pooled = self.layer("pool_conv", &mut block.pool_conv, channels, None)?;
        self.layer("pool_norm", &mut block.pool_norm, pooled, None)?;
        let features = pooled_feature_count(pooled);
        self.layer("pool_linear", &mut block.pool_linear, features, Some(width))?;
        self.layer("norm2", &mut block.norm2, width, None)?;
        self.layer("conv2", &mut block.conv2, width, Some(channels))
    }

    fn nested(
        &mut self,
        block: &'a mut NestedBlock,
        channels: usize,
        depth: usize,
    ) -> Result<usize, E> {
        self.layer("down_norm", &mut block.down_norm, channels, None)?;
        let width = self.layer("down", &mut block.down, channels, None)?;
        self.within("blocks", |t| t.blocks(&mut block.blocks, width, depth + 1))?;
        self.layer("up_norm", &mut block.up_norm, width, None)?;
        self.layer("up", &mut block.up, width, Some(channels))
    }

    fn attention(&mut self, block: &'a mut AttentionBlock, channels: usize) -> Result<usize, E> {
        let pairs = block.channel_pairs_per_head();
        self.layer("norm", &mut block.norm, channels, None)?;
        let query = self.point_linear("query", &mut block.query, channels, None)?;
        let key = self.point_linear("key", &mut block.key, channels, None)?;
        let value = self.point_linear("value", &mut block.value, channels, None)?;
        let attention = AttentionMut {
            heads: block.heads,
            kv_heads: block.kv_heads,
            query,
            key,
            value,
            pairs,
            rotation: &mut block.rotation,
        };
        let width = attention.output_width();
        self.visit(LayerMut::Attention(attention), channels, Some(width))?;
        self.point_linear("out", &mut block.out, width, Some(channels))
    }

    fn feed_forward(
        &mut self,
        block: &'a mut FeedForwardBlock,
        channels: usize,
    ) -> Result<usize, E> {
        self.layer("norm", &mut block.norm, channels, None)?;
        let width = self.point_linear("wide", &mut block.wide, channels, None)?;
        self.point_linear("gate", &mut block.gate, channels, Some(width))?;
        self.point_linear("out", &mut block.out, width, Some(channels))
    }

    fn post_activation(
        &mut self,
        block: &'a mut PostActivationBlock,
        channels: usize,
    ) -> Result<usize, E> {
        let width = self.layer("conv1", &mut block.conv1, channels, None)?;
        self.layer("norm1", &mut block.norm1, width, None)?;
        self.layer("conv2", &mut block.conv2, width, Some(channels))?;
        self.layer("norm2", &mut block.norm2, channels, None)
    }

    fn policy(&mut self, head: &'a mut PolicyHead, channels: usize) -> Result<usize, E> {
        match head {
            PolicyHead::Pooled(head) => self.pooled_policy(head, channels),
            PolicyHead::Flat { conv, norm, out } => {
                let width = self.layer("conv", conv, channels, None)?;
                self.layer("norm", norm, width, None)?;
                self.layer(
                    "out",
                    out,
                    flattened_feature_count(width),
                    Some(FLAT_AREA + 1),
                )
            }
        }
    }

    fn pooled_policy(&mut self, head: &'a mut PooledPolicy, channels: usize) -> Result<usize, E> {
        let width = self.layer("conv", &mut head.conv, channels, None)?;
        let pooled = self.layer("pool_conv", &mut head.pool_conv, channels, None)?;
        self.layer("pool_norm", &mut head.pool_norm, pooled, None)?;
        let features = pooled_feature_count(pooled);
        self.layer("pool_linear", &mut head.pool_linear, features, Some(width))?;
        self.layer("norm", &mut head.norm, width, None)?;
        let outputs = self.layer("out", &mut head.out, width, None)?;
        let Some(pass) = &mut head.pass else {
            return Ok(outputs);
        };
        self.within("pass", |t| {
            let mut width = features;
            if let Some((hidden, _)) = &mut pass.hidden {
                width = t.layer("hidden", hidden, width, None)?;
            }
            t.layer("out", &mut pass.out, width, Some(outputs))
        })
    }

    fn value(
        &mut self,
        head: &'a mut ValueHead,
        channels: usize,
        readout: Readout,
    ) -> Result<usize, E> {
        match head {
            ValueHead::Pooled(head) => self.pooled_value(head, channels, readout),
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let width = self.layer("conv", conv, channels, None)?;
                self.layer("norm", norm, width, None)?;
                let width = self.layer("hidden", hidden, flattened_feature_count(width), None)?;
                self.layer("result", result, width, Some(readout.result_outputs()))
            }
        }
    }

    fn pooled_value(
        &mut self,
        head: &'a mut PooledValue,
        channels: usize,
        readout: Readout,
    ) -> Result<usize, E> {
        let width = self.layer("conv", &mut head.conv, channels, None)?;
        self.layer("norm", &mut head.norm, width, None)?;
        let hidden = self.layer(
            "hidden",
            &mut head.hidden,
            pooled_feature_count(width),
            None,
        )?;
        self.layer(
            "result",
            &mut head.result,
            hidden,
            Some(readout.result_outputs()),
        )?;
        if let Some(score) = &mut head.score {
            self.layer("score", score, hidden, Some(readout.score_outputs()))?;
        }
        if let Some(ownership) = &mut head.ownership {
            self.layer("ownership", ownership, width, Some(1))?;
        }
        Ok(hidden)
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
