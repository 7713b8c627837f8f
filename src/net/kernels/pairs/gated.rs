//! Gated linear layer (SwiGLU) with 16-bit integer products, computed panel by panel.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panels, VECTORS, split};
use super::product::{Inputs, Ints, Sink, multiply};
use super::rows::Room;
use crate::net::desc::layers::Activation;
use crate::net::kernels::activations::activate;
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::boards::Rows;

/// Weights of a gated linear layer: `silu(x W0 + b0) * (x W1 + b1)`.
#[derive(Debug)]
pub struct Gated {
    /// Two matrices: the activated one (W0) and the gate (W1).
    pub panels: Panels,
    /// Bias of each matrix, `[outputs]`.
    pub bias: [Aligned; 2],
}

/// Arguments for running a gated linear layer.
pub struct GatedMap<'a> {
    pub map: &'a Gated,
    /// Input rows.
    pub rows: Rows<'a>,
    /// Input, `[places, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[places, outputs]`.
    pub to: &'a mut [f32],
    /// Workspace.
    pub room: &'a mut Room,
}

impl WithDot for GatedMap<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let panels = &self.map.panels;
        let most = self.room.fit(panels.pairs, self.rows.places.len());
        let factors = most * VECTORS * D::Simd::F32_LANES;
        if self.room.factors.len() < factors {
            self.room.factors = Aligned::zeros(factors);
        }
        for rows in self.rows.chunks(most) {
            self.room.round(dot.simd(), rows, self.from, panels);
            for (vector, width) in split(panels.vectors) {
                match width {
                    1 => self.panels::<D, 1>(dot, rows, vector),
                    2 => self.panels::<D, 2>(dot, rows, vector),
                    _ => self.panels::<D, VECTORS>(dot, rows, vector),
                }
            }
        }
    }
}

impl GatedMap<'_> {
    /// Computes the outputs of a panel from both matrices.
    #[inline(always)]
    fn panels<D: Dot, const V: usize>(&mut self, dot: D, rows: Rows<'_>, vector: usize) {
        let Gated { panels, bias } = self.map;
        let Room {
            inputs,
            units,
            factors,
        } = &mut *self.room;
        let inputs = Inputs {
            numbers: &inputs[..rows.places.len() * panels.pairs],
            pairs: panels.pairs,
        };
        // A loop, so that the code of the product is generated only once.
        for (sheet, bias) in bias.iter().enumerate() {
            let panel = panels.panel::<D, V>(sheet, vector);
            let mut sink = Halves {
                factors: <D::Simd as Simd>::as_mut_simd_f32s(factors).0,
                is_gate: sheet == 1,
                affine: Affine {
                    units,
                    scales: panel.scales,
                    bias: &<D::Simd as Simd>::as_simd_f32s(bias).0[vector..][..V],
                },
                rows,
                to: <D::Simd as Simd>::as_mut_simd_f32s(self.to).0,
                vectors: panels.vectors,
                vector,
            };
            multiply::<D, _, V>(dot, inputs, panel.weights, &mut sink);
        }
    }
}

/// Conversion of integer sums to floats, with bias.
struct Affine<'a, S: Simd> {
    /// Unit of each input row, `[rows]`.
    units: &'a [f32],
    /// `[vectors of the panel]`
    scales: &'a [S::f32s],
    /// `[vectors of the panel]`
    bias: &'a [S::f32s],
}

impl<S: Simd> Affine<'_, S> {
    /// Converts the sums of a row, one vector for each vector of the panel.
    #[inline(always)]
    fn of<D: Dot<Simd = S>, const V: usize>(
        &self,
        dot: D,
        row: usize,
        sums: [Ints<D>; V],
    ) -> [S::f32s; V] {
        let simd = dot.simd();
        let unit = simd.splat_f32s(self.units[row]);
        let (scales, bias) = (&self.scales[..V], &self.bias[..V]);
        let mut results = [unit; V];
        for place in 0..V {
            let scale = simd.mul_f32s(scales[place], unit);
            results[place] = simd.mul_add_e_f32s(dot.floats(sums[place]), scale, bias[place]);
        }
        results
    }
}

/// Sink that first stores the activated results of the first matrix, then multiplies them by the results of the gate.
struct Halves<'a, S: Simd> {
    /// Activated results of the first matrix, `[rows, vectors of the panel]`.
    factors: &'a mut [S::f32s],
    /// True while the sums belong to the gate.
    is_gate: bool,
    affine: Affine<'a, S>,
    rows: Rows<'a>,
    /// `[places, vectors]`
    to: &'a mut [S::f32s],
    vectors: usize,
    /// First vector of the panel.
    vector: usize,
}

impl<D: Dot> Sink<D> for Halves<'_, D::Simd> {
    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        dot: D,
        row: usize,
        sums: [[Ints<D>; V]; R],
    ) {
        let simd = dot.simd();
        let (factors, _) = self.factors.as_chunks_mut::<V>();
        for ((row, factors), sums) in (row..).zip(&mut factors[row..]).zip(sums) {
            let results = self.affine.of(dot, row, sums);
            if self.is_gate {
                let at = self.rows.places[row] * self.vectors + self.vector;
                let to = &mut self.to[at..][..V];
                for place in 0..V {
                    to[place] = simd.mul_f32s(factors[place], results[place]);
                }
            } else {
                for place in 0..V {
                    factors[place] = activate(simd, Activation::Silu, results[place]);
                }
            }
        }
    }
}
