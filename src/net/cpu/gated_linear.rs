//! Gated linear layer (SwiGLU) in 16-bit integers, computed panel by panel.

use pulp::Simd;

use super::activations::{ForF32, activate};
use super::aligned::AlignedBuffer;
use super::direct_layers::{QuantizedLinearWorkspace, QuantizedWeights};
use super::gemm::packing::panel_vector_ranges;
use super::gemm::{Columns, Floats, Kernel, Sink, WithKernel, dense_rows, multiply_panel};
use super::layout::LayoutRows;
use super::vectors::mul_add;
use crate::net::spec::layers::Activation;

/// Weights of a gated linear layer: `silu(x W0 + b0) * (x W1 + b1)`.
#[derive(Debug)]
pub struct QuantizedGatedWeights {
    /// Two matrices: the activated one (W0) and the gate (W1).
    pub weights: QuantizedWeights,
    /// Bias of each matrix, `[outputs]`.
    pub bias: [AlignedBuffer; 2],
}

/// Arguments for running a gated linear layer.
pub struct QuantizedGatedLinear<'a> {
    pub layer: &'a QuantizedGatedWeights,
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    /// Output, `[cells, outputs]`.
    pub to: &'a mut [f32],
    pub workspace: &'a mut QuantizedLinearWorkspace,
}

impl WithKernel<u32> for QuantizedGatedLinear<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = u32>>(self, kernel: K) {
        let layer = self.layer;
        let packed = &layer.weights.packed;
        let max_rows = self
            .workspace
            .reserve_chunk(packed.depth, self.rows.cells.len());
        let columns = K::MAX_PANEL_VECTORS * <K::Simd as Simd>::F32_LANES;
        self.workspace
            .gated
            .reallocate_if_shorter(max_rows * columns);
        for rows in self.rows.chunks(max_rows) {
            self.workspace
                .quantize(kernel, rows, self.from, &layer.weights);
            let QuantizedLinearWorkspace { data, units, gated } = &mut *self.workspace;
            let inputs = dense_rows(&data[..rows.cells.len() * packed.depth], packed.depth);
            let mut sink = GatedSink {
                gated: <K::Simd as Simd>::as_mut_simd_f32s(gated).0,
                matrix: 0,
                row_units: units,
                bias: layer
                    .bias
                    .each_ref()
                    .map(|bias| <K::Simd as Simd>::as_simd_f32s(bias).0),
                rows,
                to: <K::Simd as Simd>::as_mut_simd_f32s(self.to).0,
            };
            for panel in panel_vector_ranges(packed.vectors, K::MAX_PANEL_VECTORS) {
                // A loop, so that the code of the matrix multiplication is generated only once.
                for matrix in 0..2 {
                    sink.matrix = matrix;
                    multiply_panel(kernel, inputs, packed, (matrix, panel), &mut sink);
                }
            }
        }
    }
}

/// [`Sink`] for both matrices of a gated layer. For the first matrix, stores the activated results in `gated`. For the
/// gate, multiplies these by the results of the gate and stores the products in `to`.
struct GatedSink<'a, S: Simd> {
    /// Activated results of the first matrix, `[rows, vectors of the panel]`.
    gated: &'a mut [S::f32s],
    /// Matrix to which the sums belong: 0, or 1 for the gate.
    matrix: usize,
    /// Unit of each input row.
    row_units: &'a [f32],
    /// Bias of each matrix.
    bias: [&'a [S::f32s]; 2],
    rows: LayoutRows<'a>,
    /// Output, `[cells, vectors]`.
    to: &'a mut [S::f32s],
}

impl<K: Kernel> Sink<K> for GatedSink<'_, K::Simd> {
    const PREFETCH: bool = false;

    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        columns: &Columns<'_, K>,
        sums: [[K::Sums; V]; R],
    ) {
        let simd = kernel.simd();
        let units: [Floats<K>; V] = columns.units(kernel);
        let bias = self.bias[self.matrix];
        let vectors = bias.len();
        let bias = &bias[columns.vector..][..V];
        let (gated, _) = self.gated.as_chunks_mut::<V>();
        for ((row, gated), sums) in (row..).zip(&mut gated[row..]).zip(sums) {
            let row_unit = simd.splat_f32s(self.row_units[row]);
            let mut results = [row_unit; V];
            for index in 0..V {
                let unit = simd.mul_f32s(units[index], row_unit);
                results[index] = mul_add(simd, kernel.floats(sums[index]), unit, bias[index]);
            }
            if self.matrix == 0 {
                for index in 0..V {
                    gated[index] = activate::<ForF32, _>(simd, Activation::Silu, results[index]);
                }
            } else {
                let at = self.rows.cells[row] * vectors + columns.vector;
                let to = &mut self.to[at..][..V];
                for index in 0..V {
                    to[index] = simd.mul_f32s(gated[index], results[index]);
                }
            }
        }
    }
}
