//! Convolutions and linear layers, computed as matrix products of rows and weights. The rows are read directly from the
//! input, except that integer kernels quantise each row first.

use pulp::Simd;
use pulp::bytemuck::cast_slice_mut;

use super::activations::{OutputElement, activate};
use super::aligned::AlignedBuffer;
use super::gemm::epilogue::{EpilogueSink, LayerOutput, OutputVectors};
use super::gemm::i16::row_scale_and_unit;
use super::gemm::kernel::{Floats, Kernel, Rows, Sink, WithKernel, sum_units, zero};
use super::gemm::packing::{PackedMatrices, Panel};
use super::layout::LayoutRows;
use super::vectors::mul_add;
use crate::net::spec::layers::Activation;

/// Maximum number of pairs that are quantised before they are multiplied: 256 KiB, small enough for the cache.
const MAX_CHUNK_PAIRS: usize = 65_536;

/// Returns true if a linear layer that is applied to every point is estimated to be faster in 16-bit integers than in
/// floats.
///
/// The time for quantisation is proportional to the number of inputs. The time for the matrix multiplication is
/// proportional to inputs times outputs.
pub const fn is_i16_linear_faster(inputs: usize, outputs: usize) -> bool {
    inputs >= 32 && outputs >= 64
}

#[derive(Debug, Default)]
pub struct DirectWorkspace {
    /// Quantised rows, `[rows, pairs]`. Each row is scaled by its largest magnitude.
    quantized: AlignedBuffer,
    /// Unit of each quantised row.
    units: Vec<f32>,
    /// Results of the first matrix of a gated layer for one panel, `[rows, columns]`.
    activated: AlignedBuffer,
    /// Offset of each tap from the first tap, in words.
    taps: Vec<usize>,
}

/// Arguments for running a convolution or a linear layer without Winograd's algorithm.
pub struct DirectLayer<'a> {
    /// Weights: one matrix, or two for a gated layer, `silu(x W0 + b0) * (x W1 + b1)`. The result of a gated layer is
    /// stored as the second output, and its epilogue contains only the biases of both matrices.
    pub weights: &'a PackedMatrices,
    pub gated: bool,
    /// Height and width of the kernel. Integer kernels support only linear layers.
    pub kernel: (usize, usize),
    /// Distance between rows of an input board, in cells.
    pub row_stride: usize,
    /// Input cells of the points or boards for which results are computed.
    pub cells: &'a [usize],
    /// The same points or boards in the output.
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, stride]`, and the stride. In floats, unless the kernel is for bfloat16.
    pub from: (&'a [f32], usize),
    pub output: LayerOutput<'a>,
    pub workspace: &'a mut DirectWorkspace,
}

impl WithKernel for DirectLayer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel>(mut self, kernel: K) {
        let (height, width) = self.kernel;
        let (weights, (data, stride)) = (self.weights, self.from);
        let DirectWorkspace {
            quantized,
            units,
            activated,
            taps,
        } = self.workspace;
        taps.clear();
        taps.extend((0..height * width).map(|tap| {
            let cell = tap / width * self.row_stride + tap % width;
            cell * stride
        }));
        // Distance from the first tap, which lies above and to the left of the point, to the point, in cells.
        let corner = height / 2 * self.row_stride + width / 2;
        let mut max_rows = self.cells.len().max(1);
        if K::QUANTIZED {
            max_rows = max_rows.min(MAX_CHUNK_PAIRS / weights.depth).max(1);
            quantized.reallocate_if_shorter(max_rows * weights.depth);
        }
        let chunks = self.cells.chunks(max_rows);
        for (cells, rows) in chunks.zip(self.rows.chunks(max_rows)) {
            units.clear();
            let inputs = if const { K::QUANTIZED } {
                quantize(kernel, cells, self.from, weights, quantized, units);
                Rows::dense(quantized, cells.len(), weights.depth)
            } else {
                Rows {
                    data,
                    count: cells.len(),
                    cells: Some(cells),
                    stride,
                    corner: corner * stride,
                    taps,
                }
            };
            if self.gated {
                let columns = weights.max_panel_columns();
                activated.reallocate_if_shorter(cells.len() * columns);
                let bias = K::Simd::as_simd_f32s(&self.output.epilogue.bias).0;
                let (to, stride) = &mut self.output.copy;
                let mut sink = GatedSink {
                    activated: K::Simd::as_mut_simd_f32s(activated).0,
                    columns,
                    row_units: units,
                    bias: bias.split_at(bias.len() / 2),
                    cells: rows.cells,
                    to: cast_slice_mut(to),
                    stride: *stride * size_of::<f32>() / size_of::<K::Output>(),
                };
                kernel.multiply(inputs, weights, 0..weights.panels(), &mut sink);
            } else {
                let mut sink = EpilogueSink {
                    output: OutputVectors::new(kernel, &mut self.output),
                    rows,
                    row_units: units,
                };
                kernel.multiply(inputs, weights, 0..weights.panels(), &mut sink);
            }
        }
    }
}

/// Quantises rows of `from` (`[cells, stride]`) for multiplication by `weights`.
#[inline(always)]
fn quantize<K: Kernel>(
    kernel: K,
    cells: &[usize],
    (from, stride): (&[f32], usize),
    weights: &PackedMatrices,
    to: &mut [f32],
    units: &mut Vec<f32>,
) {
    let simd = kernel.simd();
    let lanes = K::Simd::F32_LANES;
    let vectors = stride / lanes;
    let from = K::Simd::as_simd_f32s(from).0;
    let to = K::vectors_mut(to).chunks_exact_mut(weights.depth / lanes);
    for (cell, to) in cells.iter().zip(to) {
        let from = &from[cell * vectors..][..vectors];
        let (scale, unit) = row_scale_and_unit(simd, from.iter().copied(), weights.largest);
        units.push(unit);
        let scale = simd.splat_f32s(scale);
        for (to, from) in to.iter_mut().zip(from.chunks(2)) {
            *to = kernel.quantize([from[0], *from.get(1).unwrap_or(&zero())], scale);
        }
    }
}

/// [`Sink`] for a gated layer. The panels alternate between two matrices. Stores the activated results of the first
/// matrix in `activated`, multiplies them by the results of the second matrix (the gate), and stores the products in
/// `to`.
struct GatedSink<'a, K: Kernel> {
    /// Activated results of the first matrix for one panel, `[rows, columns]`.
    activated: &'a mut [Floats<K>],
    columns: usize,
    /// Unit of each row; empty unless the kernel is quantised.
    row_units: &'a [f32],
    bias: (&'a [Floats<K>], &'a [Floats<K>]),
    cells: &'a [usize],
    to: &'a mut [K::Output],
    stride: usize,
}

impl<K: Kernel> Sink<K> for GatedSink<'_, K> {
    const PREFETCH: bool = false;

    #[inline(always)]
    fn take<const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        first: usize,
        sums: [Floats<K>; V],
    ) {
        let simd = kernel.simd();
        let lanes = K::Simd::F32_LANES;
        let row_unit = const { K::QUANTIZED }.then(|| self.row_units[row]);
        let units: [Floats<K>; V] = sum_units(kernel, panel, first, row_unit);
        let is_gate = panel.matrix == 1;
        let bias = if is_gate { self.bias.1 } else { self.bias.0 };
        let vector = panel.vector + first;
        let bias = &bias[vector..][..V];
        let activated = &mut self.activated[row * (self.columns / lanes) + first..][..V];
        let to = self.cells[row] * self.stride + vector * lanes;
        for index in 0..V {
            let result = mul_add(simd, sums[index], units[index], bias[index]);
            if is_gate {
                let product = simd.mul_f32s(activated[index], result);
                K::Output::store(simd, &mut self.to[to + index * lanes..], product);
            } else {
                activated[index] = activate::<K::Output, _>(simd, Activation::Silu, result);
            }
        }
    }

    #[inline(always)]
    fn take_column(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        vector: usize,
        sums: impl Iterator<Item = Floats<K>>,
    ) {
        let simd = kernel.simd();
        let lanes = K::Simd::F32_LANES;
        let column = panel.vector + vector;
        let step = self.columns / lanes;
        let activated = self.activated[row * step + vector..].iter_mut();
        let activated = activated.step_by(step);
        if panel.matrix == 1 {
            let bias = self.bias.1[column];
            for ((activated, cell), sum) in activated.zip(&self.cells[row..]).zip(sums) {
                let product = simd.mul_f32s(*activated, simd.add_f32s(sum, bias));
                let to = &mut self.to[cell * self.stride + column * lanes..];
                K::Output::store(simd, to, product);
            }
        } else {
            let bias = self.bias.0[column];
            for (activated, sum) in activated.zip(sums) {
                let result = simd.add_f32s(sum, bias);
                *activated = activate::<K::Output, _>(simd, Activation::Silu, result);
            }
        }
    }
}
