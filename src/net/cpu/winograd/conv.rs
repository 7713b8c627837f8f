//! Winograd convolution in floats or 16-bit integers, one panel of output channels at a time.
//!
//! Integer kernels quantise the transformed input with one scale for each of the 36 frequencies. The products are
//! converted back to floats with a factor for each frequency and output. The scales are fixed by calibration. If an
//! input exceeds the quantisation limit, the results for its board are meaningless, and the workspace records the board
//! as saturated.

use std::cell::Cell;
use std::ops::Range;

use pulp::Simd;

use super::tiling::TiledInput;
use super::{
    INPUT_TILE_SIDE, NUM_FREQUENCIES, TileFrequencyView, frequency_kind, frequency_stride,
    input_transform_line, input_transform_rows, output_transform, tile_column,
};
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::gemm::epilogue::{LayerOutput, OutputVectors};
use crate::net::cpu::gemm::kernel::{Dense, Floats, Kernel, Rows, WithKernel, zero};
use crate::net::cpu::gemm::packing::{PackedMatrices, max_quantized_input};
use crate::net::cpu::strided_view::StridedView;

/// Ratio of the quantisation limit to the largest magnitude seen in calibration.
///
/// Measured after calibration on 64 positions: with 1.5, some of 2,000 other positions exceeded the limit, and the mean
/// error was ten times that with 2. With 3, the rounding errors were larger than with 2.
const CALIBRATION_MARGIN: f32 = 2.0;

/// Transformed weights of a convolution.
#[derive(Debug)]
pub struct WinogradWeights {
    pub packed: PackedMatrices,
    /// Scale of the transformed input before rounding, for each frequency; 1 for floats.
    scales: [f32; NUM_FREQUENCIES],
}

impl WinogradWeights {
    /// Packs transformed weights (`[36, inputs, outputs]`) for vectors with `lanes` lanes, in 16-bit integers if there
    /// are `ranges`, and otherwise in floats.
    ///
    /// For each frequency, `ranges` contains the largest magnitude of the transformed input seen in calibration, or 0
    /// if none was recorded. A range of 0 is replaced by the largest of all ranges.
    pub fn new(
        lanes: usize,
        weights: &[f32],
        outputs: usize,
        ranges: Option<[f32; NUM_FREQUENCIES]>,
    ) -> Self {
        let Some(ranges) = ranges else {
            return Self {
                packed: PackedMatrices::pack_f32(lanes, weights, NUM_FREQUENCIES, outputs, true),
                scales: [1.0; NUM_FREQUENCIES],
            };
        };
        let inputs = weights.len() / (NUM_FREQUENCIES * outputs);
        let largest = max_quantized_input(inputs);
        let largest_range = ranges.iter().copied().fold(0.0, f32::max);
        let scales = ranges.map(|range| {
            let range = if range > 0.0 { range } else { largest_range };
            let scale = largest / (CALIBRATION_MARGIN * range);
            // The scale is 1 if the range is extremely small or if there are no ranges.
            if scale.is_normal() { scale } else { 1.0 }
        });
        let units = scales.map(f32::recip);
        Self {
            packed: PackedMatrices::quantize_and_pack(lanes, weights, outputs, &units),
            scales,
        }
    }
}

/// Workspace shared by the Winograd convolutions of a program.
#[derive(Debug, Default)]
pub struct WinogradWorkspace {
    /// Transformed input, `[36, tiles, depth]`, with a gap after each frequency.
    inputs: AlignedBuffer,
    /// Identity of the content of `inputs`, so that convolutions of the same input can share it. `None` if the content
    /// is stale.
    inputs_of: Option<InputKey>,
    /// Indices of the boards on which a transformed input has exceeded the quantisation limit since the last call of
    /// [`reset`](Self::reset).
    saturated: Vec<usize>,
    /// Products for one panel of outputs (integers) or for all outputs (floats), `[36, tiles, vectors]`, with a gap
    /// after each frequency.
    products: AlignedBuffer,
}

/// Identity of a transformed input.
#[derive(Clone, Copy, Debug, PartialEq)]
struct InputKey {
    input_id: usize,
    side: usize,
    scales: [f32; NUM_FREQUENCIES],
}

impl WinogradWorkspace {
    /// Marks the transformed input as stale, so that the next convolution transforms its input again, and clears the
    /// record of saturated boards.
    pub fn reset(&mut self) {
        self.inputs_of = None;
        self.saturated.clear();
    }

    /// Returns true if a transformed input of this board has exceeded the quantisation limit since the last call of
    /// [`reset`](Self::reset).
    pub fn is_board_saturated(&self, board: usize) -> bool {
        self.saturated.contains(&board)
    }
}

/// Arguments for running a convolution with Winograd's algorithm. The kernel must not be for bfloat16.
pub struct WinogradConv<'a> {
    pub source: TiledInput<'a>,
    /// ID of the input. Convolutions with the same ID, tile side and scales share the transformed input.
    pub input_id: usize,
    pub weights: &'a WinogradWeights,
    pub workspace: &'a mut WinogradWorkspace,
    pub output: LayerOutput<'a>,
}

impl WithKernel for WinogradConv<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel>(self, kernel: K) {
        // No code is generated for bfloat16.
        if const { K::QUANTIZED || K::CHANNELS == 1 } {
            self.run(kernel);
        }
    }
}

impl WinogradConv<'_> {
    #[inline(always)]
    fn run<K: Kernel>(mut self, kernel: K) {
        let key = InputKey {
            input_id: self.input_id,
            side: self.source.tiling.side,
            scales: self.weights.scales,
        };
        if self.workspace.inputs_of != Some(key) {
            self.transform_input(kernel);
            self.workspace.inputs_of = Some(key);
        }
        let packed = &self.weights.packed;
        let panels = packed.panels_per_matrix;
        // Floats take twice the memory of integers. The frequencies are processed one at a time, so that the inputs of
        // a frequency stay in the L1 cache.
        let group = if K::QUANTIZED { 1 } else { panels };
        for first in (0..panels).step_by(group) {
            let lanes = K::Simd::F32_LANES;
            let panel = packed.panel(packed.panel_index(0, first));
            let vectors = match K::QUANTIZED {
                true => (panel.vector, panel.width),
                false => (0, packed.columns / lanes),
            };
            let columns = vectors.1 * lanes;
            let stride = frequency_stride(self.source.tiling.tiles.len(), columns);
            let products = &mut self.workspace.products;
            products.reallocate_if_shorter(NUM_FREQUENCIES * stride);
            for frequency in 0..NUM_FREQUENCIES {
                self.multiply(kernel, frequency, first..first + group, vectors);
            }
            match self.source.tiling.side {
                4 => self.store::<K, 4>(kernel, vectors),
                _ => self.store::<K, 2>(kernel, vectors),
            }
        }
    }

    /// Transforms and packs the input. Records the boards with an input above the quantisation limit.
    #[inline(always)]
    fn transform_input<K: Kernel>(&mut self, kernel: K) {
        let (simd, source) = (kernel.simd(), self.source);
        let lanes = K::Simd::F32_LANES;
        let vectors = source.stride / lanes;
        let row_stride = source.row_stride() / lanes;
        let from = K::Simd::as_simd_f32s(source.from).0;
        let depth = K::depth(source.stride);
        let stride = frequency_stride(source.tiling.tiles.len(), depth);
        let inputs = &mut self.workspace.inputs;
        inputs.reallocate_if_shorter(NUM_FREQUENCIES * stride);
        let (stride, depth) = (stride / lanes, depth / lanes);
        let to = Cell::from_mut(K::vectors_mut(inputs)).as_slice_of_cells();
        for tile in source.tiling.tiles {
            let from = &from[source.first_cell(tile) * vectors..];
            let mut peak = zero();
            for element in 0..depth {
                let vector = K::CHANNELS * element;
                let low = input_transform_rows(simd, &from[vector..], row_stride, vectors);
                let high = match K::CHANNELS > 1 && vector + 1 < vectors {
                    true => input_transform_rows(simd, &from[vector + 1..], row_stride, vectors),
                    false => [[zero(); INPUT_TILE_SIDE]; INPUT_TILE_SIDE],
                };
                let starts = tile.rows.map(|row| row * depth + element);
                let to = StridedView::new(to, stride, starts);
                transform_columns_and_store(kernel, [&low, &high], self.weights, to, &mut peak);
            }
            if kernel.exceeds(peak, self.weights.packed.largest)
                && !self.workspace.saturated.contains(&tile.board)
            {
                self.workspace.saturated.push(tile.board);
            }
        }
    }

    /// Multiplies the transformed input at one frequency by a range of panels of weights. Each row of the stored products
    /// consists of the `count` vectors of columns of these panels, starting at `first`.
    #[inline(always)]
    fn multiply<K: Kernel>(
        &mut self,
        kernel: K,
        frequency: usize,
        panels: Range<usize>,
        (first, count): (usize, usize),
    ) {
        let (tiling, packed) = (self.source.tiling, &self.weights.packed);
        let lanes = K::Simd::F32_LANES;
        let tiles = tiling.tiles.len();
        let stride = frequency_stride(tiles, count * lanes) / lanes;
        let products = K::Simd::as_mut_simd_f32s(&mut self.workspace.products).0;
        let num_rows = tiling.matrix_rows(frequency_kind(frequency));
        let depth = K::depth(self.source.stride);
        let inputs = &self.workspace.inputs[frequency * frequency_stride(tiles, depth)..];
        let rows = Rows::dense(inputs, num_rows, depth);
        let mut sink = Dense::<K::Simd> {
            to: &mut products[frequency * stride..][..num_rows * count],
            stride: count,
            first,
            row_units: &[],
        };
        let first = packed.panel_index(frequency, panels.start);
        kernel.multiply(rows, packed, first..first + panels.len(), &mut sink);
    }

    /// Applies the output transform to the products of `count` vectors of channels, starting at `first`, and stores the
    /// results for the points that each tile stores.
    #[inline(always)]
    fn store<K: Kernel, const OUTPUT_SIDE: usize>(
        &mut self,
        kernel: K,
        (first, count): (usize, usize),
    ) {
        let simd = kernel.simd();
        let lanes = K::Simd::F32_LANES;
        let tiling = self.source.tiling;
        let stride = frequency_stride(tiling.tiles.len(), count * lanes) / lanes;
        let products = K::Simd::as_simd_f32s(&self.workspace.products).0;
        let mut output = OutputVectors::new(kernel, &mut self.output);
        for tile in tiling.tiles {
            let layout = tiling.layout;
            let cell = layout.cell(tile.board, tile.row, tile.column);
            for index in 0..count {
                let starts = tile.rows.map(|row| row * count + index);
                let products = StridedView::new(products, stride, starts);
                let sums = output_transform::<K::Simd, OUTPUT_SIDE>(simd, products);
                let cells = (cell, layout.row_stride);
                output.store_tile(cells, tile.board, first + index, tile.points, &sums);
            }
        }
    }
}

/// Applies the second half of the input transform (to the columns) to one or two vectors of channels, then packs and
/// stores the results. Records in `peak` whether a number exceeds the quantisation limit.
#[inline(always)]
fn transform_columns_and_store<K: Kernel>(
    kernel: K,
    [low, high]: [&[[Floats<K>; INPUT_TILE_SIDE]; INPUT_TILE_SIDE]; 2],
    weights: &WinogradWeights,
    to: TileFrequencyView<'_, Cell<K::Vector>>,
    peak: &mut K::Vector,
) {
    let simd = kernel.simd();
    let limit = simd.splat_f32s(weights.packed.largest);
    for column in 0..INPUT_TILE_SIDE {
        let low = input_transform_line(simd, tile_column(low, column));
        let high = match K::CHANNELS {
            1 => low,
            _ => input_transform_line(simd, tile_column(high, column)),
        };
        for row in 0..INPUT_TILE_SIDE {
            let frequency = row * INPUT_TILE_SIDE + column;
            let values = [low[row], high[row]];
            let scale = simd.splat_f32s(weights.scales[frequency]);
            kernel.record_peak(values, scale, limit, peak);
            to.get(frequency_kind(frequency), frequency)
                .set(kernel.quantize(values, scale));
        }
    }
}
