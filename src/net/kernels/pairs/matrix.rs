//! Products of two matrices that are both quantized at run time.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panel, VECTORS, split};
use super::product::{Inputs, Ints, Sink, multiply};
use crate::net::kernels::aligned::Aligned;

/// Right-hand matrix of a product, packed in the order in which the product reads it.
#[derive(Debug, Default)]
pub struct Matrix {
    /// `[panels, pairs, columns of the panel]`
    pub numbers: Aligned<u32>,
    /// Unit of each column.
    pub units: Aligned,
}

impl Matrix {
    /// Allocates a zero matrix for up to `pairs` input pairs and `columns` columns.
    pub fn zeros(pairs: usize, columns: usize) -> Self {
        Self {
            numbers: Aligned::zeros(pairs * columns),
            units: Aligned::zeros(columns),
        }
    }

    /// Returns the panel with the `V` vectors of columns that start at `vector`.
    #[inline(always)]
    fn panel<D: Dot, const V: usize>(&self, pairs: usize, vector: usize) -> Panel<'_, D::Simd> {
        Panel {
            weights: &<D::Simd as Simd>::as_simd_u32s(&self.numbers).0[vector * pairs..]
                [..V * pairs],
            scales: &<D::Simd as Simd>::as_simd_f32s(&self.units).0[vector..][..V],
        }
    }
}

/// Arguments of a product: quantized rows times a packed matrix.
pub struct Product<'a> {
    /// `[rows, pairs]`
    pub rows: &'a [u32],
    /// Number of pairs in a row.
    pub pairs: usize,
    /// Unit of each row.
    pub units: &'a [f32],
    pub matrix: &'a Matrix,
    /// Number of vectors of columns.
    pub vectors: usize,
    /// Output, `[rows, vectors]`.
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

/// Sink that stores sums row by row, multiplied by the units of their row and column.
struct Scaled<'a, S: Simd> {
    /// `[rows, vectors]`
    to: &'a mut [S::f32s],
    vectors: usize,
    /// First vector of the panel.
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
