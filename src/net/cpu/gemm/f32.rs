//! Matrix multiplication in 32-bit floats, on any instruction set.

use super::kernel::{Floats, Kernel, MAX_F32_PANEL_VECTORS};
use crate::net::cpu::activations::exp;
use crate::net::cpu::softmax::softmax_numerators;
use crate::net::cpu::vectors::{Vectors, mul_add};

/// Kernel for 32-bit floats with the vectors of `S`.
#[derive(Clone, Copy, Debug)]
pub struct F32Kernel<S>(pub S);

impl<S: Vectors> Kernel for F32Kernel<S> {
    type Simd = S;
    type Element = f32;
    type Vector = S::f32s;
    type Sums = S::f32s;
    const MAX_PANEL_VECTORS: usize = MAX_F32_PANEL_VECTORS;
    const BLOCK_ROWS: usize = 13;
    // With a value of 1, the compiler loads all inputs of an iteration before the weights and spills four sums.
    const EXTRA_REGISTERS: usize = 2;
    const UNROLL: usize = 1;
    const CHANNELS: usize = 1;

    #[inline(always)]
    fn simd(self) -> S {
        self.0
    }

    #[inline(always)]
    fn zero(self) -> S::f32s {
        self.0.splat_f32s(0.0)
    }

    #[inline(always)]
    fn broadcast(self, element: f32) -> S::f32s {
        self.0.splat_f32s(element)
    }

    #[inline(always)]
    fn multiply_add(self, sums: S::f32s, inputs: S::f32s, weights: S::f32s) -> S::f32s {
        mul_add(self.0, inputs, weights, sums)
    }

    #[inline(always)]
    fn floats(self, sums: S::f32s) -> S::f32s {
        sums
    }

    #[inline(always)]
    fn quantize(self, low: S::f32s, _: Floats<Self>, _: S::f32s, _: S::f32s) -> S::f32s {
        low
    }

    #[inline(always)]
    fn quantize_tracked(
        self,
        low: S::f32s,
        _: Floats<Self>,
        _: S::f32s,
        _: S::f32s,
        _: &mut S::f32s,
    ) -> S::f32s {
        low
    }

    #[inline(always)]
    fn exceeds(self, _: S::f32s, _: f32) -> bool {
        false
    }

    #[inline(always)]
    fn softmax(
        self,
        scores: &mut [S::f32s],
        _: usize,
        temperature: f32,
        to: &mut [S::f32s],
    ) -> f32 {
        let scale = 1.0 / temperature;
        let sum = softmax_numerators(self.0, scores, scale, |x| exp(self.0, x));
        to.copy_from_slice(scores);
        1.0 / sum
    }

    #[inline(always)]
    fn vectors(elements: &[f32]) -> &[S::f32s] {
        S::as_simd_f32s(elements).0
    }

    #[inline(always)]
    fn vectors_mut(elements: &mut [f32]) -> &mut [S::f32s] {
        S::as_mut_simd_f32s(elements).0
    }
}
