//! Gated linear layer (SwiGLU) in 16-bit integers, computed panel by panel.

use pulp::Simd;

use super::activations::activate;
use super::aligned::Aligned;
use super::gemm::{Floats, Kernel, Panels, Sink, WithKernel, multiply, packing};
use super::layout::LayoutRows;
use super::linear::{QuantizedRows, QuantizedWeights};
use super::vectors::mul_add;
use crate::net::spec::layers::Activation;

/// Weights of a gated linear layer: `silu(x W0 + b0) * (x W1 + b1)`.
#[derive(Debug)]
pub struct GatedWeights {
    /// Two matrices: the activated one (W0) and the gate (W1).
    pub weights: QuantizedWeights,
    /// Bias of each matrix, `[outputs]`.
    pub bias: [Aligned; 2],
}

/// Arguments for running a gated linear layer.
pub struct GatedLinear<'a> {
    pub layer: &'a GatedWeights,
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, outputs]`.
    pub to: &'a mut [f32],
    pub workspace: &'a mut QuantizedRows,
}

impl WithKernel<u32> for GatedLinear<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = u32>>(mut self, kernel: K) {
        let all = self.rows;
        let weights = &self.layer.weights;
        let max_rows = self
            .workspace
            .reserve(weights.packed.depth, all.cells.len());
        let gated = max_rows * K::PANEL_VECTORS * <K::Simd as Simd>::F32_LANES;
        if self.workspace.gated.len() < gated {
            self.workspace.gated = Aligned::zeros(gated);
        }
        for rows in all.chunks(max_rows) {
            self.rows = rows;
            self.workspace.quantize(kernel, rows, self.from, weights);
            self.each_panel(kernel, weights.packed.vectors);
        }
    }
}

impl<K: Kernel<Element = u32>> Panels<K> for GatedLinear<'_> {
    #[inline(always)]
    fn panel<const V: usize>(&mut self, kernel: K, vector: usize) {
        let packed = &self.layer.weights.packed;
        let mut gated = std::mem::take(&mut self.workspace.gated);
        // A loop, so that the code of the matrix multiplication is generated only once.
        for (matrix, bias) in self.layer.bias.iter().enumerate() {
            let panel = packed.panel::<K, V>(matrix, vector);
            let mut sink = GatedSink {
                gated: <K::Simd as Simd>::as_mut_simd_f32s(&mut gated).0,
                is_gate: matrix == 1,
                row_units: &self.workspace.units,
                column_units: panel.units,
                bias: &<K::Simd as Simd>::as_simd_f32s(bias).0[vector..][..V],
                rows: self.rows,
                to: <K::Simd as Simd>::as_mut_simd_f32s(self.to).0,
                vectors: packed.vectors,
                vector,
            };
            let rows = self.workspace.rows(self.rows.cells.len(), packed.depth);
            multiply::<K, _, _, V>(kernel, rows, panel.weights, &mut sink);
        }
        self.workspace.gated = gated;
    }
}

/// [`Sink`] for both matrices of a gated layer. For the first matrix, stores the activated results in `gated`. For the
/// gate, multiplies these by the results of the gate and stores the products in `to`.
struct GatedSink<'a, S: Simd> {
    /// Activated results of the first matrix, `[rows, vectors of the panel]`.
    gated: &'a mut [S::f32s],
    /// True if the sums belong to the gate.
    is_gate: bool,
    /// Unit of each input row.
    row_units: &'a [f32],
    /// Unit of each column of the panel.
    column_units: &'a [S::f32s],
    bias: &'a [S::f32s],
    rows: LayoutRows<'a>,
    /// Output, `[cells, vectors]`.
    to: &'a mut [S::f32s],
    /// Number of vectors per output row.
    vectors: usize,
    /// First vector of the panel.
    vector: usize,
}

impl<K: Kernel> Sink<K> for GatedSink<'_, K::Simd> {
    const PREFETCH: bool = false;

    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        sums: [[K::Sums; V]; R],
    ) {
        let simd = kernel.simd();
        let columns: [Floats<K>; V] = packing::units(kernel, self.column_units);
        let bias = &self.bias[..V];
        let (gated, _) = self.gated.as_chunks_mut::<V>();
        for ((row, gated), sums) in (row..).zip(&mut gated[row..]).zip(sums) {
            let unit = simd.splat_f32s(self.row_units[row]);
            let mut results = [unit; V];
            for index in 0..V {
                let column = simd.mul_f32s(columns[index], unit);
                let sum = kernel.scale_column(sums[index], simd.splat_f32s(1.0));
                results[index] = mul_add(simd, sum, column, bias[index]);
            }
            if self.is_gate {
                let at = self.rows.cells[row] * self.vectors + self.vector;
                let to = &mut self.to[at..][..V];
                for index in 0..V {
                    to[index] = simd.mul_f32s(gated[index], results[index]);
                }
            } else {
                for index in 0..V {
                    gated[index] = activate(simd, Activation::Silu, results[index]);
                }
            }
        }
    }
}
