//! Maps of rows in pairs: each row is scaled by its own largest number, found when it is read.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panels, VECTORS, split};
use super::product::{Inputs, Ints, Sink, multiply};
use super::rounding::pair;
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::boards::Rows;
use crate::net::kernels::finish::{Results, Target};

/// Pairs of rows that are rounded before they are multiplied: those of 256 KiB, which stay near.
const NEAR: usize = 65_536;

/// Whether a map of points gains over floats: rounding takes time for each input, the product for each input and output.
pub const fn pays(inputs: usize, outputs: usize) -> bool {
    inputs >= 32 && outputs >= 64
}

/// Where maps work.
#[derive(Debug, Default)]
pub struct Room {
    /// Rounded rows, `[rows, pairs]`.
    inputs: Aligned<u32>,
    /// What an input of 1 means in each row.
    units: Vec<f32>,
}

/// A map to be run.
pub struct Map<'a> {
    /// The weights.
    pub panels: &'a Panels,
    /// The points.
    pub rows: Rows<'a>,
    /// The input, `[places, channels]`.
    pub from: &'a Aligned,
    /// Channels of the input, filled up.
    pub stride: usize,
    /// Where it works.
    pub room: &'a mut Room,
    /// The results.
    pub target: Target<'a>,
}

impl WithDot for Map<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let pairs = self.panels.pairs;
        let count = self.rows.places.len();
        let most = (NEAR / pairs).clamp(1, count.max(1));
        if self.room.inputs.len() < most * pairs {
            self.room.inputs = Aligned::zeros(most * pairs);
        }
        for first in (0..count).step_by(most) {
            let last = count.min(first + most);
            let rows = Rows {
                places: &self.rows.places[first..last],
                owners: &self.rows.owners[first..last],
            };
            self.round(dot.simd(), rows);
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
    /// Rounds some rows.
    #[inline(always)]
    fn round<S: Simd>(&mut self, simd: S, rows: Rows<'_>) {
        let vectors = self.stride / S::F32_LANES;
        let from = S::as_simd_f32s(self.from).0;
        let to = S::as_mut_simd_u32s(&mut self.room.inputs).0;
        let limit = simd.splat_f32s(self.panels.largest);
        let zero = simd.splat_f32s(0.0);
        self.room.units.clear();
        let pairs = to.chunks_exact_mut(self.panels.pairs / S::F32_LANES);
        for (place, to) in rows.places.iter().zip(pairs) {
            let from = &from[place * vectors..][..vectors];
            let (mut largest, mut mark) = (zero, zero);
            for x in from {
                largest = simd.max_f32s(largest, simd.abs_f32s(*x));
                // Zero until a number is infinite or none: a maximum would forget that.
                mark = simd.mul_add_e_f32s(*x, zero, mark);
            }
            let unit = simd.reduce_max_f32s(largest) / self.panels.largest;
            let mark = simd.reduce_sum_f32s(mark);
            // A row of nearly nothing is zero; of one with what is no number all results are none.
            let (scale, unit) = match unit.recip() {
                _ if mark.is_nan() => (0.0, mark),
                scale if scale.is_normal() => (scale, unit),
                _ => (0.0, 0.0),
            };
            self.room.units.push(unit);
            let scale = simd.splat_f32s(scale);
            for (to, from) in to.iter_mut().zip(from.chunks(2)) {
                let high = *from.get(1).unwrap_or(&zero);
                *to = pair(simd, [from[0], high], scale, limit);
            }
        }
    }

    /// The outputs of a panel.
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

/// Stores sums, scaled, where their rows lie.
struct Scattered<'a, S: Simd> {
    results: Results<'a, S>,
    rows: Rows<'a>,
    /// `[rows]`
    units: &'a [f32],
    /// `[vectors]`
    scales: &'a [S::f32s],
    /// The first.
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
