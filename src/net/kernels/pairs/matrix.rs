//! Matrices that change from run to run, and their products with rows: both are rounded where they are needed.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panel, VECTORS, split};
use super::product::{Inputs, Ints, Sink, multiply};
use crate::net::kernels::aligned::Aligned;

/// A matrix that changes from run to run, in the order in which the product reads it.
#[derive(Debug, Default)]
pub struct Matrix {
    /// For each group of columns that fits a panel: pair of inputs by pair of inputs.
    pub numbers: Aligned<u32>,
    /// What 1 means in each column.
    pub units: Aligned,
}

impl Matrix {
    /// For so many pairs of inputs and columns, of which panels take what they need.
    pub fn zeros(pairs: usize, columns: usize) -> Self {
        Self {
            numbers: Aligned::zeros(pairs * columns),
            units: Aligned::zeros(columns),
        }
    }

    /// The panel of `V` vectors of columns from `vector` on.
    #[inline(always)]
    fn panel<D: Dot, const V: usize>(&self, pairs: usize, vector: usize) -> Panel<'_, D::Simd> {
        Panel {
            weights: &<D::Simd as Simd>::as_simd_u32s(&self.numbers).0[vector * pairs..]
                [..V * pairs],
            scales: &<D::Simd as Simd>::as_simd_f32s(&self.units).0[vector..][..V],
        }
    }
}

/// Rounded rows and a packed matrix to be multiplied.
pub struct Product<'a> {
    /// `[rows, pairs]`
    pub rows: &'a [u32],
    /// Of a row.
    pub pairs: usize,
    /// What 1 means in each row.
    pub units: &'a [f32],
    /// What they are multiplied with.
    pub matrix: &'a Matrix,
    /// Vectors of columns.
    pub vectors: usize,
    /// The results, in rows of as many vectors.
    pub to: &'a mut [f32],
}

impl WithDot for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        for (vector, width) in split(self.vectors) {
            match width {
                1 => self.panel::<D, 1>(dot, vector),
                2 => self.panel::<D, 2>(dot, vector),
                _ => self.panel::<D, VECTORS>(dot, vector),
            }
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn panel<D: Dot, const V: usize>(&mut self, dot: D, vector: usize) {
        let panel = self.matrix.panel::<D, V>(self.pairs, vector);
        let inputs = Inputs {
            numbers: self.rows,
            pairs: self.pairs,
        };
        let mut sink = Scaled {
            to: <D::Simd as Simd>::as_mut_simd_f32s(self.to).0,
            vectors: self.vectors,
            vector,
            units: self.units,
            scales: panel.scales,
        };
        multiply::<D, _, V>(dot, inputs, panel.weights, &mut sink);
    }
}

/// Stores sums row by row, scaled by row and column.
struct Scaled<'a, S: Simd> {
    /// `[rows, vectors]`
    to: &'a mut [S::f32s],
    vectors: usize,
    /// The first of the panel.
    vector: usize,
    /// `[rows]`
    units: &'a [f32],
    /// `[vectors of the panel]`
    scales: &'a [S::f32s],
}

impl<D: Dot> Sink<D> for Scaled<'_, D::Simd> {
    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        dot: D,
        row: usize,
        sums: [[Ints<D>; V]; R],
    ) {
        let simd = dot.simd();
        let scales = &self.scales[..V];
        for (row, sums) in (row..).zip(sums) {
            let unit = simd.splat_f32s(self.units[row]);
            let to = &mut self.to[row * self.vectors + self.vector..][..V];
            for place in 0..V {
                let scale = simd.mul_f32s(scales[place], unit);
                to[place] = simd.mul_f32s(dot.floats(sums[place]), scale);
            }
        }
    }
}
