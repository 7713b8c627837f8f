//! Activations that are no mere floor, and the exponential they are made of, on vectors.

use pulp::Simd;

use crate::net::desc::layers::Activation;

/// The exponential stays a normal number within these.
const LEAST: f32 = -87.0;
const MOST: f32 = 88.0;
/// The least power of two whose parts all stay normal numbers.
const LEAST_POWER: f32 = -125.0;
/// Adding it leaves a whole number in the last bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts, the first of few bits.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `e^x` within a few units of the last place; `x` is taken as one between -87 and 88.
///
/// `x = n ln 2 + r` with whole n; `e^r` by its Taylor series, of which the first term left out is below 3e-9.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |number: f32| simd.splat_f32s(number);
    let x = simd.max_f32s(simd.min_f32s(x, splat(MOST)), splat(LEAST));
    let rounded = simd.mul_add_e_f32s(x, splat(std::f32::consts::LOG2_E), splat(ROUND));
    let whole = simd.sub_f32s(rounded, splat(ROUND));
    let rest = simd.mul_add_e_f32s(whole, splat(-LN2_HIGH), x);
    let rest = simd.mul_add_e_f32s(whole, splat(-LN2_LOW), rest);
    let mut sum = splat(1.0 / 5040.0);
    for factorial in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = simd.mul_add_e_f32s(sum, rest, splat(1.0 / factorial));
    }
    // 2^n: n + 127 as the exponent's bits.
    let bits = simd.transmute_u32s_f32s(rounded);
    let offset = simd.splat_u32s(127u32.wrapping_sub(ROUND.to_bits()));
    let exponent = simd.add_u32s(bits, offset);
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(23));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

/// `2^x` of numbers up to 0, within 3.5e-6 of itself, which is more than 16 bits hold; what is below -125 counts as that,
/// and what is not a number stays none.
///
/// `x = n + r` with whole n; `2^r` by its Taylor series, of which the first term left out is below 2.5e-6. Two
/// thirds of the operations of [`exp`].
#[inline(always)]
pub fn rough_power<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let splat = |number: f32| simd.splat_f32s(number);
    let x = floored(simd, x, splat(LEAST_POWER));
    let rounded = simd.add_f32s(x, splat(ROUND));
    let rest = simd.sub_f32s(x, simd.sub_f32s(rounded, splat(ROUND)));
    let ln2 = std::f32::consts::LN_2;
    let (square, cube) = (ln2 * ln2, ln2 * ln2 * ln2);
    let mut sum = splat(square * cube / 120.0);
    for term in [square * square / 24.0, cube / 6.0, square / 2.0, ln2, 1.0] {
        sum = simd.mul_add_e_f32s(sum, rest, splat(term));
    }
    // Added to the exponent's bits, n multiplies with its power.
    let whole = simd.transmute_u32s_f32s(rounded);
    let exponent = simd.wrapping_dyn_shl_u32s(whole, simd.splat_u32s(23));
    simd.transmute_f32s_u32s(simd.add_u32s(simd.transmute_u32s_f32s(sum), exponent))
}

/// Every number, or the floor where that is more. What is not a number stays none, so that an overflow shows.
#[inline(always)]
pub fn floored<S: Simd>(simd: S, x: S::f32s, floor: S::f32s) -> S::f32s {
    match S::F32_LANES {
        // Plain Rust takes the other one where one of two is not a number.
        1 => simd.select_f32s(simd.less_than_f32s(x, floor), floor, x),
        // Vectors of x86-64 take the second, those of ARM whichever is not a number.
        _ => simd.max_f32s(floor, x),
    }
}

/// The activation of every number.
#[inline(always)]
pub fn activate<S: Simd>(simd: S, activation: Activation, x: S::f32s) -> S::f32s {
    match activation {
        Activation::Identity => x,
        Activation::Relu => floored(simd, x, simd.splat_f32s(0.0)),
        Activation::Mish => mish(simd, x),
        Activation::Silu => silu(simd, x),
    }
}

/// `x tanh(ln(1 + e^x))`, which is `x n / (n + 2)` with `n = e^x (e^x + 2)`; beyond 20 it is x.
#[inline(always)]
fn mish<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let two = simd.splat_f32s(2.0);
    let e = exp(simd, simd.min_f32s(x, simd.splat_f32s(20.0)));
    let n = simd.mul_f32s(e, simd.add_f32s(e, two));
    simd.mul_f32s(x, simd.div_f32s(n, simd.add_f32s(n, two)))
}

/// `x / (1 + e^-x)`
#[inline(always)]
fn silu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let e = exp(simd, simd.sub_f32s(simd.splat_f32s(0.0), x));
    simd.div_f32s(x, simd.add_f32s(e, simd.splat_f32s(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::kernels::vocabulary::Vocabulary;
    use pulp::WithSimd;

    /// What is computed of every number.
    #[derive(Clone, Copy, Debug)]
    enum Curve {
        Exp,
        RoughPower,
        Of(Activation),
    }

    struct Over<'a>(Curve, &'a mut [f32]);

    impl WithSimd for Over<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (vectors, rest) = S::as_mut_simd_f32s(self.1);
            assert!(rest.is_empty());
            for x in vectors {
                *x = match self.0 {
                    Curve::Exp => exp(simd, *x),
                    Curve::RoughPower => rough_power(simd, *x),
                    Curve::Of(activation) => activate(simd, activation, *x),
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
        for vocabulary in Vocabulary::available() {
            for curve in all.into_iter().chain([Curve::RoughPower]) {
                let mut ys = [f32::NAN; 16];
                vocabulary.run(Over(curve, &mut ys));
                let name = vocabulary.name();
                assert!(ys.iter().all(|y| y.is_nan()), "{name} {curve:?}");
            }
        }
    }

    /// Compares a curve at some numbers with double precision.
    #[track_caller]
    fn assert_near(curve: Curve, xs: &[f32], most: f64, exact: impl Fn(f64) -> f64) {
        for vocabulary in Vocabulary::available() {
            let mut ys = xs.to_vec();
            vocabulary.run(Over(curve, &mut ys));
            for (x, y) in xs.iter().zip(ys) {
                let exact = exact(f64::from(*x));
                let error = (f64::from(y) - exact).abs() / exact.abs().max(1e-30);
                let name = vocabulary.name();
                assert!(error < most, "{name} {curve:?}({x}): {y}, not {exact}");
            }
        }
    }

    #[test]
    fn curves_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_000..44_000).map(|x| x as f32 / 512.0).collect();
        assert_near(Curve::Exp, &xs, 2e-6, f64::exp);
        for activation in ACTIVATIONS {
            assert_near(Curve::Of(activation), &xs, 2e-6, |x| match activation {
                Activation::Identity => x,
                Activation::Relu => x.max(0.0),
                Activation::Mish => x * x.exp().ln_1p().tanh(),
                Activation::Silu => x / (1.0 + (-x).exp()),
            });
        }
    }

    #[test]
    fn powers_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_799..=0).map(|x| x as f32 / 352.0).collect();
        assert_near(Curve::RoughPower, &xs, 3.5e-6, |x| x.max(-125.0).exp2());
        assert_near(Curve::RoughPower, &[0.0; 16], 1e-30, |_| 1.0);
        assert_near(Curve::RoughPower, &[f32::NEG_INFINITY; 16], 3.5e-6, |_| {
            (-125.0_f64).exp2()
        });
    }
}
