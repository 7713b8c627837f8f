//! Quantisation of floats to pairs of 16-bit integers.

use pulp::Simd;

use crate::net::cpu::activations::ROUND;
use crate::net::cpu::vectors::mul_add;

/// Scales two vectors by `scale`, clamps the results to `-limit..=limit` and rounds them to integers. Each lane of the
/// returned vector contains a pair: the integer from the first vector in the low half, and that from the second vector
/// in the high half.
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

/// Quantises like [`quantize_pair`], but without clamping. Instead, raises each lane of `peak` to at least the
/// distances of the lane's two rounded values from `-limit`, for a later check by [`exceeds`]. The distances are
/// unsigned numbers; those of values below `-limit` wrap around.
///
/// If a value does not fit into 16 bits, its pair contains arbitrary numbers. Tracking takes as many instructions as
/// clamping.
#[inline(always)]
pub fn quantize_pair_tracked<S: Simd>(
    simd: S,
    values: [S::f32s; 2],
    scale: S::f32s,
    limit: S::f32s,
    peak: &mut S::u32s,
) -> S::u32s {
    let round = simd.splat_f32s(ROUND);
    let lowest = simd.transmute_u32s_f32s(simd.sub_f32s(round, limit));
    let [low, high] = values.map(|value| {
        let value = mul_add(simd, value, scale, round);
        simd.transmute_u32s_f32s(value)
    });
    for bits in [low, high] {
        // Floats with the exponent of `ROUND` have consecutive bit patterns, so the difference is the distance. For all
        // other floats, the difference is larger than any permitted distance: it wraps around for smaller positive
        // floats, and the bit patterns of larger or negative floats, infinities and NaN are far above that of `ROUND`.
        *peak = simd.max_u32s(*peak, simd.sub_u32s(bits, lowest));
    }
    join(simd, low, high)
}

/// Returns true if any rounded value had a magnitude above `limit` or was NaN. `peak` must have been zero initially and
/// then passed to [`quantize_pair_tracked`] with every pair.
#[inline(always)]
pub fn exceeds<S: Simd>(simd: S, peak: S::u32s, limit: f32) -> bool {
    let beyond = simd.greater_than_u32s(peak, simd.splat_u32s(2 * (limit as u32)));
    simd.first_true_m32s(beyond) < S::F32_LANES
}

/// Quantises like [`quantize_pair`], but without clamping: the scaled values must fit into 16 bits.
#[inline(always)]
pub fn quantize_small_pair<S: Simd>(simd: S, values: [S::f32s; 2], scale: S::f32s) -> S::u32s {
    let round = simd.splat_f32s(ROUND);
    let [low, high] = values.map(|value| {
        let value = mul_add(simd, value, scale, round);
        simd.transmute_u32s_f32s(value)
    });
    join(simd, low, high)
}

/// Combines the low 16 bits of each lane of `low` with those of the same lane of `high` into a pair.
#[inline(always)]
fn join<S: Simd>(simd: S, low: S::u32s, high: S::u32s) -> S::u32s {
    let half = simd.splat_u32s(0xffff);
    let shifted = simd.wrapping_dyn_shl_u32s(high, simd.splat_u32s(16));
    simd.or_u32s(simd.and_u32s(low, half), shifted)
}

/// Returns the scaled, clamped and rounded value in the low 16 bits of each lane. The other bits are unspecified.
#[inline(always)]
fn bits<S: Simd>(simd: S, value: S::f32s, scale: S::f32s, limit: S::f32s) -> S::u32s {
    let round = simd.splat_f32s(ROUND);
    let value = mul_add(simd, value, scale, round);
    let value = simd.min_f32s(value, simd.add_f32s(round, limit));
    let value = simd.max_f32s(value, simd.sub_f32s(round, limit));
    simd.transmute_u32s_f32s(value)
}

/// Returns the scale that maps the largest magnitude of a row to `limit`, and the unit (the reciprocal of the scale).
///
/// Both are zero if the row is zero or too small for a normal scale. If the row contains NaN or an infinity, the scale
/// is zero and the unit is NaN, so that every product of the row is NaN.
#[inline(always)]
pub fn row_scale<S: Simd>(simd: S, row: impl Iterator<Item = S::f32s>, limit: f32) -> (f32, f32) {
    let zero = simd.splat_f32s(0.0);
    let (mut largest, mut mark) = (zero, zero);
    for x in row {
        largest = simd.max_f32s(largest, simd.abs_f32s(x));
        // Zero until a value is infinite or NaN, and NaN from then on. The maximum does not preserve such values.
        mark = mul_add(simd, x, zero, mark);
    }
    let unit = simd.reduce_max_f32s(largest) / limit;
    let mark = simd.reduce_sum_f32s(mark);
    match unit.recip() {
        _ if mark.is_nan() => (0.0, mark),
        scale if scale.is_normal() => (scale, unit),
        _ => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;
    use pulp::bytemuck::bytes_of;

    use super::*;
    use crate::net::cpu::isa::Isa;

    /// Quantisation of numbers with a scale of 1 and the given limit. Returns true if a number exceeds the limit.
    /// Asserts that all pairs before that number are the same as with clamping.
    struct Tracked<'a>(&'a [f32; 32], f32);

    impl WithSimd for Tracked<'_> {
        type Output = bool;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let Self(numbers, limit) = self;
            let (scale, limits) = (simd.splat_f32s(1.0), simd.splat_f32s(limit));
            let mut peak = simd.splat_u32s(0);
            for pair in S::as_simd_f32s(numbers).0.chunks_exact(2) {
                let pair = [pair[0], pair[1]];
                let tracked = quantize_pair_tracked(simd, pair, scale, limits, &mut peak);
                let clamped = quantize_pair(simd, pair, scale, limits);
                if !exceeds(simd, peak, limit) {
                    assert_eq!(bytes_of(&tracked), bytes_of(&clamped), "{numbers:?}");
                }
            }
            exceeds(simd, peak, limit)
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_detected() {
        for isa in Isa::available() {
            for limit in [20_000.0, 32_767.0] {
                let beyond = limit + 0.51;
                for (number, expected) in [
                    (limit, false),
                    (limit + 0.49, false),
                    (beyond, true),
                    (65_536.0, true),
                    (1e7, true),
                    (1e9, true),
                    (f32::MAX, true),
                    (f32::INFINITY, true),
                    (f32::NAN, true),
                ] {
                    for (place, number) in (0..32).flat_map(|at| [(at, number), (at, -number)]) {
                        let mut numbers: [f32; 32] = std::array::from_fn(|at| 7.3 * at as f32);
                        numbers[place] = number;
                        let found = isa.run(Tracked(&numbers, limit));
                        assert_eq!(found, expected, "{}: {number} of {limit}", isa.name());
                    }
                }
            }
        }
    }
}
