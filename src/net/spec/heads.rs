//! Policy and value heads.

use serde::{Deserialize, Serialize};

use super::layers::{Activation, Affine, Conv, Linear};

/// Number of points of a 19x19 board, the only size that flat heads support.
pub const FLAT_AREA: usize = 19 * 19;

/// A policy head.
///
/// Output channel 0 contains the policy logits. Channel 1 (optional) contains the logits of the optimistic policy.
/// Channels 2 and 3 (optional) contain the value and the score of each move; they are not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PolicyHead {
    /// Head for boards of any size.
    Pooled(Box<PooledPolicy>),
    /// Head for 19x19 boards: convolution, norm, ReLU, and a linear layer from all outputs of the convolution
    /// (`[channels, points]`) to the logits of the points and the pass.
    Flat {
        conv: Conv,
        norm: Affine,
        out: Linear,
    },
}

impl PolicyHead {
    /// Returns the number of pass logits, or 0 if the network has no pass output.
    #[must_use]
    pub fn pass_outputs(&self) -> usize {
        match self {
            Self::Pooled(head) => head.pass.as_ref().map_or(0, |pass| pass.out.outputs),
            Self::Flat { .. } => 1,
        }
    }
}

/// Policy head with global pooling: `out(act(norm(conv(x) + pool_linear(g))))` for the points and `pass(g)` for the
/// pass, with `g = pooled(pool_act(pool_norm(pool_conv(x))))`. `pooled` is the same as in a
/// [`PoolingBlock`](super::blocks::PoolingBlock).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledPolicy {
    pub conv: Conv,
    pub pool_conv: Conv,
    pub pool_norm: Affine,
    pub pool_act: Activation,
    /// Linear layer from the pooled features to the channels of `conv`. Its output is added to every point.
    pub pool_linear: Linear,
    pub norm: Affine,
    pub act: Activation,
    /// Convolution to the logits of the points.
    pub out: Conv,
    /// Layers for the logits of the pass. `None` if the network has no pass output.
    pub pass: Option<PassHead>,
}

/// Layers from the pooled features to the logits of the pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassHead {
    /// Optional hidden layer with its activation.
    pub hidden: Option<(Linear, Activation)>,
    pub out: Linear,
}

/// A value head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[expect(clippy::large_enum_variant, reason = "a net has one head of a kind")]
pub enum ValueHead {
    /// Head for boards of any size.
    Pooled(Box<PooledValue>),
    /// Head for 19x19 boards: convolution, norm, ReLU, a linear layer from all outputs (`[channels, points]`) of the
    /// convolution to the hidden units, ReLU, and a linear layer to the result.
    Flat {
        conv: Conv,
        norm: Affine,
        hidden: Linear,
        result: Linear,
    },
}

impl ValueHead {
    #[must_use]
    pub fn result_outputs(&self) -> usize {
        match self {
            Self::Pooled(head) => head.result.outputs,
            Self::Flat { result, .. } => result.outputs,
        }
    }

    /// Returns the number of outputs for the score, or 0 if the network has none.
    #[must_use]
    pub fn score_outputs(&self) -> usize {
        match self {
            Self::Pooled(head) => head.score.as_ref().map_or(0, |score| score.outputs),
            Self::Flat { .. } => 0,
        }
    }
}

/// Value head with global pooling: `v = act(norm(conv(x)))`, `h = hidden_act(hidden(pooled(v)))`. `pooled` computes
/// three features per channel, see [`Pooling::Mean`](super::layers::Pooling::Mean).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledValue {
    pub conv: Conv,
    pub norm: Affine,
    pub act: Activation,
    pub hidden: Linear,
    pub hidden_act: Activation,
    /// Linear layer from `h` to the outputs for the result.
    pub result: Linear,
    /// Linear layer from `h` to the outputs for the score; [`Readout`](super::Readout) defines the meaning of these
    /// outputs. `None` if the network has no score output.
    pub score: Option<Linear>,
    /// Convolution from `v` to the ownership of each point before `tanh`. `None` if the network has no ownership
    /// output.
    pub ownership: Option<Conv>,
}
