//! Softmax of attention scores.

use pulp::Simd;

/// Replaces each score by its softmax numerator, `power(scale * (score - max))`, and returns the sum of the numerators.
/// The sum is NaN if a score is NaN.
///
/// The maximum is subtracted before scaling, so that no argument is above 0 and no numerator above 1.
#[inline(always)]
pub fn softmax_numerators<S: Simd>(
    simd: S,
    scores: &mut [S::f32s],
    scale: f32,
    power: impl Fn(S::f32s) -> S::f32s,
) -> f32 {
    let mut max = simd.splat_f32s(f32::NEG_INFINITY);
    for score in scores.iter() {
        max = simd.max_f32s(max, *score);
    }
    let max = simd.splat_f32s(simd.reduce_max_f32s(max));
    let scale = simd.splat_f32s(scale);
    let mut sum = simd.splat_f32s(0.0);
    for score in scores.iter_mut() {
        *score = power(simd.mul_f32s(simd.sub_f32s(*score, max), scale));
        sum = simd.add_f32s(sum, *score);
    }
    sum_or_nan(simd.reduce_sum_f32s(sum), scores.len() * S::F32_LANES)
}

/// Returns `sum`, the sum of `count` softmax numerators, or NaN unless the sum is below `2 * count`.
///
/// Each numerator is at most 1. A sum that is too large means that a score was NaN, for which
/// [`exp`](super::activations::exp) may return a large number.
#[inline(always)]
pub fn sum_or_nan(sum: f32, count: usize) -> f32 {
    match sum < 2.0 * count as f32 {
        true => sum,
        false => f32::NAN,
    }
}
