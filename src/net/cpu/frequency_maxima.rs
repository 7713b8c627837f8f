//! Measurement of the ranges of Winograd-transformed activations.

use super::vectors::{Vectors, WithVectors, mul_add};
use super::winograd::tiling::TiledInput;
use super::winograd::{
    INPUT_TILE_SIDE, NUM_FREQUENCIES, input_transform_line, input_transform_rows, tile_column,
};

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
        // Zero until a value is infinite or NaN, and NaN from then on. Computing the maximum could discard such a
        // value.
        let mut mark = zero;
        for tile in source.tiling.tiles {
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
