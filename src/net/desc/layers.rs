//! The layers that networks are described with.

use serde::{Deserialize, Serialize};

/// A convolution over the board, zero beyond its edge, without bias.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conv {
    /// Rows of the kernel, odd.
    pub height: usize,
    /// Columns of the kernel, odd.
    pub width: usize,
    /// Channels in.
    pub inputs: usize,
    /// Channels out.
    pub outputs: usize,
    /// `[height, width, inputs, outputs]`
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A map of rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// Numbers in.
    pub inputs: usize,
    /// Numbers out.
    pub outputs: usize,
    /// Whether there is a bias.
    pub biased: bool,
    /// `[inputs, outputs]`
    #[serde(skip)]
    pub weights: Vec<f32>,
    /// `[outputs]`, or empty.
    #[serde(skip)]
    pub bias: Vec<f32>,
}

/// `scale * x + shift` for each channel: a batch norm with fixed statistics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Affine {
    /// Channels.
    pub channels: usize,
    /// `[channels]`
    #[serde(skip)]
    pub scale: Vec<f32>,
    /// `[channels]`
    #[serde(skip)]
    pub shift: Vec<f32>,
}

/// `weight * x / sqrt(mean(x^2) + epsilon) + shift`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RmsNorm {
    /// Channels.
    pub channels: usize,
    /// Keeps the root away from zero.
    pub epsilon: f32,
    /// Whether the mean is over the whole board rather than over the channels of each point.
    pub over_board: bool,
    /// Whether there is a shift.
    pub shifted: bool,
    /// `[channels]`
    #[serde(skip)]
    pub weight: Vec<f32>,
    /// `[channels]`, or empty.
    #[serde(skip)]
    pub shift: Vec<f32>,
}

/// A function of each number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// `x`
    Identity,
    /// `max(x, 0)`
    #[default]
    Relu,
    /// `x tanh(ln(1 + e^x))`
    Mish,
    /// `x / (1 + e^-x)`
    Silu,
}

/// Which features of a board are taken from each channel. With mean m over the board and side s = sqrt(points):
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// m, m (s - 14) / 10, maximum
    Max,
    /// m, m (s - 14) / 10, m ((s - 14)^2 / 100 - 0.1)
    Mean,
}

impl Conv {
    /// Of weights in the order in which most programs keep them, `[outputs, inputs, height, width]`.
    #[must_use]
    pub fn of_rows(
        weights: &[f32],
        outputs: usize,
        inputs: usize,
        [height, width]: [usize; 2],
    ) -> Self {
        Self {
            height,
            width,
            inputs,
            outputs,
            weights: turned(weights, outputs, inputs, height * width),
        }
    }
}

/// `[outputs, inputs, taps]` to `[taps, inputs, outputs]`.
#[must_use]
pub fn turned(weights: &[f32], outputs: usize, inputs: usize, taps: usize) -> Vec<f32> {
    let mut turned = Vec::with_capacity(weights.len());
    for tap in 0..taps {
        for input in 0..inputs {
            let of_input = weights[input * taps + tap..].iter();
            turned.extend(of_input.step_by(inputs * taps).take(outputs));
        }
    }
    turned
}

impl Activation {
    /// The most common activation is but a floor, which executors put under their results before they store them.
    #[must_use]
    pub fn floor(self) -> f32 {
        match self {
            Self::Relu => 0.0,
            _ => f32::NEG_INFINITY,
        }
    }
}

impl Affine {
    /// Folds a batch norm: its statistics, and its scale and shift.
    #[must_use]
    pub fn of_batch_norm(
        mean: &[f32],
        variance: &[f32],
        epsilon: f32,
        scale: &[f32],
        shift: &[f32],
    ) -> Self {
        let scale: Vec<f32> = scale
            .iter()
            .zip(variance)
            .map(|(scale, variance)| scale / (variance + epsilon).sqrt())
            .collect();
        let shift = shift
            .iter()
            .zip(mean)
            .zip(&scale)
            .map(|((shift, mean), scale)| shift - mean * scale)
            .collect();
        Self {
            channels: scale.len(),
            scale,
            shift,
        }
    }
}
