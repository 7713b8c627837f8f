//! Layer types of network descriptions.

use serde::{Deserialize, Serialize};

use crate::net::error::NetError;

/// A 2-D convolution without a bias. Zero padding preserves the board size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conv {
    /// Number of rows of the kernel; must be odd.
    pub height: usize,
    /// Number of columns of the kernel; must be odd.
    pub width: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// Weights, `[height, width, inputs, outputs]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
}

/// A linear layer, `x * weights + bias`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    pub inputs: usize,
    pub outputs: usize,
    pub biased: bool,
    /// Weights, `[inputs, outputs]`.
    #[serde(skip)]
    pub weights: Vec<f32>,
    /// Bias, `[outputs]`; empty if the layer has none.
    #[serde(skip)]
    pub bias: Vec<f32>,
}

/// Affine transformation per channel, `scale * x + shift`: a batch norm with fixed statistics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Affine {
    pub channels: usize,
    #[serde(skip)]
    pub scale: Vec<f32>,
    #[serde(skip)]
    pub shift: Vec<f32>,
}

/// RMS norm: `weight * x / sqrt(mean(x^2) + epsilon) + shift`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RmsNorm {
    pub channels: usize,
    /// Number that is added to the mean square. Positive, so that the root is never zero.
    pub epsilon: f32,
    /// True if the mean covers all channels of all points of the board, false if it covers the channels of a single
    /// point.
    pub over_board: bool,
    pub shifted: bool,
    #[serde(skip)]
    pub weight: Vec<f32>,
    /// Shift, `[channels]`; empty if the norm has none.
    #[serde(skip)]
    pub shift: Vec<f32>,
}

/// Activation function, applied elementwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    #[default]
    Identity,
    /// `max(x, 0)`
    Relu,
    /// `x * tanh(ln(1 + e^x))`
    Mish,
    /// `x / (1 + e^-x)`
    Silu,
}

/// Kind of global pooling. Each kind computes three features per channel. In the formulas, `m` is the mean of the
/// channel over the board, and `s` is the square root of the number of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// `m`, `m (s - 14) / 10` and the maximum.
    Max,
    /// `m`, `m (s - 14) / 10` and `m ((s - 14)^2 / 100 - 0.1)`.
    Mean,
}

impl Conv {
    /// Creates a convolution from weights in PyTorch's layout, `[outputs, inputs, height, width]`.
    #[must_use]
    pub fn from_pytorch_layout(
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
            weights: transpose_to_outputs_last(weights, outputs, inputs, height * width),
        }
    }
}

/// Transposes weights from `[outputs, inputs, taps]` to `[taps, inputs, outputs]`.
#[must_use]
pub fn transpose_to_outputs_last(
    weights: &[f32],
    outputs: usize,
    inputs: usize,
    taps: usize,
) -> Vec<f32> {
    let mut transposed = Vec::with_capacity(weights.len());
    for tap in 0..taps {
        for input in 0..inputs {
            let of_input = weights[input * taps + tap..].iter();
            transposed.extend(of_input.step_by(inputs * taps).take(outputs));
        }
    }
    transposed
}

impl Activation {
    /// Returns true if the activation only applies the lower bound [`lower_bound`](Self::lower_bound), or has no effect.
    #[must_use]
    pub const fn is_clamp(self) -> bool {
        matches!(self, Self::Identity | Self::Relu)
    }

    /// Returns the lower bound that executors apply to results before they store them: 0 for `Relu`, negative infinity
    /// for all other activations. For `Relu`, the bound is the complete activation.
    #[must_use]
    pub fn lower_bound(self) -> f32 {
        match self {
            Self::Relu => 0.0,
            _ => f32::NEG_INFINITY,
        }
    }
}

impl Affine {
    /// Folds the statistics, scale and shift of a batch norm into an affine transformation.
    ///
    /// # Errors
    /// Returns [`NetError::Value`] with the given location if a variance is negative or a resulting scale or shift is
    /// not finite.
    pub fn from_batch_norm(
        location: &str,
        mean: &[f32],
        variance: &[f32],
        epsilon: f32,
        scale: &[f32],
        shift: &[f32],
    ) -> Result<Self, NetError> {
        const FINITE: &str = "norm statistics that give a finite scale and shift";
        let channels = scale.len();
        let mut norm = Self {
            channels,
            ..Self::default()
        };
        for index in 0..channels {
            let variance = variance[index];
            let scale = scale[index] / (variance + epsilon).sqrt();
            let shift = shift[index] - mean[index] * scale;
            let invalid = [
                (variance < 0.0, "variances of at least 0", variance),
                (!scale.is_finite(), FINITE, scale),
                (!shift.is_finite(), FINITE, shift),
            ];
            if let Some((_, expected, found)) = invalid.into_iter().find(|(is_met, ..)| *is_met) {
                return Err(NetError::Value {
                    location: location.to_owned(),
                    expected,
                    found,
                    index,
                });
            }
            norm.scale.push(scale);
            norm.shift.push(shift);
        }
        Ok(norm)
    }
}
