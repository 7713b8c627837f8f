//! Linear layers with 16-bit integer products. Each input row is quantized at run time by its largest magnitude.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panels, VECTORS, split};
use super::product::{Inputs, Ints, Sink, multiply};
use super::rounding::{pair, row_scale};
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::boards::Rows;
use crate::net::kernels::finish::{Results, Target};

/// Maximum number of pairs that are quantized before they are multiplied: 256 KiB, which stay in the cache.
const NEAR: usize = 65_536;

/// Returns true if a linear layer of the points is faster with integers than with floats.
///
/// Quantization takes time for each input, the product for each input and output.
pub const fn pays(inputs: usize, outputs: usize) -> bool {
    inputs >= 32 && outputs >= 64
}

/// Workspace of linear layers.
#[derive(Debug, Default)]
pub struct Room {
    /// Quantized rows, `[rows, pairs]`.
    pub inputs: Aligned<u32>,
    /// Unit of each row.
    pub units: Vec<f32>,
    /// Activated results of a gated layer, before the multiplication by the gate.
    pub factors: Aligned,
}

impl Room {
    /// Allocates rows of `pairs` elements and returns how many of the `count` rows fit.
    pub fn fit(&mut self, pairs: usize, count: usize) -> usize {
        let most = (NEAR / pairs).clamp(1, count.max(1));
        if self.inputs.len() < most * pairs {
            self.inputs = Aligned::zeros(most * pairs);
        }
        most
    }

    /// Quantizes the given rows of `numbers` (`[places, stride]`) for multiplication by `panels`.
    #[inline(always)]
    pub fn round<S: Simd>(
        &mut self,
        simd: S,
        rows: Rows<'_>,
        (numbers, stride): (&[f32], usize),
        panels: &Panels,
    ) {
        let vectors = stride / S::F32_LANES;
        let from = S::as_simd_f32s(numbers).0;
        let to = S::as_mut_simd_u32s(&mut self.inputs).0;
        let limit = simd.splat_f32s(panels.largest);
        let zero = simd.splat_f32s(0.0);
        self.units.clear();
        let pairs = to.chunks_exact_mut(panels.pairs / S::F32_LANES);
        for (place, to) in rows.places.iter().zip(pairs) {
            let from = &from[place * vectors..][..vectors];
            let (scale, unit) = row_scale(simd, from.iter().copied(), panels.largest);
            self.units.push(unit);
            let scale = simd.splat_f32s(scale);
            for (to, from) in to.iter_mut().zip(from.chunks(2)) {
                let high = *from.get(1).unwrap_or(&zero);
                *to = pair(simd, [from[0], high], scale, limit);
            }
        }
    }
}

/// Arguments for running a linear layer.
pub struct Map<'a> {
    /// Weights.
    pub panels: &'a Panels,
    /// Input rows.
    pub rows: Rows<'a>,
    /// Input, `[places, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Workspace.
    pub room: &'a mut Room,
    /// Output.
    pub target: Target<'a>,
}

impl WithDot for Map<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let most = self.room.fit(self.panels.pairs, self.rows.places.len());
        for rows in self.rows.chunks(most) {
            self.room.round(dot.simd(), rows, self.from, self.panels);
            for (vector, width) in split(self.panels.vectors) {
                match width {
                    1 => self.panel::<D, 1>(dot, rows, vector),
                    2 => self.panel::<D, 2>(dot, rows, vector),
                    _ => self.panel::<D, VECTORS>(dot, rows, vector),
                }
            }
        }
    }
}

impl Map<'_> {
    /// Computes the outputs of a panel.
    #[inline(always)]
    fn panel<D: Dot, const V: usize>(&mut self, dot: D, rows: Rows<'_>, vector: usize) {
        let pairs = self.panels.pairs;
        let panel = self.panels.panel::<D, V>(0, vector);
        let inputs = Inputs {
            numbers: &self.room.inputs[..rows.places.len() * pairs],
            pairs,
        };
        let mut sink = Scattered {
            results: Results::new(dot.simd(), &mut self.target),
            rows,
            units: &self.room.units,
            scales: panel.scales,
            vector,
        };
        multiply::<D, _, V>(dot, inputs, panel.weights, &mut sink);
    }
}

/// Sink that converts sums to floats and stores them at the places of their rows.
struct Scattered<'a, S: Simd> {
    results: Results<'a, S>,
    rows: Rows<'a>,
    /// `[rows]`
    units: &'a [f32],
    /// `[vectors]`
    scales: &'a [S::f32s],
    /// First vector of the panel.
    vector: usize,
}

impl<D: Dot> Sink<D> for Scattered<'_, D::Simd> {
    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        dot: D,
        row: usize,
        sums: [[Ints<D>; V]; R],
    ) {
        let simd = dot.simd();
        for (row, sums) in (row..).zip(sums) {
            let (place, owner) = (self.rows.places[row], self.rows.owners[row]);
            let unit = simd.splat_f32s(self.units[row]);
            for (index, sum) in sums.into_iter().enumerate() {
                let scale = simd.mul_f32s(self.scales[index], unit);
                let sum = simd.mul_f32s(dot.floats(sum), scale);
                let vector = self.vector + index;
                self.results.store(simd, place, owner, vector, sum);
            }
        }
    }
}
