//! Ranges of Winograd-transformed activations, used to quantise them to 16-bit integers.

use pulp::{Simd, WithSimd};

use super::tiling::Source;
use super::winograd::{FREQUENCIES, SIDE, column_of, forth_line, half_forth};

/// Largest absolute values of a network's transformed inputs, measured on sample positions.
///
/// Contains 36 numbers (one per Winograd frequency) for each square convolution with a 3x3 or 5x5 kernel, in execution
/// order, regardless of the board size. The ranges are valid only for the same network weights and the same Winograd
/// transform. A zero means that no value was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranges {
    numbers: Vec<f32>,
}

impl Ranges {
    /// Creates ranges from numbers returned by [`numbers`](Self::numbers).
    #[must_use]
    pub const fn new(numbers: Vec<f32>) -> Self {
        Self { numbers }
    }

    /// Returns all values, for example to store them.
    #[must_use]
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Merges the ranges of `other`, measured on the same network.
    pub fn join(&mut self, other: &Self) {
        for (convolution, largest) in other.numbers.as_chunks().0.iter().enumerate() {
            self.see(convolution, *largest);
        }
    }

    /// Returns the ranges of a convolution, or zeros if nothing was recorded for it.
    pub(super) fn of(&self, convolution: usize) -> [f32; FREQUENCIES] {
        let (ranges, _) = self.numbers.as_chunks();
        ranges
            .get(convolution)
            .copied()
            .unwrap_or([0.0; FREQUENCIES])
    }

    /// Returns true if all values are finite and not negative, and belong to exactly `convolutions` convolutions.
    pub(super) fn fit(&self, convolutions: usize) -> bool {
        self.numbers.len() == convolutions * FREQUENCIES
            && self
                .numbers
                .iter()
                .all(|size| size.is_finite() && *size >= 0.0)
    }

    /// Records further maxima of a convolution.
    pub(super) fn see(&mut self, convolution: usize, largest: [f32; FREQUENCIES]) {
        let first = convolution * FREQUENCIES;
        if self.numbers.len() < first + FREQUENCIES {
            self.numbers.resize(first + FREQUENCIES, 0.0);
        }
        let seen = self.numbers[first..].iter_mut();
        for (seen, size) in seen.zip(largest) {
            // NaN is never replaced; `fit` rejects it.
            if size > *seen || size.is_nan() {
                *seen = size;
            }
        }
    }
}

/// Measures the largest absolute value per frequency of a convolution's transformed input. All results are NaN if a
/// transformed value is infinite or NaN.
pub struct Observe<'a>(pub Source<'a>);

impl WithSimd for Observe<'_> {
    type Output = [f32; FREQUENCIES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self(source) = self;
        let vectors = source.stride / S::F32_LANES;
        let line = source.line() / S::F32_LANES;
        let from = S::as_simd_f32s(source.from).0;
        let zero = simd.splat_f32s(0.0);
        let mut largest = [zero; FREQUENCIES];
        // Zero until a value is infinite or NaN, which the maximum could discard; NaN from then on.
        let mut mark = zero;
        for tile in source.tiling.each() {
            let from = &from[source.corner(tile) * vectors..];
            for vector in 0..vectors {
                let half = half_forth(simd, &from[vector..], line, vectors);
                for column in 0..SIDE {
                    let line = forth_line(simd, column_of(&half, column));
                    for (row, number) in line.into_iter().enumerate() {
                        let largest = &mut largest[row * SIDE + column];
                        *largest = simd.max_f32s(*largest, simd.abs_f32s(number));
                        mark = simd.mul_add_e_f32s(number, zero, mark);
                    }
                }
            }
        }
        let mark = simd.reduce_sum_f32s(mark);
        largest.map(|largest| simd.reduce_max_f32s(largest) + mark)
    }
}
