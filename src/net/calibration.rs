//! Calibration: the ranges of Winograd-transformed activations, used to quantise them to 16-bit integers.

use super::error::NetError;

/// Number of ranges per convolution: one for each Winograd frequency.
pub const RANGES_PER_CONVOLUTION: usize = 36;

/// Largest absolute values of the Winograd-transformed inputs of a network's convolutions, measured on sample
/// positions.
///
/// Contains 36 numbers (one per Winograd frequency) for each convolution with a 3x3 or 5x5 kernel, in execution order.
/// This includes convolutions that are computed directly on some board sizes. The ranges are valid only for the same
/// network weights and the same Winograd transform. A zero means that no value was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationRanges {
    values: Vec<f32>,
}

impl CalibrationRanges {
    /// Creates ranges from values returned by [`values`](Self::values).
    #[must_use]
    pub const fn new(values: Vec<f32>) -> Self {
        Self { values }
    }

    /// Returns all values, for example to store them.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Raises each range to the corresponding range of `other` if the latter is larger. Both must have been measured on
    /// the same network.
    pub fn merge(&mut self, other: &Self) {
        for (convolution, largest) in other.values.as_chunks().0.iter().enumerate() {
            self.record(convolution, *largest);
        }
    }

    /// Returns the ranges of a convolution, or zeros if nothing was recorded for it.
    pub fn of_convolution(&self, convolution: usize) -> [f32; RANGES_PER_CONVOLUTION] {
        let ranges = self.values.as_chunks().0.get(convolution);
        ranges.copied().unwrap_or([0.0; RANGES_PER_CONVOLUTION])
    }

    /// Checks that there are ranges for exactly `convolutions` convolutions, all of them finite and non-negative.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] otherwise.
    pub fn check(&self, convolutions: usize) -> Result<(), NetError> {
        let is_invalid = |size: &&f32| !size.is_finite() || **size < 0.0;
        let expected = convolutions * RANGES_PER_CONVOLUTION;
        let found = self.values.len();
        match self.values.iter().filter(is_invalid).count() {
            0 if found == expected => Ok(()),
            invalid => Err(NetError::Ranges {
                expected,
                found,
                invalid,
            }),
        }
    }

    /// Raises the ranges of a convolution to at least `largest`. Any NaN in `largest` is recorded permanently.
    pub fn record(&mut self, convolution: usize, largest: [f32; RANGES_PER_CONVOLUTION]) {
        let first = convolution * RANGES_PER_CONVOLUTION;
        if self.values.len() < first + RANGES_PER_CONVOLUTION {
            self.values.resize(first + RANGES_PER_CONVOLUTION, 0.0);
        }
        let recorded = self.values[first..].iter_mut();
        for (recorded, size) in recorded.zip(largest) {
            // NaN is never replaced; `check` rejects it.
            if size > *recorded || size.is_nan() {
                *recorded = size;
            }
        }
    }
}
