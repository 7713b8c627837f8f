//! Vectorised activation functions, the softmax, and the exponential functions that they use.

use std::f32::consts::{LN_2, LOG2_E};

use pulp::Simd;
use pulp::bytemuck::Pod;

use super::vectors::{Vectors, mul_add, to_bf16};
use crate::net::spec::layers::Activation;

/// Lower limit to which [`exp`] clamps its input, so that the result is a normal number.
const EXP_MIN: f32 = -87.0;
/// Upper limit to which [`exp`] clamps its input, so that the result is finite.
const EXP_MAX: f32 = 88.0;
/// Lower limit to which [`exp2_nonpositive`] clamps its input, so that all intermediate results are normal numbers.
const EXP2_MIN: f32 = -125.0;
/// Rounding constant, 1.5 * 2^23. Adding it to a number with a magnitude below 2^22 rounds that number to the nearest
/// integer, which is then contained in the low bits of the sum.
pub const ROUNDING_CONSTANT: f32 = 12_582_912.0;
/// High part of ln 2. It has few significant bits, so that its product with an integer is exact.
const LN2_HIGH: f32 = 0.693_359_4;
/// Low part of ln 2, which is `ln 2 - LN2_HIGH`.
const LN2_LOW: f32 = -2.121_944_4e-4;

/// Returns `e^x` with an error of a few units in the last place. Clamps `x` to -87..=88. For NaN, the result is NaN or
/// a large number, depending on the instruction set.
///
/// Splits `x` into `n ln 2 + r` with an integer `n`, and computes `e^r` by its Taylor series. The first omitted term of
/// the series is below 6e-9.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |number: f32| simd.splat_f32s(number);
    let x = simd.max_f32s(simd.min_f32s(x, splat(EXP_MAX)), splat(EXP_MIN));
    let rounded = mul_add(simd, x, splat(LOG2_E), splat(ROUNDING_CONSTANT));
    let whole = simd.sub_f32s(rounded, splat(ROUNDING_CONSTANT));
    let rest = mul_add(simd, whole, splat(-LN2_HIGH), x);
    let rest = mul_add(simd, whole, splat(-LN2_LOW), rest);
    let mut sum = splat(1.0 / 5040.0);
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = mul_add(simd, sum, rest, splat(1.0 / factorial));
    }
    // The exponent bits of `2^n` contain `n + 127`.
    let bits = simd.transmute_u32s_f32s(rounded);
    let offset = simd.splat_u32s(127u32.wrapping_sub(ROUNDING_CONSTANT.to_bits()));
    let exponent = simd.add_u32s(bits, offset);
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(23));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

/// Returns `2^x` for `x <= 0`. The relative error is below 3.5e-6, which is less than the resolution of 16-bit results.
/// Inputs below -125 are treated as -125. NaN is propagated.
#[inline(always)]
pub fn exp2_nonpositive<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const SQUARE: f32 = LN_2 * LN_2;
    const CUBE: f32 = LN_2 * LN_2 * LN_2;
    // The first omitted term of the Taylor series is below 2.5e-6.
    const TERMS: [f32; 6] = [
        SQUARE * CUBE / 120.0,
        SQUARE * SQUARE / 24.0,
        CUBE / 6.0,
        SQUARE / 2.0,
        LN_2,
        1.0,
    ];
    let x = clamp_below(simd, x, simd.splat_f32s(EXP2_MIN));
    exp2_series(simd, x, TERMS)
}

/// Returns `2^x` with a relative error below 6e-5, for results in bfloat16. `x` is clamped to -126..=126.
#[inline(always)]
pub fn exp2_bf16<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const TERMS: [f32; 5] = [9.618_129e-3, 5.550_411e-2, 0.240_226_5, LN_2, 1.0];
    let x = simd.min_f32s(x, simd.splat_f32s(126.0));
    let x = simd.max_f32s(x, simd.splat_f32s(-126.0));
    exp2_series(simd, x, TERMS)
}

/// Returns `2^x` for `x` in -126..=126.
///
/// Splits `x` into `n + r` with an integer `n`, and computes `2^r` by the given terms of its Taylor series, highest power
/// first. The function needs at most two thirds of the operations of [`exp`].
#[inline(always)]
fn exp2_series<S: Simd, const TERMS: usize>(simd: S, x: S::f32s, terms: [f32; TERMS]) -> S::f32s {
    let round = simd.splat_f32s(ROUNDING_CONSTANT);
    let rounded = simd.add_f32s(x, round);
    let rest = simd.sub_f32s(x, simd.sub_f32s(rounded, round));
    let mut sum = simd.splat_f32s(terms[0]);
    for term in &terms[1..] {
        sum = mul_add(simd, sum, rest, simd.splat_f32s(*term));
    }
    // The series is between 0.7 and 1.5, so adding n to its exponent bits multiplies it by 2^n.
    let whole = simd.transmute_u32s_f32s(rounded);
    let exponent = simd.wrapping_dyn_shl_u32s(whole, simd.splat_u32s(23));
    simd.transmute_f32s_u32s(simd.add_u32s(simd.transmute_u32s_f32s(sum), exponent))
}

/// Returns `max(x, floor)`. Propagates NaN in `x`, so that overflow is detected.
#[inline(always)]
pub fn clamp_below<S: Simd>(simd: S, x: S::f32s, floor: S::f32s) -> S::f32s {
    match S::F32_LANES {
        // The scalar maximum in Rust ignores NaN if the other operand is a number.
        1 => simd.select_f32s(simd.less_than_f32s(x, floor), floor, x),
        // The x86-64 instruction returns the second operand if either is NaN; the ARM instruction returns NaN.
        _ => simd.max_f32s(floor, x),
    }
}

/// Number format of the output of a layer, a norm or attention: `f32`, or the bits of bfloat16 in `u16`. The format also
/// determines the accuracy of activations.
pub trait OutputElement: Pod {
    /// True if layers with this output apply the whole activation. Otherwise, they apply only its lower limit
    /// ([`Activation::lower_bound`]), and a separate step applies the rest.
    const FUSES_ACTIVATIONS: bool;

    fn from_f32(x: f32) -> Self;

    fn store<S: Vectors>(simd: S, to: &mut [Self], values: S::f32s);

    fn exp<S: Vectors>(simd: S, x: S::f32s) -> S::f32s;

    fn divide<S: Vectors>(simd: S, x: S::f32s, divisor: S::f32s) -> S::f32s;
}

impl OutputElement for f32 {
    const FUSES_ACTIVATIONS: bool = false;

    #[inline(always)]
    fn from_f32(x: f32) -> Self {
        x
    }

    #[inline(always)]
    fn store<S: Vectors>(_: S, to: &mut [Self], values: S::f32s) {
        S::as_mut_simd_f32s(to).0[0] = values;
    }

    #[inline(always)]
    fn exp<S: Vectors>(simd: S, x: S::f32s) -> S::f32s {
        exp(simd, x)
    }

    #[inline(always)]
    fn divide<S: Vectors>(simd: S, x: S::f32s, divisor: S::f32s) -> S::f32s {
        simd.div_f32s(x, divisor)
    }
}

/// Activations take half the instructions needed for `f32`.
impl OutputElement for u16 {
    const FUSES_ACTIVATIONS: bool = true;

    #[inline(always)]
    fn from_f32(x: f32) -> Self {
        to_bf16(x)
    }

    #[inline(always)]
    fn store<S: Vectors>(simd: S, to: &mut [Self], values: S::f32s) {
        simd.store_bf16(to, values);
    }

    #[inline(always)]
    fn exp<S: Vectors>(simd: S, x: S::f32s) -> S::f32s {
        let log2_e = simd.splat_f32s(LOG2_E);
        exp2_bf16(simd, simd.mul_f32s(x, log2_e))
    }

    #[inline(always)]
    fn divide<S: Vectors>(simd: S, x: S::f32s, divisor: S::f32s) -> S::f32s {
        simd.mul_f32s(x, simd.reciprocal(divisor))
    }
}

#[inline(always)]
pub fn activate<T: OutputElement, S: Vectors>(
    simd: S,
    activation: Activation,
    x: S::f32s,
) -> S::f32s {
    match activation {
        Activation::Identity => x,
        Activation::Relu => clamp_below(simd, x, simd.splat_f32s(0.0)),
        Activation::Mish => mish::<T, S>(simd, x),
        Activation::Silu => silu::<T, S>(simd, x),
    }
}

/// Computes `x tanh(ln(1 + e^x))` as `x n / (n + 2)` with `n = e^x (e^x + 2)`.
///
/// In `e^x`, `x` is capped at 20, because the quotient `n / (n + 2)` rounds to 1 for larger inputs.
#[inline(always)]
fn mish<T: OutputElement, S: Vectors>(simd: S, x: S::f32s) -> S::f32s {
    let two = simd.splat_f32s(2.0);
    let e = T::exp(simd, simd.min_f32s(x, simd.splat_f32s(20.0)));
    let n = simd.mul_f32s(e, simd.add_f32s(e, two));
    simd.mul_f32s(x, T::divide(simd, n, simd.add_f32s(n, two)))
}

/// Computes `x / (1 + e^-x)`.
#[inline(always)]
fn silu<T: OutputElement, S: Vectors>(simd: S, x: S::f32s) -> S::f32s {
    let e = T::exp(simd, simd.sub_f32s(simd.splat_f32s(0.0), x));
    T::divide(simd, x, simd.add_f32s(e, simd.splat_f32s(1.0)))
}

/// Number of rows of scores for which the softmax is best computed together. Each step of a maximum or a sum needs the
/// result of the step before, and processors compute such chains of several rows in the time of one.
pub const SOFTMAX_ROWS: usize = 4;

/// Replaces each score by its softmax numerator, `power(scale * (score - max))`, where `max` is the maximum of the row.
/// `scores` consists of `ROWS` rows. Returns the sum of the numerators of each row, which is NaN if a score is NaN.
///
/// The maximum is subtracted before scaling, so that no argument is above 0 and no numerator above 1.
#[inline(always)]
pub fn softmax_numerators<S: Simd, const ROWS: usize>(
    simd: S,
    scores: &mut [S::f32s],
    scale: f32,
    power: impl Fn(S::f32s) -> S::f32s,
) -> [f32; ROWS] {
    let length = scores.len() / ROWS;
    let mut max = [simd.splat_f32s(f32::NEG_INFINITY); ROWS];
    for index in 0..length {
        for row in 0..ROWS {
            max[row] = simd.max_f32s(max[row], scores[row * length + index]);
        }
    }
    for max in &mut max {
        *max = simd.splat_f32s(simd.reduce_max_f32s(*max));
    }
    let scale = simd.splat_f32s(scale);
    let mut sums = [simd.splat_f32s(0.0); ROWS];
    for index in 0..length {
        for row in 0..ROWS {
            let score = &mut scores[row * length + index];
            *score = power(simd.mul_f32s(simd.sub_f32s(*score, max[row]), scale));
            sums[row] = simd.add_f32s(sums[row], *score);
        }
    }
    // Each numerator is at most 1. A larger sum means that a score was NaN, for which `exp` may return a large number.
    let limit = 2.0 * (length * S::F32_LANES) as f32;
    let mut totals = [f32::NAN; ROWS];
    for (total, sum) in totals.iter_mut().zip(sums) {
        let sum = simd.reduce_sum_f32s(sum);
        if sum < limit {
            *total = sum;
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::isa::Isa;
    use crate::net::cpu::vectors::WithVectors;

    #[derive(Clone, Copy, Debug)]
    enum Curve {
        Exp,
        Exp2Approx,
        Exp2Bf16,
        Of(Activation),
        OfBf16(Activation),
    }

    struct Over<'a>(Curve, &'a mut [f32]);

    impl WithVectors for Over<'_> {
        type Output = ();

        #[inline(always)]
        fn with_vectors<S: Vectors>(self, simd: S) {
            let (vectors, rest) = S::as_mut_simd_f32s(self.1);
            assert!(rest.is_empty());
            for x in vectors {
                *x = match self.0 {
                    Curve::Exp => exp(simd, *x),
                    Curve::Exp2Approx => exp2_nonpositive(simd, *x),
                    Curve::Exp2Bf16 => exp2_bf16(simd, *x),
                    Curve::Of(activation) => activate::<f32, S>(simd, activation, *x),
                    Curve::OfBf16(activation) => activate::<u16, S>(simd, activation, *x),
                };
            }
        }
    }

    const ACTIVATIONS: [Activation; 4] = [
        Activation::Identity,
        Activation::Relu,
        Activation::Mish,
        Activation::Silu,
    ];

    #[test]
    fn what_is_not_a_number_stays_none() {
        let all = ACTIVATIONS.map(Curve::Of);
        for isa in Isa::available() {
            for curve in all.into_iter().chain([Curve::Exp2Approx]) {
                let mut ys = [f32::NAN; 16];
                isa.run(Over(curve, &mut ys));
                let name = isa.name();
                assert!(ys.iter().all(|y| y.is_nan()), "{name} {curve:?}");
            }
        }
    }

    /// Asserts that the relative error of `curve` for `xs` is below `max_error`, compared with `exact`, its
    /// double-precision version.
    #[track_caller]
    fn assert_near(curve: Curve, xs: &[f32], max_error: f64, exact: impl Fn(f64) -> f64) {
        for isa in Isa::available() {
            let mut ys = xs.to_vec();
            isa.run(Over(curve, &mut ys));
            for (x, y) in xs.iter().zip(ys) {
                let exact = exact(f64::from(*x));
                // Errors of results below 1e-30 are measured relative to 1e-30, because such results are negligible.
                let error = (f64::from(y) - exact).abs() / exact.abs().max(1e-30);
                let name = isa.name();
                assert!(error < max_error, "{name} {curve:?}({x}): {y}, not {exact}");
            }
        }
    }

    #[test]
    fn curves_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_000..44_000).map(|x| x as f32 / 512.0).collect();
        assert_near(Curve::Exp, &xs, 2e-6, f64::exp);
        assert_near(Curve::Exp2Bf16, &xs, 1e-4, f64::exp2);
        for activation in ACTIVATIONS {
            let exact = |x: f64| match activation {
                Activation::Identity => x,
                Activation::Relu => x.max(0.0),
                Activation::Mish => x * x.exp().ln_1p().tanh(),
                Activation::Silu => x / (1.0 + (-x).exp()),
            };
            assert_near(Curve::Of(activation), &xs, 2e-6, exact);
            assert_near(Curve::OfBf16(activation), &xs, 1e-4, exact);
        }
    }

    #[test]
    fn powers_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_799..=0).map(|x| x as f32 / 352.0).collect();
        assert_near(Curve::Exp2Approx, &xs, 3.5e-6, |x| x.max(-125.0).exp2());
        assert_near(Curve::Exp2Approx, &[0.0; 16], 1e-30, |_| 1.0);
        assert_near(Curve::Exp2Approx, &[f32::NEG_INFINITY; 16], 3.5e-6, |_| {
            (-125.0_f64).exp2()
        });
    }
}
