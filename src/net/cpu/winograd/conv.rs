//! Winograd convolution in floats or 16-bit integers, one panel of output channels at a time.
//!
//! Integer kernels quantise the transformed input with one scale for each of the 36 frequencies. The products are
//! converted back to floats with a factor for each frequency and output. The scales are fixed by calibration. If an
//! input exceeds the quantisation limit, the results for its board are meaningless, and the workspace records the board
//! as saturated.

use pulp::Simd;

use super::tiling::{Tile, TiledInput};
use super::{
    INPUT_TILE_SIDE, NUM_FREQUENCIES, TileFrequencyViewMut, frequency_kind, frequency_stride,
    input_transform_line, input_transform_rows, output_transform, tile_column,
};
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::gemm::epilogue::{LayerOutput, OutputVectors};
use crate::net::cpu::gemm::packing::{PackedMatrices, max_quantized_input, panel_vector_ranges};
use crate::net::cpu::gemm::{Dense, Floats, Kernel, WithKernel, dense_rows, multiply_panel};
use crate::net::cpu::layout::BoardLayout;
use crate::net::cpu::strided_view::{StridedView, StridedViewMut};

/// Ratio of the quantisation limit to the largest magnitude seen in calibration.
///
/// Measured after calibration on 64 positions: with 1.5, some of 2,000 other positions exceeded the limit, and the mean
/// error was ten times that with 2. With 3, the rounding errors were larger than with 2.
const CALIBRATION_MARGIN: f32 = 2.0;

/// Transformed weights of a convolution. `T` is the element type of a [`Kernel`].
#[derive(Debug)]
pub struct WinogradWeights<T> {
    packed: PackedMatrices<T>,
    /// Scale of the transformed input before rounding, for each frequency; 1 for floats.
    scales: [f32; NUM_FREQUENCIES],
    /// Maximum magnitude of a quantised input; infinite for floats.
    largest: f32,
}

impl WinogradWeights<f32> {
    /// Packs transformed weights (`[36, inputs, outputs]`) for vectors with `lanes` lanes.
    pub fn pack_f32(lanes: usize, weights: &[f32], outputs: usize) -> Self {
        Self {
            packed: PackedMatrices::pack_f32(lanes, weights, NUM_FREQUENCIES, outputs),
            scales: [1.0; NUM_FREQUENCIES],
            largest: f32::INFINITY,
        }
    }
}

impl WinogradWeights<u32> {
    /// Quantises and packs transformed weights (`[36, inputs, outputs]`) for vectors with `lanes` lanes.
    ///
    /// For each frequency, `ranges` contains the largest magnitude of the transformed input seen in calibration, or 0
    /// if none was recorded. A range of 0 is replaced by the largest of all ranges.
    pub fn quantize_and_pack(
        lanes: usize,
        weights: &[f32],
        outputs: usize,
        ranges: [f32; NUM_FREQUENCIES],
    ) -> Self {
        let inputs = weights.len() / (NUM_FREQUENCIES * outputs);
        let largest = max_quantized_input(inputs);
        let largest_range = ranges.iter().copied().fold(0.0, f32::max);
        let scales = ranges.map(|range| {
            let range = if range > 0.0 { range } else { largest_range };
            let scale = largest / (CALIBRATION_MARGIN * range);
            // The scale is 1 if the range is extremely small or if there are no ranges.
            if scale.is_normal() { scale } else { 1.0 }
        });
        Self {
            packed: PackedMatrices::quantize_and_pack(
                lanes,
                weights,
                outputs,
                &scales.map(f32::recip),
                largest,
            ),
            scales,
            largest,
        }
    }
}

/// Workspace shared by the Winograd convolutions of a program.
#[derive(Debug, Default)]
pub struct WinogradWorkspace<T> {
    /// Transformed input, `[36, tiles, depth]`, with a gap after each frequency.
    inputs: AlignedBuffer<T>,
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

impl<T> WinogradWorkspace<T> {
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

/// Arguments for running a convolution with Winograd's algorithm.
pub struct WinogradConv<'a, T> {
    pub source: TiledInput<'a>,
    /// ID of the input. Convolutions with the same ID, tile side and scales share the transformed input.
    pub input_id: usize,
    pub weights: &'a WinogradWeights<T>,
    pub workspace: &'a mut WinogradWorkspace<T>,
    pub output: LayerOutput<'a>,
}

impl<T: Copy + Default> WithKernel<T> for WinogradConv<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(mut self, kernel: K) {
        let key = InputKey {
            input_id: self.input_id,
            side: self.source.tiling.side,
            scales: self.weights.scales,
        };
        if self.workspace.inputs_of != Some(key) {
            self.transform_input(kernel);
            self.workspace.inputs_of = Some(key);
        }
        let vectors = self.weights.packed.vectors;
        if const { K::CHANNELS > 1 } {
            self.reserve_products::<K>(K::MAX_PANEL_VECTORS.min(vectors));
            for panel in panel_vector_ranges(vectors, K::MAX_PANEL_VECTORS) {
                for frequency in 0..NUM_FREQUENCIES {
                    self.multiply(kernel, frequency, panel, panel);
                }
                self.store_panels(kernel, panel);
            }
            return;
        }
        // Floats take twice the memory of integers. The frequencies are processed one at a time, so that the inputs of
        // a frequency stay in the L1 cache.
        let all = (0, vectors);
        self.reserve_products::<K>(vectors);
        for frequency in 0..NUM_FREQUENCIES {
            for panel in panel_vector_ranges(vectors, K::MAX_PANEL_VECTORS) {
                self.multiply(kernel, frequency, panel, all);
            }
        }
        self.store_panels(kernel, all);
    }
}

impl<T: Copy + Default> WinogradConv<'_, T> {
    /// Returns the number of elements per row of the transformed input.
    #[inline(always)]
    fn depth<K: Kernel<Element = T>>(&self) -> usize {
        K::depth(self.source.stride)
    }

    /// Allocates memory for the products of `vectors` vectors of output channels.
    fn reserve_products<K: Kernel>(&mut self, vectors: usize) {
        let columns = vectors * <K::Simd as Simd>::F32_LANES;
        let stride = frequency_stride(self.source.tiling.tile_count(), columns);
        self.workspace
            .products
            .reallocate_if_shorter(NUM_FREQUENCIES * stride);
    }

    /// Transforms and packs the input. Records boards whose input exceeds the quantisation limit.
    #[inline(always)]
    fn transform_input<K: Kernel<Element = T>>(&mut self, kernel: K) {
        let (simd, source) = (kernel.simd(), self.source);
        let lanes = <K::Simd as Simd>::F32_LANES;
        let vectors = source.stride / lanes;
        let row_stride = source.row_stride() / lanes;
        let from = <K::Simd as Simd>::as_simd_f32s(source.from).0;
        let depth = self.depth::<K>();
        let stride = frequency_stride(source.tiling.tile_count(), depth);
        self.workspace
            .inputs
            .reallocate_if_shorter(NUM_FREQUENCIES * stride);
        let (stride, depth) = (stride / lanes, depth / lanes);
        let to = K::vectors_mut(&mut self.workspace.inputs);
        for tile in source.tiling.iter() {
            let from = &from[source.first_cell(tile) * vectors..];
            let mut peak = kernel.broadcast(T::default());
            for element in 0..depth {
                let vector = K::CHANNELS * element;
                let low = input_transform_rows(simd, &from[vector..], row_stride, vectors);
                let high = match K::CHANNELS > 1 && vector + 1 < vectors {
                    true => input_transform_rows(simd, &from[vector + 1..], row_stride, vectors),
                    false => [[simd.splat_f32s(0.0); INPUT_TILE_SIDE]; INPUT_TILE_SIDE],
                };
                let starts = tile.rows.map(|row| row * depth + element);
                let to = StridedViewMut::new(to, stride, starts);
                transform_columns_and_store(kernel, [&low, &high], self.weights, to, &mut peak);
            }
            if kernel.exceeds(peak, self.weights.largest)
                && !self.workspace.saturated.contains(&tile.board)
            {
                self.workspace.saturated.push(tile.board);
            }
        }
    }

    /// Multiplies the transformed input at one frequency by one panel of weights. `first` and `count` are the panel's
    /// range of output vectors, as yielded by [`panel_vector_ranges`]. Each row of the stored products consists of
    /// these `count` vectors.
    #[inline(always)]
    fn multiply<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        frequency: usize,
        panel: (usize, usize),
        (first, count): (usize, usize),
    ) {
        let tiling = self.source.tiling;
        let tiles = tiling.tile_count();
        let depth = self.depth::<K>();
        let stride = frequency_stride_in_vectors::<K::Simd>(tiles, count);
        let products = <K::Simd as Simd>::as_mut_simd_f32s(&mut self.workspace.products).0;
        let num_rows = tiling.matrix_rows(frequency_kind(
            frequency / INPUT_TILE_SIDE,
            frequency % INPUT_TILE_SIDE,
        ));
        let inputs = &self.workspace.inputs[frequency * frequency_stride(tiles, depth)..];
        let rows = dense_rows(&inputs[..num_rows * depth], depth);
        let mut sink = Dense::<_, false> {
            to: &mut products[frequency * stride..][..num_rows * count],
            stride: count,
            first,
            row_units: &[],
        };
        multiply_panel(
            kernel,
            rows,
            &self.weights.packed,
            (frequency, panel),
            &mut sink,
        );
    }

    /// Applies the output transform to the products of `count` vectors of channels, starting at `first`, and stores the
    /// results.
    #[inline(always)]
    fn store_panels<K: Kernel<Element = T>>(&mut self, kernel: K, (first, count): (usize, usize)) {
        match self.source.tiling.side {
            4 => self.store::<K, 4>(kernel, first, count),
            _ => self.store::<K, 2>(kernel, first, count),
        }
    }

    #[inline(always)]
    fn store<K: Kernel<Element = T>, const OUTPUT_SIDE: usize>(
        &mut self,
        kernel: K,
        first: usize,
        count: usize,
    ) {
        let simd = kernel.simd();
        let tiling = self.source.tiling;
        let stride = frequency_stride_in_vectors::<K::Simd>(tiling.tile_count(), count);
        let products = <K::Simd as Simd>::as_simd_f32s(&self.workspace.products).0;
        let mut output = OutputVectors::new(simd, &mut self.output);
        for tile in tiling.iter() {
            for index in 0..count {
                let starts = tile.rows.map(|row| row * count + index);
                let products = StridedView::new(products, stride, starts);
                let sums = output_transform::<K::Simd, OUTPUT_SIDE>(simd, products);
                store_tile(simd, tiling.layout, tile, first + index, sums, &mut output);
            }
        }
    }
}

/// Returns the distance between the products of two consecutive frequencies, in vectors.
fn frequency_stride_in_vectors<S: Simd>(tiles: usize, vectors: usize) -> usize {
    frequency_stride(tiles, vectors * S::F32_LANES) / S::F32_LANES
}

/// Applies the second half of the input transform (to the columns) to one or two vectors of channels, then packs and
/// stores the results. Records in `peak` whether a number exceeds the quantisation limit.
#[inline(always)]
fn transform_columns_and_store<K: Kernel>(
    kernel: K,
    [low, high]: [&[[Floats<K>; INPUT_TILE_SIDE]; INPUT_TILE_SIDE]; 2],
    weights: &WinogradWeights<K::Element>,
    mut to: TileFrequencyViewMut<'_, K::Vector>,
    peak: &mut K::Vector,
) {
    let simd = kernel.simd();
    let limit = simd.splat_f32s(weights.largest);
    for column in 0..INPUT_TILE_SIDE {
        let low = input_transform_line(simd, tile_column(low, column));
        let high = match K::CHANNELS {
            1 => low,
            _ => input_transform_line(simd, tile_column(high, column)),
        };
        for row in 0..INPUT_TILE_SIDE {
            let frequency = row * INPUT_TILE_SIDE + column;
            let scale = simd.splat_f32s(weights.scales[frequency]);
            *to.get_mut(frequency_kind(row, column), frequency) =
                kernel.quantize_tracked(low[row], high[row], scale, limit, peak);
        }
    }
}

/// Applies the epilogue to one vector of channels of a tile and stores the results. Discards results for points that
/// the tile does not store ([`Tile::points`]).
#[inline(always)]
fn store_tile<S: Simd, const T: usize>(
    simd: S,
    layout: &BoardLayout,
    tile: Tile,
    vector: usize,
    sums: [[S::f32s; T]; T],
    output: &mut OutputVectors<'_, S>,
) {
    let Tile {
        board, row, column, ..
    } = tile;
    let cell = layout.cell(board, row, column);
    let (rows, columns) = tile.points;
    if (rows, columns) == (T, T) {
        return output.store_whole_tile(simd, (cell, layout.row_stride), board, vector, sums);
    }
    for (row, sums) in sums.iter().enumerate().take(rows) {
        let sums = &sums[..columns];
        output.store_cells(simd, cell + row * layout.row_stride, board, vector, sums);
    }
}
