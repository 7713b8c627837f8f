//! Convolutions and linear layers, computed as matrix products of rows and weights. Float kernels read the rows
//! directly from the input. Integer kernels quantise each row first.

use pulp::Simd;

use super::aligned::AlignedBuffer;
use super::gemm::epilogue::{EpilogueSink, LayerOutput, OutputVectors};
use super::gemm::i16::row_scale_and_unit;
use super::gemm::packing::{PackedMatrices, max_quantized_input};
use super::gemm::{Kernel, Rows, WithKernel, dense_rows, multiply};
use super::layout::LayoutRows;
use crate::net::spec::check::MAX_KERNEL_SIDE;

/// Arguments for running a convolution or a linear layer in floats, without Winograd's algorithm.
pub struct F32DirectLayer<'a> {
    pub weights: &'a PackedMatrices<f32>,
    /// Height and width of the kernel.
    pub kernel: (usize, usize),
    /// Distance between rows of a board, in cells.
    pub row_stride: usize,
    /// Points for which results are computed, or boards if the linear layer is applied once per board.
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, stride]`, and its stride: the number of channels, padded to whole vectors.
    pub from: (&'a [f32], usize),
    pub output: LayerOutput<'a>,
}

impl WithKernel<f32> for F32DirectLayer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = f32>>(mut self, kernel: K) {
        let (height, width) = self.kernel;
        let (from, stride) = self.from;
        // Offset of each tap from the first tap, in elements.
        let mut taps = [0; MAX_KERNEL_SIDE * MAX_KERNEL_SIDE];
        let taps = &mut taps[..height * width];
        for (tap, offset) in taps.iter_mut().enumerate() {
            *offset = (tap / width * self.row_stride + tap % width) * stride;
        }
        // Distance from the first tap, which lies above and to the left of the point, to the point, in cells.
        let corner = height / 2 * self.row_stride + width / 2;
        let cells = self.rows.cells;
        let rows = Rows {
            data: from,
            count: cells.len(),
            start: |row: usize| (cells[row] - corner) * stride,
            taps,
        };
        let mut sink = EpilogueSink {
            output: OutputVectors::new(kernel.simd(), &mut self.output),
            rows: self.rows,
            row_units: &[],
        };
        multiply(kernel, rows, self.weights, &mut sink);
    }
}

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

/// Weights of a linear layer in 16-bit integers.
#[derive(Debug)]
pub struct QuantizedWeights {
    pub packed: PackedMatrices<u32>,
    /// Maximum magnitude of a quantised input.
    pub largest: f32,
}

impl QuantizedWeights {
    /// Quantises and packs `matrices` matrices (`[matrices, inputs, outputs]`) that are multiplied by the same rows.
    pub fn new(
        lanes: usize,
        weights: &[f32],
        inputs: usize,
        outputs: usize,
        matrices: usize,
    ) -> Self {
        let largest = max_quantized_input(inputs);
        Self {
            packed: PackedMatrices::quantize_and_pack(
                lanes,
                weights,
                outputs,
                &vec![1.0; matrices],
                largest,
            ),
            largest,
        }
    }
}

/// Workspace of quantised linear layers: quantised input rows, and the intermediate results of gated layers. Each row
/// is scaled by its own largest magnitude.
#[derive(Debug, Default)]
pub struct QuantizedLinearWorkspace {
    /// Quantised rows, `[rows, pairs]`.
    pub data: AlignedBuffer<u32>,
    /// Unit of each row.
    pub units: Vec<f32>,
    /// Activated values of a gated layer, before the multiplication by the gate.
    pub gated: AlignedBuffer,
}

impl QuantizedLinearWorkspace {
    /// Allocates memory for rows of `pairs` elements and returns the number of rows to quantise at a time: at most
    /// `count`, but at least 1.
    pub fn reserve_chunk(&mut self, pairs: usize, count: usize) -> usize {
        let max_rows = (MAX_CHUNK_PAIRS / pairs).clamp(1, count.max(1));
        self.data.reallocate_if_shorter(max_rows * pairs);
        max_rows
    }

    /// Quantises the given rows of `from` (`[cells, stride]`) for multiplication by `weights`.
    #[inline(always)]
    pub fn quantize<K: Kernel<Element = u32>>(
        &mut self,
        kernel: K,
        rows: LayoutRows<'_>,
        (from, stride): (&[f32], usize),
        weights: &QuantizedWeights,
    ) {
        let simd = kernel.simd();
        let lanes = <K::Simd as Simd>::F32_LANES;
        let vectors = stride / lanes;
        let from = <K::Simd as Simd>::as_simd_f32s(from).0;
        let limit = simd.splat_f32s(weights.largest);
        let zero = simd.splat_f32s(0.0);
        self.units.clear();
        let to = K::vectors_mut(&mut self.data).chunks_exact_mut(weights.packed.depth / lanes);
        for (cell, to) in rows.cells.iter().zip(to) {
            let from = &from[cell * vectors..][..vectors];
            let (scale, unit) = row_scale_and_unit(simd, from.iter().copied(), weights.largest);
            self.units.push(unit);
            let scale = simd.splat_f32s(scale);
            for (to, from) in to.iter_mut().zip(from.chunks(2)) {
                let high = *from.get(1).unwrap_or(&zero);
                *to = kernel.quantize(from[0], high, scale, limit);
            }
        }
    }
}

/// Arguments for running a linear layer in 16-bit integers.
pub struct QuantizedLinear<'a> {
    pub weights: &'a QuantizedWeights,
    pub rows: LayoutRows<'a>,
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [f32], usize),
    pub workspace: &'a mut QuantizedLinearWorkspace,
    pub output: LayerOutput<'a>,
}

impl WithKernel<u32> for QuantizedLinear<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = u32>>(mut self, kernel: K) {
        let packed = &self.weights.packed;
        let max_rows = self
            .workspace
            .reserve_chunk(packed.depth, self.rows.cells.len());
        for rows in self.rows.chunks(max_rows) {
            self.workspace
                .quantize(kernel, rows, self.from, self.weights);
            let inputs = &self.workspace.data[..rows.cells.len() * packed.depth];
            let mut sink = EpilogueSink {
                output: OutputVectors::new(kernel.simd(), &mut self.output),
                rows,
                row_units: &self.workspace.units,
            };
            multiply(kernel, dense_rows(inputs, packed.depth), packed, &mut sink);
        }
    }
}
