//! Typed description of a network: its layers with their weights, independent of the file format.
//!
//! Readers create a [`NetSpec`] and executors run it; readers and executors do not depend on each other. Every reader
//! calls [`NetSpec::checked`] at the end. In a checked description, all layers fit together and all weights are finite.
//!
//! ```text
//!   planes ──▶ stem ──▶ block ... block ──▶ norm ─┬──▶ policy head ──▶ logits of points and pass
//!   globals ───▲                                  └──▶ value head ───▶ result, score, ownership ──▶ readout
//! ```
//!
//! Weights have the layout `[taps, inputs, outputs]`: the weights of the same tap and input are contiguous. The taps
//! are the elements of the kernel of a convolution, in row-major order. A linear layer has a single tap. Activations
//! have one row of channels per point.

pub mod blocks;
pub mod check;
mod fingerprint;
pub mod heads;
pub mod layer_list;
pub mod layers;

use serde::{Deserialize, Serialize};

use blocks::Block;
use heads::{PolicyHead, ValueHead};
use layers::{Activation, Affine, Conv, Linear, RmsNorm};

/// Number of values in a player profile. The profile describes the players and the game for networks that imitate human
/// players.
pub const PROFILE_LEN: usize = 192;

/// A network: layers, weights and metadata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSpec {
    /// Name stored in the file.
    pub name: String,
    /// The author's note about the training, if any.
    pub note: Option<String>,
    /// Calibration ranges stored in the file, if any: the values of
    /// [`CalibrationRanges`](super::calibration::CalibrationRanges).
    #[serde(skip)]
    pub ranges: Option<Vec<f32>>,
    pub inputs: Inputs,
    /// First layers, from the inputs to the trunk.
    pub stem: Stem,
    /// Blocks of the trunk, in order.
    pub blocks: Vec<Block>,
    /// Final norm of the trunk; both heads read its output.
    #[serde(rename = "tip")]
    pub trunk_norm: TrunkNorm,
    pub policy: PolicyHead,
    pub value: ValueHead,
    /// Meaning of the raw head outputs.
    pub readout: Readout,
}

impl NetSpec {
    #[must_use]
    pub fn channels(&self) -> usize {
        self.stem.conv.outputs
    }
}

/// Input format of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Inputs {
    /// This engine's inputs. A network uses the first `planes` planes and the first `globals` global inputs.
    Honinbo { planes: usize, globals: usize },
    KataGo {
        /// Version of KataGo's inputs, 3 to 7.
        version: u8,
        /// True if pass-alive areas are computed as if suicide were legal.
        suicide_areas: bool,
    },
    /// Leela Zero's 18 planes.
    LeelaZero,
}

impl Inputs {
    #[must_use]
    pub const fn planes(self) -> usize {
        match self {
            Self::Honinbo { planes, .. } => planes,
            Self::KataGo { version, .. } => match version {
                5 => 13,
                _ => 22,
            },
            Self::LeelaZero => 18,
        }
    }

    #[must_use]
    pub const fn globals(self) -> usize {
        match self {
            Self::Honinbo { globals, .. } => globals,
            Self::KataGo { version, .. } => match version {
                ..=4 => 14,
                5 => 12,
                6 => 16,
                _ => 19,
            },
            Self::LeelaZero => 0,
        }
    }
}

/// First layers of a network: the sum of the outputs of `conv`, `global` and `profile`, followed by `norm`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stem {
    /// Convolution that reads the input planes.
    pub conv: Conv,
    /// Linear layer for the global inputs. Its output is added to every point. `None` if there are no global inputs.
    pub global: Option<Linear>,
    /// Encoder of the player profile. Its output is added to every point. Present only in networks that imitate human
    /// players.
    pub profile: Option<ProfileEncoder>,
    /// Norm and activation after the sum. Present only in networks with blocks that do not normalise their input.
    pub norm: Option<(Affine, Activation)>,
}

/// Three linear layers that map a player profile to the channels of the trunk, with activations after the first two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileEncoder {
    pub first: Linear,
    pub first_activation: Activation,
    pub second: Linear,
    pub second_activation: Activation,
    pub out: Linear,
}

/// Final norm and activation of the trunk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TrunkNorm {
    #[serde(rename = "plain")]
    None,
    /// Batch norm with fixed statistics.
    Affine {
        /// Folded statistics, scale and shift of the batch norm.
        norm: Affine,
        act: Activation,
    },
    Rms {
        /// Norm over the channels of each point, or over all channels of the whole board.
        norm: RmsNorm,
        act: Activation,
    },
}

/// Meaning of the raw head outputs. The outputs are from the perspective of the player to move, except the result of
/// [`LeelaZeroBlack`](Self::LeelaZeroBlack).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readout {
    /// This engine's networks: the expected result is `tanh` of a single output, and the score output is the lead in
    /// units of 20 points.
    Honinbo,
    /// KataGo's networks: the outputs for the result are the logits of win, loss and no result. The number of score
    /// outputs (1 to 6) depends on the version.
    KataGo(KataReadout),
    /// Leela Zero's networks: the expected result is `tanh` of a single output.
    LeelaZero,
    /// Like `LeelaZero`, but the result is always from Black's perspective: version 2 of Leela Zero's files, used by
    /// ELF OpenGo.
    LeelaZeroBlack,
}

impl Readout {
    #[must_use]
    pub const fn result_outputs(self) -> usize {
        match self {
            Self::Honinbo | Self::LeelaZero | Self::LeelaZeroBlack => 1,
            Self::KataGo(_) => 3,
        }
    }

    /// Returns the number of outputs for the score. This is 1 for this engine's networks, although they may lack the
    /// score output.
    #[must_use]
    pub const fn score_outputs(self) -> usize {
        match self {
            Self::Honinbo => 1,
            Self::LeelaZero | Self::LeelaZeroBlack => 0,
            Self::KataGo(KataReadout { version, .. }) => match version {
                ..=3 => 1,
                4..=7 => 2,
                8 => 4,
                9.. => 6,
            },
        }
    }
}

/// Version and output multipliers of a KataGo network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KataReadout {
    /// Version of the file, 3 to 17.
    pub version: u8,
    /// Multiplier of the expected score, in points.
    pub score_mean: f32,
    /// Multiplier of the standard deviation of the score, in points.
    pub score_deviation: f32,
    /// Multiplier of the lead, in points.
    pub lead: f32,
    /// Multiplier of the expected number of turns until the winner is clear (KataGo's `varTimeLeft`).
    pub variance_time: f32,
    /// Multiplier of the squared short-term error of the value.
    pub value_error: f32,
    /// Multiplier of the squared short-term error of the score.
    pub score_error: f32,
}
