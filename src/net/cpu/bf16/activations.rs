//! Exponentials and activations with the precision of bfloat16.
//!
//! These functions take half as many instructions as those in [`crate::net::cpu::activations`].

use super::simd::Bf16Simd;
use crate::net::cpu::activations::{ROUND, floored};
use crate::net::spec::layers::Activation;

/// Computes `2^x` with a relative error below 6e-5. `x` is clamped to -126..=126.
///
/// Splits `x` into an integer `n` and a remainder `r` in -1/2..=1/2, and computes `2^r` by its Taylor series up to the
/// fourth power.
#[inline(always)]
pub fn exp2<S: Bf16Simd>(simd: S, x: S::f32s) -> S::f32s {
    const TERMS: [f32; 5] = [
        9.618_129e-3,
        5.550_411e-2,
        0.240_226_5,
        std::f32::consts::LN_2,
        1.0,
    ];
    let splat = |number: f32| simd.splat_f32s(number);
    let x = simd.max_f32s(simd.min_f32s(x, splat(126.0)), splat(-126.0));
    let rounded = simd.add_f32s(x, splat(ROUND));
    let rest = simd.sub_f32s(x, simd.sub_f32s(rounded, splat(ROUND)));
    let mut sum = splat(TERMS[0]);
    for term in &TERMS[1..] {
        sum = simd.mul_add_e_f32s(sum, rest, splat(*term));
    }
    // The series is between 0.7 and 1.5, so `n` can be added to the exponent bits.
    let whole = simd.transmute_u32s_f32s(rounded);
    let power = simd.wrapping_dyn_shl_u32s(whole, simd.splat_u32s(23));
    simd.transmute_f32s_u32s(simd.add_u32s(simd.transmute_u32s_f32s(sum), power))
}

/// Computes `e^x` by [`exp2`].
#[inline(always)]
fn exp<S: Bf16Simd>(simd: S, x: S::f32s) -> S::f32s {
    exp2(
        simd,
        simd.mul_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E)),
    )
}

/// Applies the activation to every lane.
#[inline(always)]
pub fn activate<S: Bf16Simd>(simd: S, activation: Activation, x: S::f32s) -> S::f32s {
    match activation {
        Activation::Identity => x,
        Activation::Relu => floored(simd, x, simd.splat_f32s(0.0)),
        Activation::Mish => mish(simd, x),
        Activation::Silu => silu(simd, x),
    }
}

/// Computes `x tanh(ln(1 + e^x))`, which equals `x n / (n + 2)` with `n = e^x (e^x + 2)`.
///
/// In `e^x`, `x` is capped at 20, because the quotient `n / (n + 2)` rounds to 1 for larger inputs.
#[inline(always)]
fn mish<S: Bf16Simd>(simd: S, x: S::f32s) -> S::f32s {
    let two = simd.splat_f32s(2.0);
    let e = exp(simd, simd.min_f32s(x, simd.splat_f32s(20.0)));
    let n = simd.mul_f32s(e, simd.add_f32s(e, two));
    let share = simd.mul_f32s(n, simd.reciprocal(simd.add_f32s(n, two)));
    simd.mul_f32s(x, share)
}

/// Computes `x / (1 + e^-x)`.
#[inline(always)]
pub fn silu<S: Bf16Simd>(simd: S, x: S::f32s) -> S::f32s {
    let e = exp(simd, simd.sub_f32s(simd.splat_f32s(0.0), x));
    simd.mul_f32s(x, simd.reciprocal(simd.add_f32s(e, simd.splat_f32s(1.0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::isa::{Isa, WithBf16};

    struct Over<'a>(Option<Activation>, &'a mut [f32]);

    impl WithBf16 for Over<'_> {
        #[inline(always)]
        fn with_bf16<S: Bf16Simd>(self, simd: S) {
            for x in S::as_mut_simd_f32s(self.1).0 {
                *x = match self.0 {
                    None => exp2(simd, *x),
                    Some(activation) => activate(simd, activation, *x),
                };
            }
        }
    }

    #[test]
    fn curves_are_those_of_double_precision() {
        let xs: Vec<f32> = (-44_000..44_000).map(|x| x as f32 / 512.0).collect();
        let of = |activation: Option<Activation>, x: f64| match activation {
            None => x.exp2(),
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
        for isa in [Isa::named("scalar").unwrap(), Isa::best()] {
            for curve in std::iter::once(None).chain(all.map(Some)) {
                let mut ys = xs.clone();
                isa.run_bf16(Over(curve, &mut ys));
                for (x, y) in xs.iter().zip(ys) {
                    let exact = of(curve, f64::from(*x));
                    // Results below 1e-30 are negligible, so their errors are measured relative to 1e-30.
                    let error = (f64::from(y) - exact).abs() / exact.abs().max(1e-30);
                    let name = isa.name();
                    assert!(error < 1e-4, "{name} {curve:?}({x}): {y}, not {exact}");
                }
            }
        }
    }
}
