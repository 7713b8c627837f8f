//! The one typed description of a network: its layers with their weights, whatever file they came from.
//!
//! Readers fill a [`NetDesc`] (from this engine's own files, KataGo's and Leela Zero's) and executors run it; neither
//! knows the other. Every reader ends with [`NetDesc::checked`], so that whoever holds a description need fear neither
//! layers that do not fit together nor numbers that are not finite.
//!
//! ```text
//!   planes ──▶ stem ──▶ block ... block ──▶ tip ──┬──▶ policy head ──▶ logits of points and pass
//!   globals ───▲                                  └──▶ value head ───▶ result, score, ownership ──▶ readout
//! ```
//!
//! Weights lie in the order in which rows of channels pass through them: `[taps, inputs, outputs]`, the outputs of one
//! input side by side, taps in reading order (rows from the top).

pub mod blocks;
pub mod check;
mod fingerprint;
pub mod heads;
pub mod layers;
pub mod walk;

use serde::{Deserialize, Serialize};

use blocks::Block;
use heads::{PolicyHead, ValueHead};
use layers::{Activation, Affine, Conv, Linear, RmsNorm};

/// A network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetDesc {
    /// What its file calls it.
    pub name: String,
    /// What its maker says of its making, if anything.
    pub note: Option<String>,
    /// How large the numbers inside are, if its file says: [`Ranges::numbers`](super::kernels::ranges::Ranges::numbers).
    #[serde(skip)]
    pub ranges: Option<Vec<f32>>,
    /// What it looks at.
    pub inputs: Inputs,
    /// From the input to the trunk.
    pub stem: Stem,
    /// The trunk's blocks in order.
    pub blocks: Vec<Block>,
    /// What both heads read is the trunk after this.
    pub tip: Tip,
    /// How likely each move is.
    pub policy: PolicyHead,
    /// Who wins.
    pub value: ValueHead,
    /// What the heads' numbers mean.
    pub readout: Readout,
}

/// Whose input planes a network takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Inputs {
    /// The first entries of this engine's own tables.
    Honinbo {
        /// Planes.
        planes: usize,
        /// Numbers for the whole board.
        globals: usize,
    },
    /// KataGo's.
    KataGo {
        /// Version of the inputs, 3 to 7.
        version: u8,
        /// Whether pass-alive areas are judged as if suicide were legal.
        suicide_areas: bool,
    },
    /// Leela Zero's 18 planes.
    LeelaZero,
}

impl Inputs {
    /// Number of planes.
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

    /// Numbers for the whole board.
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

/// The first layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stem {
    /// Of the planes.
    pub conv: Conv,
    /// Of the numbers for the whole board, added on every point; absent without such numbers.
    pub global: Option<Linear>,
    /// Of what is known about the players, added likewise; present in nets that imitate humans.
    pub profile: Option<ProfileEncoder>,
    /// After the sum; present where blocks take their input as it is, without a norm of their own.
    pub norm: Option<(Affine, Activation)>,
}

/// Three maps from a player's profile to the trunk, with an activation after each but the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileEncoder {
    /// The first map.
    pub first: Linear,
    /// After it.
    pub first_activation: Activation,
    /// The second map.
    pub second: Linear,
    /// After it.
    pub second_activation: Activation,
    /// To the trunk's channels.
    pub out: Linear,
}

/// The end of the trunk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Tip {
    /// Nothing more.
    Plain,
    /// A norm with fixed statistics.
    Affine {
        /// The norm.
        norm: Affine,
        /// After it.
        act: Activation,
    },
    /// A norm by the size of the activations.
    Rms {
        /// The norm.
        norm: RmsNorm,
        /// After it.
        act: Activation,
    },
}

/// What the numbers of the heads mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readout {
    /// `tanh` of one number is the expected result; the score is the lead in units of 20 points; `tanh` of ownership.
    Honinbo,
    /// Logits of win, loss and no result; the score's 1 to 6 numbers as of this version.
    KataGo(KataReadout),
    /// `tanh` of one number is the expected result.
    LeelaZero,
    /// The same for Black, whoever is to move: version 2 of Leela Zero's files, which ELF OpenGo's net comes in.
    LeelaZeroBlack,
}

/// What KataGo's value head says, by the version of its file: 1 number of the score (version 3), 2 (to 7), 4 (8) or 6.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KataReadout {
    /// Version of the file, 3 to 17.
    pub version: u8,
    /// Points that the expected score counts in.
    pub score_mean: f32,
    /// Points that its deviation counts in.
    pub score_deviation: f32,
    /// Points that the lead counts in.
    pub lead: f32,
    /// Turns that the variance of the time left counts in.
    pub variance_time: f32,
    /// Factor of the squared error of the value in the short term.
    pub value_error: f32,
    /// Factor of the squared error of the score in the short term.
    pub score_error: f32,
}
