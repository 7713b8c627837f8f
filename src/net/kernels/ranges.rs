//! How large the numbers are that a network works with: what rounding them to integers has to know.

use pulp::{Simd, WithSimd};

use super::tiling::Source;
use super::winograd::{FREQUENCIES, SIDE, column_of, forth_line, half_forth};

/// The largest numbers in size that were seen of a network's transformed inputs, on some positions.
///
/// Plain numbers, 36 for each square convolution of 3x3 or 5x5 in the order in which they run, whatever the size of the
/// boards. They belong to the network's weights and to this program's way of transforming.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranges {
    numbers: Vec<f32>,
}

impl Ranges {
    /// Ranges as [`numbers`](Self::numbers) gave them.
    #[must_use]
    pub const fn new(numbers: Vec<f32>) -> Self {
        Self { numbers }
    }

    /// To be kept.
    #[must_use]
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Sees what `other` has seen, of the same network.
    pub fn join(&mut self, other: &Self) {
        for (convolution, largest) in other.numbers.as_chunks().0.iter().enumerate() {
            self.see(convolution, *largest);
        }
    }

    /// Those of a convolution; zeros, which say that nothing was seen, if there are none.
    pub(super) fn of(&self, convolution: usize) -> [f32; FREQUENCIES] {
        let (ranges, _) = self.numbers.as_chunks();
        ranges
            .get(convolution)
            .copied()
            .unwrap_or([0.0; FREQUENCIES])
    }

    /// Whether they are sizes, and those of so many convolutions.
    pub(super) fn fit(&self, convolutions: usize) -> bool {
        self.numbers.len() == convolutions * FREQUENCIES
            && self
                .numbers
                .iter()
                .all(|size| size.is_finite() && *size >= 0.0)
    }

    /// Sees more numbers of a convolution.
    pub(super) fn see(&mut self, convolution: usize, largest: [f32; FREQUENCIES]) {
        let first = convolution * FREQUENCIES;
        if self.numbers.len() < first + FREQUENCIES {
            self.numbers.resize(first + FREQUENCIES, 0.0);
        }
        let seen = self.numbers[first..].iter_mut();
        for (seen, size) in seen.zip(largest) {
            // What once was not a number stays none, which no network takes.
            if size > *seen || size.is_nan() {
                *seen = size;
            }
        }
    }
}

/// The input of a convolution, to be looked at as it is when it has been transformed.
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
        // Zero until a number is infinite or none: a maximum would forget that.
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
