//! Quantisation of floats to pairs of 16-bit integers.

use pulp::Simd;

use crate::net::cpu::activations::ROUND;

/// Scales two vectors by `scale`, clamps them to `-limit..=limit`, and rounds them to pairs of integers.
#[inline(always)]
pub fn quantize_pair<S: Simd>(
    simd: S,
    values: [S::f32s; 2],
    scale: S::f32s,
    limit: S::f32s,
) -> S::u32s {
    let [low, high] = values;
    let low = bits(simd, low, scale, limit);
    let high = bits(simd, high, scale, limit);
    join(simd, low, high)
}

/// Like [`quantize_pair`], but without clamping: the scaled values must fit into 16 bits.
#[inline(always)]
pub fn quantize_small_pair<S: Simd>(simd: S, values: [S::f32s; 2], scale: S::f32s) -> S::u32s {
    let round = simd.splat_f32s(ROUND);
    let [low, high] = values.map(|value| {
        let value = simd.mul_add_e_f32s(value, scale, round);
        simd.transmute_u32s_f32s(value)
    });
    join(simd, low, high)
}

/// Combines the low halves of `low` and `high` into pairs.
#[inline(always)]
fn join<S: Simd>(simd: S, low: S::u32s, high: S::u32s) -> S::u32s {
    let half = simd.splat_u32s(0xffff);
    let shifted = simd.wrapping_dyn_shl_u32s(high, simd.splat_u32s(16));
    simd.or_u32s(simd.and_u32s(low, half), shifted)
}

/// Returns bits with the scaled, clamped and rounded value in the low half.
#[inline(always)]
fn bits<S: Simd>(simd: S, value: S::f32s, scale: S::f32s, limit: S::f32s) -> S::u32s {
    let round = simd.splat_f32s(ROUND);
    let value = simd.mul_add_e_f32s(value, scale, round);
    let value = simd.min_f32s(value, simd.add_f32s(round, limit));
    let value = simd.max_f32s(value, simd.sub_f32s(round, limit));
    simd.transmute_u32s_f32s(value)
}

/// Returns the scale that maps the largest magnitude of a row to `limit`, and the unit (the reciprocal of the scale).
///
/// Returns zeros if the row is zero or too small for a normal scale. If the row contains NaN or an infinity, the unit
/// is NaN, and so is every product of the row.
#[inline(always)]
pub fn row_scale<S: Simd>(simd: S, row: impl Iterator<Item = S::f32s>, limit: f32) -> (f32, f32) {
    let zero = simd.splat_f32s(0.0);
    let (mut largest, mut mark) = (zero, zero);
    for x in row {
        largest = simd.max_f32s(largest, simd.abs_f32s(x));
        // Zero until a value is infinite or NaN, and NaN from then on. The maximum does not preserve such values.
        mark = simd.mul_add_e_f32s(x, zero, mark);
    }
    let unit = simd.reduce_max_f32s(largest) / limit;
    let mark = simd.reduce_sum_f32s(mark);
    match unit.recip() {
        _ if mark.is_nan() => (0.0, mark),
        scale if scale.is_normal() => (scale, unit),
        _ => (0.0, 0.0),
    }
}
