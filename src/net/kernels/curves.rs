//! Activations that are no mere floor, and the exponential they are made of, on vectors.

use pulp::Simd;

use crate::net::desc::layers::Activation;

/// The exponential stays a normal number within these.
const LEAST: f32 = -87.0;
const MOST: f32 = 88.0;
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

    struct Over<'a>(Option<Activation>, &'a mut [f32]);

    impl WithSimd for Over<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (vectors, rest) = S::as_mut_simd_f32s(self.1);
            assert!(rest.is_empty());
            for x in vectors {
                *x = match self.0 {
                    None => exp(simd, *x),
                    Some(activation) => activate(simd, activation, *x),
                };
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_none() {
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
        ];
        for vocabulary in Vocabulary::available() {
            for activation in all {
                let mut ys = [f32::NAN; 16];
                vocabulary.run(Over(Some(activation), &mut ys));
                let name = vocabulary.name();
                assert!(ys.iter().all(|y| y.is_nan()), "{name} {activation:?}");
            }
        }
    }

    #[test]
    fn curves_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_000..44_000).map(|x| x as f32 / 512.0).collect();
        let of = |activation: Option<Activation>, x: f64| match activation {
            None => x.exp(),
            Some(Activation::Identity) => x,
            Some(Activation::Relu) => x.max(0.0),
            Some(Activation::Mish) => x * x.exp().ln_1p().tanh(),
            Some(Activation::Silu) => x / (1.0 + (-x).exp()),
        };
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
        ];
        for vocabulary in Vocabulary::available() {
            for curve in std::iter::once(None).chain(all.map(Some)) {
                let mut ys = xs.clone();
                vocabulary.run(Over(curve, &mut ys));
                for (x, y) in xs.iter().zip(ys) {
                    let exact = of(curve, f64::from(*x));
                    let error = (f64::from(y) - exact).abs() / exact.abs().max(1e-30);
                    let name = vocabulary.name();
                    assert!(error < 2e-6, "{name} {curve:?}({x}): {y}, not {exact}");
                }
            }
        }
    }
}
