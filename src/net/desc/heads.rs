//! The heads: how likely each move is, and who wins.

use serde::{Deserialize, Serialize};

use super::layers::{Activation, Affine, Conv, Linear};

/// A policy head. Channels: how likely each move is; from two on, the same for a player who hopes for surprises; two
/// more hold the value and the score of each move and are not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PolicyHead {
    /// For boards of any size.
    Pooled(Box<PooledPolicy>),
    /// For 19x19 alone: a norm and an activation after the convolution, then a map from all its outputs (`[channels,
    /// points]`) to the points and the pass.
    Flat {
        /// The convolution.
        conv: Conv,
        /// After it.
        norm: Affine,
        /// To points and pass.
        out: Linear,
    },
}

/// `out(act(norm(conv(x) + pool_linear(g))))` on the points and `pass(g)`, `g =
/// pooled(pool_act(pool_norm(pool_conv(x))))`; pooled as in a [`PoolingBlock`](super::blocks::PoolingBlock).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledPolicy {
    /// Of the points.
    pub conv: Conv,
    /// Of what is pooled.
    pub pool_conv: Conv,
    /// Before the pooling.
    pub pool_norm: Affine,
    /// After that norm.
    pub pool_act: Activation,
    /// From pooled features to what is added on every point.
    pub pool_linear: Linear,
    /// After the sum.
    pub norm: Affine,
    /// After it.
    pub act: Activation,
    /// Logits of the points.
    pub out: Conv,
    /// Logits of the pass, if it is rated.
    pub pass: Option<PassHead>,
}

/// From pooled features to the logits of the pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassHead {
    /// A layer between, with its activation.
    pub hidden: Option<(Linear, Activation)>,
    /// The logits.
    pub out: Linear,
}

/// A value head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[expect(clippy::large_enum_variant, reason = "a net has one head of a kind")]
pub enum ValueHead {
    /// For boards of any size.
    Pooled(Box<PooledValue>),
    /// For 19x19 alone: norm and activation after the convolution, then two maps, of all its outputs (`[channels,
    /// points]`) and of the hidden units, with an activation between.
    Flat {
        /// The convolution.
        conv: Conv,
        /// After it.
        norm: Affine,
        /// To the hidden units.
        hidden: Linear,
        /// The result.
        result: Linear,
    },
}

/// `v = act(norm(conv(x)))`, `h = hidden_act(hidden(pooled(v)))`; pooled are the mean, the mean scaled by the board's
/// side, and by its square.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledValue {
    /// Of the points.
    pub conv: Conv,
    /// After it.
    pub norm: Affine,
    /// After that.
    pub act: Activation,
    /// To the hidden units.
    pub hidden: Linear,
    /// After them.
    pub hidden_act: Activation,
    /// Of the hidden units: the result.
    pub result: Linear,
    /// Of the hidden units: score and more, as `Readout` says.
    pub score: Option<Linear>,
    /// Of `v`: who owns each point.
    pub ownership: Option<Conv>,
}
