//! Attention between all points of a board, in floats or 16-bit integers.
//!
//! For each head, the keys are packed as a matrix with one column per point, and the values as a matrix with one row
//! per point. Queries are processed in blocks. A first matrix product computes their scores, a softmax turns the scores
//! into attention weights, and a second matrix product multiplies the weights by the values.
//!
//! Integer kernels quantise all operands at run time. Each query and each key is scaled by its own largest magnitude,
//! and the values of a head are scaled by their common largest magnitude. The attention weights are scaled so that no
//! sum can overflow. The *unit* of a quantised row is the number that the integer 1 represents.

use pulp::Simd;

use super::aligned::AlignedBuffer;
use super::gemm::i16::row_scale_and_unit;
use super::gemm::packing::{PackedMatrices, channels_of_pair, panel_vector_ranges};
use super::gemm::{Dense, Kernel, WithKernel, dense_rows, multiply};
use super::layout::BoardLayout;
use super::rotary::RotaryTables;
use crate::net::program::ops::AttentionOp;

/// Number of queries per block: large enough to fill a few of the largest register blocks, and small enough for the
/// scores of a block to stay in the cache.
const QUERIES_PER_BLOCK: usize = 27;
/// Maximum magnitude of an element of the quantised attention values.
const MAX_QUANTIZED_ATTENTION_VALUE: f32 = 16_383.0;

/// Workspace for one head. `T` is the element type of a [`Kernel`].
#[derive(Debug, Default)]
pub struct AttentionWorkspace<T> {
    /// Both halves of a rotated query or key, each padded with zeros to whole vectors.
    halves: [AlignedBuffer; 2],
    /// Keys before packing, `[points, depth]`.
    key_rows: AlignedBuffer<T>,
    /// Unit of each key.
    key_units: AlignedBuffer,
    keys: PackedMatrices<T>,
    /// Values before packing, `[points, channels]`.
    value_rows: AlignedBuffer,
    values: PackedMatrices<T>,
    /// Packed queries of a block, `[queries, depth]`.
    queries: AlignedBuffer<T>,
    /// Unit of each row of the left operand in the current matrix product.
    units: Vec<f32>,
    /// Scores of a block, `[queries, points]`.
    scores: AlignedBuffer,
    /// Attention weights, `[queries, depth]`.
    weights: AlignedBuffer<T>,
    /// Weighted sums of the values for a block of queries, `[queries, channels]`.
    mixed: AlignedBuffer,
}

/// Sizes of an attention layer for a kernel.
#[derive(Clone, Copy)]
struct PaddedSizes {
    /// Number of 32-bit floats per vector.
    lanes: usize,
    /// Number of points, without padding.
    area: usize,
    /// Number of channels in half a query, padded to whole vectors.
    half: usize,
    /// Number of elements per query and per key.
    query_depth: usize,
    /// Number of points, padded to whole vectors.
    points: usize,
    /// Number of elements per row of attention weights.
    weight_depth: usize,
    /// Number of channels per value, padded to whole vectors.
    channels: usize,
}

impl PaddedSizes {
    #[inline(always)]
    fn of<K: Kernel>(op: &AttentionOp, area: usize) -> Self {
        let lanes = <K::Simd as Simd>::F32_LANES;
        let half = op.width.div_ceil(2).next_multiple_of(lanes);
        Self {
            lanes,
            area,
            half,
            query_depth: 2 * half / K::CHANNELS,
            points: area.next_multiple_of(lanes),
            weight_depth: K::depth(area),
            channels: op.value_width.next_multiple_of(lanes),
        }
    }
}

impl<T: Copy + Default> AttentionWorkspace<T> {
    /// Reallocates the workspace if it was not allocated for a layer of these sizes. The content is unspecified.
    #[inline(always)]
    fn reserve<K: Kernel<Element = T>>(&mut self, sizes: PaddedSizes) {
        let PaddedSizes {
            lanes,
            half,
            query_depth,
            points,
            weight_depth,
            channels,
            ..
        } = sizes;
        let fits = |packed: &PackedMatrices<T>, depth, columns| {
            packed.depth == depth && packed.vectors * lanes == columns
        };
        if fits(&self.keys, query_depth, points) && fits(&self.values, weight_depth, channels) {
            return;
        }
        let packed = |depth, columns| {
            let has_units = K::CHANNELS > 1;
            PackedMatrices::zeros(lanes, depth, columns / lanes, 1, has_units)
        };
        *self = Self {
            halves: [AlignedBuffer::zeros(half), AlignedBuffer::zeros(half)],
            key_rows: AlignedBuffer::zeros(points * query_depth),
            key_units: AlignedBuffer::zeros(points),
            keys: packed(query_depth, points),
            value_rows: AlignedBuffer::zeros(K::CHANNELS * weight_depth * channels),
            values: packed(weight_depth, channels),
            queries: AlignedBuffer::zeros(QUERIES_PER_BLOCK * query_depth),
            units: Vec::with_capacity(QUERIES_PER_BLOCK),
            scores: AlignedBuffer::zeros(QUERIES_PER_BLOCK * points),
            weights: AlignedBuffer::zeros(QUERIES_PER_BLOCK * weight_depth),
            mixed: AlignedBuffer::zeros(QUERIES_PER_BLOCK * channels),
        };
    }
}

/// An attention layer and its inputs.
#[derive(Clone, Copy)]
pub struct AttentionInputs<'a> {
    pub op: &'a AttentionOp,
    pub layout: &'a BoardLayout,
    /// Number of boards.
    pub count: usize,
    /// Rotary position embedding of queries and keys.
    pub rotary: &'a RotaryTables,
    /// Queries, `[cells, stride]`, and the stride. The next two fields have the same form.
    pub query: (&'a [f32], usize),
    pub key: (&'a [f32], usize),
    pub value: (&'a [f32], usize),
}

impl<'a> AttentionInputs<'a> {
    /// Returns the number of consecutive query heads that share a key and value head.
    pub fn group_size(self) -> usize {
        self.op.heads / self.op.kv_heads
    }

    /// Returns the cells of the points of each board.
    pub fn point_cells_of_boards(self) -> impl Iterator<Item = &'a [usize]> {
        let points = self.layout.points_as_rows(self.count).cells;
        points.chunks_exact(self.layout.area())
    }
}

/// Arguments for running an attention layer in floats or 16-bit integers.
pub struct Attention<'a, T> {
    pub inputs: AttentionInputs<'a>,
    /// Output, `[cells, stride]`, and the stride.
    pub to: (&'a mut [f32], usize),
    pub workspace: &'a mut AttentionWorkspace<T>,
}

impl<T: Copy + Default> WithKernel<T> for Attention<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(mut self, kernel: K) {
        let AttentionInputs { op, layout, .. } = self.inputs;
        let group = self.inputs.group_size();
        let sizes = PaddedSizes::of::<K>(op, layout.area());
        self.workspace.reserve::<K>(sizes);
        for cells in self.inputs.point_cells_of_boards() {
            for kv_head in 0..op.kv_heads {
                self.pack_keys(kernel, sizes, cells, kv_head);
                self.pack_values(kernel, sizes, cells, kv_head);
                for head in kv_head * group..(kv_head + 1) * group {
                    for first in (0..cells.len()).step_by(QUERIES_PER_BLOCK) {
                        let queries = &cells[first..cells.len().min(first + QUERIES_PER_BLOCK)];
                        self.pack_queries(kernel, sizes, first, queries, (head, kv_head));
                        self.compute_scores(kernel, sizes, queries.len());
                        self.apply_softmax(kernel, sizes, queries.len());
                        self.mix_values(kernel, sizes, queries, head);
                    }
                }
            }
        }
    }
}

impl<T: Copy + Default> Attention<'_, T> {
    /// Rotates, quantises and packs the keys of a head.
    #[inline(always)]
    fn pack_keys<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        cells: &[usize],
        head: usize,
    ) {
        let workspace = &mut *self.workspace;
        let AttentionInputs {
            op,
            rotary,
            key: (values, stride),
            ..
        } = self.inputs;
        let (width, depth) = (op.width, sizes.query_depth);
        let rows = workspace.key_rows.chunks_exact_mut(depth);
        let rows = rows.zip(workspace.key_units.iter_mut());
        for ((point, cell), (to, unit)) in cells.iter().enumerate().zip(rows) {
            let row = &values[cell * stride + head * width..][..width];
            let rotation = rotary.cos_sin_at(head, point);
            *unit = rotate_quantize_and_pack(kernel, row, rotation, &mut workspace.halves, to);
        }
        for panel in panel_vector_ranges(sizes.points / sizes.lanes, K::MAX_PANEL_VECTORS) {
            let (first, columns) = (panel.0 * sizes.lanes, panel.1 * sizes.lanes);
            let (to, units) = workspace.keys.panel_with_units_mut(sizes.lanes, 0, panel);
            if K::CHANNELS > 1 {
                units.copy_from_slice(&workspace.key_units[first..][..columns]);
            }
            let rows = &workspace.key_rows[first * depth..][..columns * depth];
            for (column, row) in rows.chunks_exact(depth).enumerate() {
                for (to, from) in to[column..].iter_mut().step_by(columns).zip(row) {
                    *to = *from;
                }
            }
        }
    }

    /// Quantises and packs the values of a head.
    #[inline(always)]
    fn pack_values<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        cells: &[usize],
        head: usize,
    ) {
        let simd = kernel.simd();
        let PaddedSizes {
            lanes, channels, ..
        } = sizes;
        let vectors = channels / lanes;
        let workspace = &mut *self.workspace;
        let width = self.inputs.op.value_width;
        let (from, stride) = self.inputs.value;
        let value_rows = workspace.value_rows.chunks_exact_mut(channels);
        for (cell, to) in cells.iter().zip(value_rows) {
            to[..width].copy_from_slice(&from[cell * stride + head * width..][..width]);
            to[width..].fill(0.0);
        }
        let rows = <K::Simd as Simd>::as_simd_f32s(&workspace.value_rows).0;
        let (scale, unit) = match K::CHANNELS {
            1 => (1.0, 1.0),
            _ => row_scale_and_unit(simd, rows.iter().copied(), MAX_QUANTIZED_ATTENTION_VALUE),
        };
        let (scale, limit) = (
            simd.splat_f32s(scale),
            simd.splat_f32s(MAX_QUANTIZED_ATTENTION_VALUE),
        );
        for panel in panel_vector_ranges(vectors, K::MAX_PANEL_VECTORS) {
            let (vector, width) = panel;
            let (to, units) = workspace.values.panel_with_units_mut(lanes, 0, panel);
            units.fill(unit);
            for (element, to) in K::vectors_mut(to).chunks_exact_mut(width).enumerate() {
                let points = match K::CHANNELS {
                    1 => [element; 2],
                    _ => channels_of_pair(lanes, element),
                };
                let [low, high] = points.map(|point| &rows[point * vectors + vector..][..width]);
                for (index, to) in to.iter_mut().enumerate() {
                    *to = kernel.quantize(low[index], high[index], scale, limit);
                }
            }
        }
    }

    /// Rotates, quantises and packs a block of queries of `head`. `first` is the index of the block's first point.
    /// `kv_head` selects the rotation.
    #[inline(always)]
    fn pack_queries<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        first: usize,
        cells: &[usize],
        (head, kv_head): (usize, usize),
    ) {
        let workspace = &mut *self.workspace;
        let width = self.inputs.op.width;
        let (values, stride) = self.inputs.query;
        let rows = workspace.queries.chunks_exact_mut(sizes.query_depth);
        workspace.units.clear();
        for ((point, cell), to) in (first..).zip(cells).zip(rows) {
            let row = &values[cell * stride + head * width..][..width];
            let rotation = self.inputs.rotary.cos_sin_at(kv_head, point);
            let unit = rotate_quantize_and_pack(kernel, row, rotation, &mut workspace.halves, to);
            workspace.units.push(unit);
        }
    }

    /// Computes the scores of `count` queries against all keys.
    #[inline(always)]
    fn compute_scores<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        count: usize,
    ) {
        let workspace = &mut *self.workspace;
        kernel.run(MatrixProduct {
            rows: &workspace.queries[..count * sizes.query_depth],
            units: &workspace.units,
            matrix: &workspace.keys,
            to: &mut workspace.scores,
        });
    }

    /// Converts the scores of `count` queries to attention weights.
    #[inline(always)]
    fn apply_softmax<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        count: usize,
    ) {
        let workspace = &mut *self.workspace;
        let temperature = (self.inputs.op.width as f32).sqrt();
        let scores = workspace.scores.chunks_exact_mut(sizes.points);
        let weights = workspace.weights.chunks_exact_mut(sizes.weight_depth);
        workspace.units.clear();
        for (scores, weights) in scores.zip(weights).take(count) {
            scores[sizes.area..].fill(f32::NEG_INFINITY);
            let scores = <K::Simd as Simd>::as_mut_simd_f32s(scores).0;
            let weights = K::vectors_mut(weights);
            let unit = kernel.softmax(scores, sizes.area, temperature, weights);
            workspace.units.push(unit);
        }
    }

    /// Multiplies the attention weights by the values and stores the results.
    #[inline(always)]
    fn mix_values<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: PaddedSizes,
        cells: &[usize],
        head: usize,
    ) {
        let workspace = &mut *self.workspace;
        kernel.run(MatrixProduct {
            rows: &workspace.weights[..cells.len() * sizes.weight_depth],
            units: &workspace.units,
            matrix: &workspace.values,
            to: &mut workspace.mixed,
        });
        let width = self.inputs.op.value_width;
        let (to, stride) = &mut self.to;
        for (mixed, cell) in workspace.mixed.chunks_exact(sizes.channels).zip(cells) {
            to[cell * *stride + head * width..][..width].copy_from_slice(&mixed[..width]);
        }
    }
}

/// Packs a query or key and returns its unit (1 for float kernels).
///
/// If `rotation` is `Some`, the row is first rotated by these cosines and sines. With integer kernels, each element
/// contains one number from each half of the row.
#[inline(always)]
fn rotate_quantize_and_pack<K: Kernel>(
    kernel: K,
    row: &[f32],
    rotation: Option<(&[f32], &[f32])>,
    halves: &mut [AlignedBuffer; 2],
    to: &mut [K::Element],
) -> f32 {
    let (low, high) = row.split_at(row.len().div_ceil(2));
    let [a, b] = halves;
    a[low.len()..].fill(0.0);
    b[high.len()..].fill(0.0);
    match rotation {
        None => {
            a[..low.len()].copy_from_slice(low);
            b[..high.len()].copy_from_slice(high);
        }
        Some((cos, sin)) => {
            let to = a.iter_mut().zip(b.iter_mut());
            let row = low.iter().zip(high).zip(cos.iter().zip(sin));
            for ((to_a, to_b), ((a, b), (cos, sin))) in to.zip(row) {
                *to_a = a * cos - b * sin;
                *to_b = a * sin + b * cos;
            }
        }
    }
    let simd = kernel.simd();
    let a = <K::Simd as Simd>::as_simd_f32s(a).0;
    let b = <K::Simd as Simd>::as_simd_f32s(b).0;
    let to = K::vectors_mut(to);
    let zero = simd.splat_f32s(0.0);
    if K::CHANNELS == 1 {
        for (to, from) in to.iter_mut().zip(a.iter().chain(b)) {
            *to = kernel.quantize(*from, zero, zero, zero);
        }
        return 1.0;
    }
    let largest = max_quantized_query(row.len());
    let (scale, unit) = row_scale_and_unit(simd, a.iter().chain(b).copied(), largest);
    let (scale, limit) = (simd.splat_f32s(scale), simd.splat_f32s(largest));
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = kernel.quantize(*a, *b, scale, limit);
    }
    unit
}

/// Returns the maximum magnitude of the elements of a quantised query or key with `width` elements, chosen so that no
/// score can overflow.
fn max_quantized_query(width: usize) -> f32 {
    (f64::from(i32::MAX) / width as f64)
        .sqrt()
        .min(f64::from(i16::MAX))
        .floor() as f32
}

/// Product of contiguous rows and a matrix that was packed at run time.
struct MatrixProduct<'a, T> {
    /// Left operand, `[rows, depth]`.
    rows: &'a [T],
    /// Unit of each row.
    units: &'a [f32],
    matrix: &'a PackedMatrices<T>,
    /// Output, `[rows, columns]`, with the columns padded to whole vectors.
    to: &'a mut [f32],
}

impl<T: Copy + Default> WithKernel<T> for MatrixProduct<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(self, kernel: K) {
        let mut sink = Dense::<_, true> {
            to: <K::Simd as Simd>::as_mut_simd_f32s(self.to).0,
            stride: self.matrix.vectors,
            first: 0,
            row_units: self.units,
        };
        let rows = dense_rows(self.rows, self.matrix.depth);
        multiply(kernel, rows, self.matrix, &mut sink);
    }
}

#[cfg(test)]
mod tests;
