//! The blocks of a trunk.

use serde::{Deserialize, Serialize};

use super::layers::{Activation, Affine, Conv, Linear, RmsNorm};

/// One step of the trunk: it adds something to what comes in, so channels stay as many as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Block {
    /// Two convolutions with a norm and an activation before each.
    Ordinary(OrdinaryBlock),
    /// The same, and globally pooled features added to the first convolution.
    Pooling(PoolingBlock),
    /// Blocks on fewer channels between two convolutions.
    Nested(NestedBlock),
    /// Every point looks at every other.
    Attention(AttentionBlock),
    /// Each point for itself through a wide layer.
    FeedForward(FeedForwardBlock),
    /// Two convolutions with a norm after each; the activation follows the sum.
    PostActivation(PostActivationBlock),
}

/// `x + conv2(act2(norm2(conv1(act1(norm1(x))))))`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrdinaryBlock {
    /// Before the first convolution.
    pub norm1: Affine,
    /// After it.
    pub act1: Activation,
    /// The first convolution.
    pub conv1: Conv,
    /// Before the second.
    pub norm2: Affine,
    /// After it.
    pub act2: Activation,
    /// The second convolution.
    pub conv2: Conv,
}

/// `x + conv2(act2(norm2(conv1(r) + pool_linear(pooled(pool_act(pool_norm(pool_conv(r))))))))`, `r = act1(norm1(x))`;
/// pooled are the mean, the mean scaled by the board's side, and the maximum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolingBlock {
    /// Before the first convolutions.
    pub norm1: Affine,
    /// After it.
    pub act1: Activation,
    /// The first convolution.
    pub conv1: Conv,
    /// The convolution whose outputs are pooled.
    pub pool_conv: Conv,
    /// Before the pooling.
    pub pool_norm: Affine,
    /// After that norm.
    pub pool_act: Activation,
    /// From pooled features to what is added on every point.
    pub pool_linear: Linear,
    /// Before the second convolution.
    pub norm2: Affine,
    /// After it.
    pub act2: Activation,
    /// The second convolution.
    pub conv2: Conv,
}

/// `x + up(up_act(up_norm(blocks(down(down_act(down_norm(x)))))))`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedBlock {
    /// Before the first convolution.
    pub down_norm: Affine,
    /// After it.
    pub down_act: Activation,
    /// To the inner channels.
    pub down: Conv,
    /// On the inner channels.
    pub blocks: Vec<Block>,
    /// After the inner blocks.
    pub up_norm: Affine,
    /// After it.
    pub up_act: Activation,
    /// Back to the outer channels.
    pub up: Conv,
}

/// `x + out(attention(q, k, v))` of `norm(x)`: scaled dot products, a softmax over all points of the board. Several
/// query heads in a row share one head of keys and values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionBlock {
    /// Before the projections.
    pub norm: RmsNorm,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values; divides `heads`.
    pub kv_heads: usize,
    /// To `heads` queries.
    pub query: Linear,
    /// To `kv_heads` keys of the queries' width.
    pub key: Linear,
    /// To `kv_heads` values.
    pub value: Linear,
    /// From `heads` mixed values.
    pub out: Linear,
    /// How queries and keys are turned by where they stand.
    pub rotation: Rotation,
}

impl AttentionBlock {
    /// Pairs of channels in a head of queries.
    #[must_use]
    pub const fn pairs(&self) -> usize {
        match self.heads {
            0 => 0,
            heads => self.query.outputs / heads / 2,
        }
    }
}

/// Rotary position embedding: the pair of channels 2p, 2p + 1 of a head is turned by an angle that grows with the
/// column and the row, counted from the top left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// None.
    None,
    /// The first half of the pairs turns with the row, the second with the column, by `theta^(-2p / pairs)` a step.
    Fixed {
        /// The base.
        theta: f32,
    },
    /// By learnt angles.
    Learnt {
        /// `[kv_heads, pairs, 2]`: radians for a step along the row (to the next column) and down (to the next row).
        #[serde(skip)]
        angles: Vec<f32>,
    },
}

/// `x + out(silu(wide(norm(x))) * gate(norm(x)))`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedForwardBlock {
    /// Before the maps.
    pub norm: RmsNorm,
    /// To many channels.
    pub wide: Linear,
    /// What they are multiplied with.
    pub gate: Linear,
    /// Back to the trunk's channels.
    pub out: Linear,
}

/// `relu(x + norm2(conv2(relu(norm1(conv1(x))))))`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostActivationBlock {
    /// The first convolution.
    pub conv1: Conv,
    /// After it.
    pub norm1: Affine,
    /// The second convolution.
    pub conv2: Conv,
    /// After it.
    pub norm2: Affine,
}
