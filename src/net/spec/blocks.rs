//! Blocks of the trunk.

use serde::{Deserialize, Serialize};

use super::layers::{Activation, Affine, Conv, Linear, RmsNorm};

/// A block of the trunk. Every kind has a residual connection and preserves the number of channels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Block {
    /// Two convolutions, each preceded by a norm and an activation.
    Ordinary(OrdinaryBlock),
    /// An ordinary block that also adds globally pooled features to the output of its first convolution.
    Pooling(PoolingBlock),
    /// Bottleneck: inner blocks on fewer channels, between two convolutions.
    Nested(NestedBlock),
    /// Self-attention between all points of the board.
    Attention(AttentionBlock),
    /// Gated linear layers applied to each point separately.
    FeedForward(FeedForwardBlock),
    /// Two convolutions, each followed by a norm and a ReLU. The input is added before the second ReLU.
    PostActivation(PostActivationBlock),
}

/// Ordinary block: `x + conv2(act2(norm2(conv1(act1(norm1(x))))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrdinaryBlock {
    pub norm1: Affine,
    pub act1: Activation,
    pub conv1: Conv,
    pub norm2: Affine,
    pub act2: Activation,
    pub conv2: Conv,
}

/// Pooling block: `x + conv2(act2(norm2(conv1(r) + pool_linear(pooled(pool_act(pool_norm(pool_conv(r))))))))` with
/// `r = act1(norm1(x))`. `pooled` computes three features per channel, see
/// [`Pooling::Max`](super::layers::Pooling::Max).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolingBlock {
    pub norm1: Affine,
    pub act1: Activation,
    pub conv1: Conv,
    pub pool_conv: Conv,
    pub pool_norm: Affine,
    pub pool_act: Activation,
    /// Linear layer from the pooled features to the channels of `conv1`. Its output is added to every point.
    pub pool_linear: Linear,
    pub norm2: Affine,
    pub act2: Activation,
    pub conv2: Conv,
}

/// Nested block: `x + up(up_act(up_norm(blocks(down(down_act(down_norm(x)))))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedBlock {
    pub down_norm: Affine,
    pub down_act: Activation,
    /// Convolution from the trunk's channels to the inner channels.
    pub down: Conv,
    pub blocks: Vec<Block>,
    pub up_norm: Affine,
    pub up_act: Activation,
    /// Convolution from the inner channels to the trunk's channels.
    pub up: Conv,
}

/// Self-attention: `x + out(attention(q, k, v))`, where `q`, `k` and `v` are projections of `norm(x)`.
///
/// The attention scores are scaled dot products, to which a softmax over all points of the board is applied. Each group
/// of `heads / kv_heads` consecutive query heads shares one key head and one value head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionBlock {
    pub norm: RmsNorm,
    pub heads: usize,
    /// Number of key and value heads; must divide `heads`.
    pub kv_heads: usize,
    /// Projection to `heads` queries.
    pub query: Linear,
    /// Projection to `kv_heads` keys of the same width as the queries.
    pub key: Linear,
    /// Projection to `kv_heads` values.
    pub value: Linear,
    /// Projection from `heads` attention-weighted values to the trunk's channels.
    pub out: Linear,
    /// Rotary embedding of queries and keys.
    pub rotation: RotaryAngles,
}

impl AttentionBlock {
    /// Returns the number of channel pairs in a query head, or 0 if there are no heads.
    #[must_use]
    pub const fn channel_pairs_per_head(&self) -> usize {
        match self.heads {
            0 => 0,
            heads => self.query.outputs / heads / 2,
        }
    }
}

/// Rotary position embedding. Channels `2p` and `2p + 1` of a head are rotated by an angle that is linear in the column
/// and the row of the point, counted from the top left corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RotaryAngles {
    None,
    /// Fixed angles. The first half of the pairs is rotated by `row * step`, the second half by `column * step`, where
    /// `step = theta^(-2i / pairs)` radians and `i` is the index of a pair within its half.
    Fixed {
        /// Base of the powers that define the steps.
        theta: f32,
    },
    Learnt {
        /// Radians per column and radians per row, `[kv_heads, pairs, 2]`.
        #[serde(skip)]
        angles: Vec<f32>,
    },
}

impl RotaryAngles {
    /// Returns the rotation angles of a pair of a key head in radians: per column to the right and per row downwards. A
    /// head has `pairs` pairs.
    #[must_use]
    pub fn angle_steps(&self, head: usize, pair: usize, pairs: usize) -> (f32, f32) {
        match self {
            Self::None => (0.0, 0.0),
            Self::Fixed { theta } => {
                let angle = |pair: usize| theta.powf(-2.0 * pair as f32 / pairs as f32);
                match pair.checked_sub(pairs / 2) {
                    None => (0.0, angle(pair)),
                    Some(pair) => (angle(pair), 0.0),
                }
            }
            Self::Learnt { angles } => {
                let at = 2 * (head * pairs + pair);
                (angles[at], angles[at + 1])
            }
        }
    }
}

/// Gated feed-forward block: `x + out(silu(wide(norm(x))) * gate(norm(x)))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedForwardBlock {
    pub norm: RmsNorm,
    pub wide: Linear,
    /// Linear layer to the gates, by which the hidden units are multiplied.
    pub gate: Linear,
    pub out: Linear,
}

/// Block with a norm after each convolution: `relu(x + norm2(conv2(relu(norm1(conv1(x))))))`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostActivationBlock {
    pub conv1: Conv,
    pub norm1: Affine,
    pub conv2: Conv,
    pub norm2: Affine,
}
