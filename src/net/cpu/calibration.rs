//! Calibration: the ranges of Winograd-transformed activations, used to quantise them to 16-bit integers.

use super::vectors::{Vectors, WithVectors, mul_add};
use super::winograd::tiling::TiledInput;
use super::winograd::{
    INPUT_TILE_SIDE, NUM_FREQUENCIES, input_transform_line, input_transform_rows, tile_column,
};

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
    pub(super) fn of_convolution(&self, convolution: usize) -> [f32; NUM_FREQUENCIES] {
        let (ranges, _) = self.values.as_chunks();
        ranges
            .get(convolution)
            .copied()
            .unwrap_or([0.0; NUM_FREQUENCIES])
    }

    /// Returns true if there are values for exactly `convolutions` convolutions, all of them finite and non-negative.
    pub(super) fn is_valid_for(&self, convolutions: usize) -> bool {
        self.values.len() == convolutions * NUM_FREQUENCIES && self.count_invalid() == 0
    }

    /// Returns the number of values that are negative, infinite or NaN.
    pub(super) fn count_invalid(&self) -> usize {
        let is_valid = |size: &&f32| size.is_finite() && **size >= 0.0;
        self.values.len() - self.values.iter().filter(is_valid).count()
    }

    /// Raises the ranges of a convolution to at least `largest`. Any NaN in `largest` is recorded permanently.
    pub(super) fn record(&mut self, convolution: usize, largest: [f32; NUM_FREQUENCIES]) {
        let first = convolution * NUM_FREQUENCIES;
        if self.values.len() < first + NUM_FREQUENCIES {
            self.values.resize(first + NUM_FREQUENCIES, 0.0);
        }
        let recorded = self.values[first..].iter_mut();
        for (recorded, size) in recorded.zip(largest) {
            // NaN is never replaced; `is_valid_for` rejects it.
            if size > *recorded || size.is_nan() {
                *recorded = size;
            }
        }
    }
}

/// Computation of the largest absolute value of each frequency in a convolution's transformed input. All results are
/// NaN if any transformed value is infinite or NaN.
pub struct FrequencyMaxima<'a>(pub TiledInput<'a>);

impl WithVectors for FrequencyMaxima<'_> {
    type Output = [f32; NUM_FREQUENCIES];

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) -> Self::Output {
        let Self(source) = self;
        let vectors = source.stride / S::F32_LANES;
        let row_stride = source.row_stride() / S::F32_LANES;
        let from = S::as_simd_f32s(source.from).0;
        let zero = simd.splat_f32s(0.0);
        let mut largest = [zero; NUM_FREQUENCIES];
        // Zero until a value is infinite or NaN, and NaN from then on. The maximum alone could discard such a value.
        let mut mark = zero;
        for tile in source.tiling.iter() {
            let from = &from[source.first_cell(tile) * vectors..];
            for vector in 0..vectors {
                let half = input_transform_rows(simd, &from[vector..], row_stride, vectors);
                for column in 0..INPUT_TILE_SIDE {
                    let line = input_transform_line(simd, tile_column(&half, column));
                    for (row, value) in line.into_iter().enumerate() {
                        let largest = &mut largest[row * INPUT_TILE_SIDE + column];
                        *largest = simd.max_f32s(*largest, simd.abs_f32s(value));
                        mark = mul_add(simd, value, zero, mark);
                    }
                }
            }
        }
        let mark = simd.reduce_sum_f32s(mark);
        largest.map(|largest| simd.reduce_max_f32s(largest) + mark)
    }
}
