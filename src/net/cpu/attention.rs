//! Attention between all points of a board.
//!
//! For each head, the keys are packed as a matrix with one column per point, and the values as a matrix with one row
//! per point. Queries are processed in blocks. A first matrix product computes their scores, a softmax turns the scores
//! into attention weights, and a second matrix product multiplies the weights by the values.
//!
//! Integer kernels quantise all operands at run time. Each query and each key is scaled by its largest magnitude, and
//! the values of a head are scaled by their common largest magnitude. The attention weights are scaled so that no sum
//! can overflow. The *unit* of a quantised row is the number that the integer 1 represents.

use pulp::Simd;
use pulp::bytemuck::cast_slice_mut;

use super::activations::{OutputElement, SOFTMAX_ROWS};
use super::aligned::{AlignedBuffer, CACHE_LINE_WORDS};
use super::gemm::blocks::prefetch;
use super::gemm::i16::row_scale_and_unit;
use super::gemm::kernel::{DenseProduct, Kernel, Rows, WithKernel, zero};
use super::gemm::packing::{PackedMatrices, channels_of_pair};
use super::layout::BoardLayout;
use super::rotary::RotaryTables;
use crate::net::dtype::DType;
use crate::net::program::ops::AttentionOp;

/// Maximum magnitude of an element of the quantised attention values.
const MAX_QUANTIZED_ATTENTION_VALUE: f32 = 16_383.0;

/// Number of rows between the row that is packed and the one that is prefetched. The rows of a head are far apart, and
/// those of all heads together are larger than the L2 cache.
const PREFETCH_ROWS: usize = 4;

/// Workspace for one head.
#[derive(Debug)]
pub struct AttentionWorkspace {
    /// Width of the queries, width of the values and number of points.
    size: (usize, usize, usize),
    /// Both halves of a rotated query or key, each padded with zeros to whole vectors.
    halves: [AlignedBuffer; 2],
    /// Keys before packing, `[points, depth]`.
    key_rows: AlignedBuffer,
    keys: PackedMatrices,
    /// Values before packing, `[points, channels]`.
    value_rows: AlignedBuffer,
    values: PackedMatrices,
    /// Packed queries of a block, `[queries, depth]`.
    queries: AlignedBuffer,
    /// Unit of each row of the left operand in the current matrix product.
    units: Vec<f32>,
    /// Scores of a block, `[queries, points]`.
    scores: AlignedBuffer,
    /// Attention weights, `[queries, depth]`.
    weights: AlignedBuffer,
    /// Weighted sums of the values for a block of queries, `[queries, channels]`.
    mixed: AlignedBuffer,
}

impl AttentionWorkspace {
    fn new<K: Kernel>(dtype: DType, op: &AttentionOp, area: usize) -> Self {
        let lanes = K::Simd::F32_LANES;
        let half = op.width.div_ceil(2).next_multiple_of(lanes);
        let zeros =
            |depth, columns| PackedMatrices::zeros(dtype, lanes, (depth, columns), 1, false);
        let keys = zeros(2 * half / K::CHANNELS, area);
        let values = zeros(K::depth(area), op.value_width);
        let queries = K::QUERIES_PER_BLOCK;
        Self {
            size: (op.width, op.value_width, area),
            halves: [AlignedBuffer::zeros(half), AlignedBuffer::zeros(half)],
            key_rows: AlignedBuffer::zeros(keys.columns * keys.depth),
            value_rows: AlignedBuffer::zeros(K::CHANNELS * values.depth * values.columns),
            queries: AlignedBuffer::zeros(queries * keys.depth),
            units: Vec::new(),
            scores: AlignedBuffer::zeros(queries * keys.columns),
            weights: AlignedBuffer::zeros(queries * values.depth),
            mixed: AlignedBuffer::zeros(queries * values.columns),
            keys,
            values,
        }
    }
}

/// Arguments for running an attention layer.
pub struct Attention<'a> {
    pub op: &'a AttentionOp,
    pub dtype: DType,
    pub layout: &'a BoardLayout,
    pub count: usize,
    pub rotary: &'a RotaryTables,
    /// Queries, `[cells, stride]`, and the stride. The next two fields have the same form.
    pub query: (&'a [f32], usize),
    pub key: (&'a [f32], usize),
    pub value: (&'a [f32], usize),
    /// Output, `[cells, stride]` with elements of type [`Kernel::Output`], and the stride in words.
    pub to: (&'a mut [f32], usize),
    /// `None` before the first run.
    pub workspace: &'a mut Option<AttentionWorkspace>,
}

impl WithKernel for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel>(mut self, kernel: K) {
        let (op, area) = (self.op, self.layout.area());
        let size = (op.width, op.value_width, area);
        let workspace = match self.workspace.take() {
            Some(workspace) if workspace.size == size => workspace,
            _ => AttentionWorkspace::new::<K>(self.dtype, op, area),
        };
        let points = self.layout.points_as_rows(self.count).cells;
        let group = op.heads / op.kv_heads;
        let mut head = Head {
            kernel,
            layer: &mut self,
            workspace,
        };
        for cells in points.chunks_exact(area) {
            for kv_head in 0..op.kv_heads {
                head.pack_keys(cells, kv_head);
                head.pack_values(cells, kv_head);
                for query_head in kv_head * group..(kv_head + 1) * group {
                    for (block, queries) in cells.chunks(K::QUERIES_PER_BLOCK).enumerate() {
                        let first = block * K::QUERIES_PER_BLOCK;
                        head.pack_rows(first, queries, query_head, kv_head, false);
                        head.compute_scores(queries.len());
                        head.apply_softmax(queries.len());
                        head.mix_values(queries, query_head);
                    }
                }
            }
        }
        let workspace = head.workspace;
        *self.workspace = Some(workspace);
    }
}

/// Computation of an attention layer, one head at a time.
struct Head<'a, 'b, K> {
    kernel: K,
    layer: &'a mut Attention<'b>,
    workspace: AttentionWorkspace,
}

impl<K: Kernel> Head<'_, '_, K> {
    /// Rotates, quantises and packs queries or keys of `head`, and sets the units. `first` is the index of the point of
    /// the first of the `cells`. `kv_head` selects the rotation.
    #[inline(always)]
    fn pack_rows(
        &mut self,
        first: usize,
        cells: &[usize],
        head: usize,
        kv_head: usize,
        are_keys: bool,
    ) {
        let workspace = &mut self.workspace;
        let (values, rows) = match are_keys {
            true => (self.layer.key, &mut workspace.key_rows),
            false => (self.layer.query, &mut workspace.queries),
        };
        let width = self.layer.op.width;
        workspace.units.clear();
        let rows = rows.chunks_exact_mut(workspace.keys.depth);
        for (index, to) in rows.take(cells.len()).enumerate() {
            let row = row_of_head(values, head, width, &cells[index..]);
            let rotation = self.layer.rotary.cos_sin_at(kv_head, first + index);
            let halves = &mut workspace.halves;
            let unit = rotate_quantize_and_pack(self.kernel, row, rotation, halves, to);
            workspace.units.push(unit);
        }
    }

    #[inline(always)]
    fn pack_keys(&mut self, cells: &[usize], head: usize) {
        self.pack_rows(0, cells, head, head, true);
        let workspace = &mut self.workspace;
        let depth = workspace.keys.depth;
        for panel in 0..workspace.keys.panels() {
            let (first, to, units) = workspace.keys.panel_mut(panel);
            let columns = to.len() / depth;
            for (to, unit) in units.iter_mut().zip(&workspace.units[first..]) {
                *to = *unit;
            }
            let rows = &workspace.key_rows[first * depth..][..columns * depth];
            for (column, row) in rows.chunks_exact(depth).enumerate() {
                for (to, from) in to[column..].iter_mut().step_by(columns).zip(row) {
                    *to = *from;
                }
            }
        }
    }

    #[inline(always)]
    fn pack_values(&mut self, cells: &[usize], head: usize) {
        let (kernel, simd) = (self.kernel, self.kernel.simd());
        let lanes = K::Simd::F32_LANES;
        let workspace = &mut self.workspace;
        let (depth, channels) = (workspace.values.depth, workspace.values.columns);
        let width = self.layer.op.value_width;
        let value_rows = workspace.value_rows.chunks_exact_mut(channels);
        for (index, to) in value_rows.take(cells.len()).enumerate() {
            let row = row_of_head(self.layer.value, head, width, &cells[index..]);
            let to = K::Simd::as_mut_simd_f32s(to).0;
            for (vector, to) in to.iter_mut().enumerate() {
                *to = load(simd, row, vector * lanes);
            }
        }
        let rows = K::Simd::as_simd_f32s(&workspace.value_rows).0;
        let (scale, unit) = match K::QUANTIZED {
            true => row_scale_and_unit(simd, rows.iter().copied(), MAX_QUANTIZED_ATTENTION_VALUE),
            false => (1.0, 1.0),
        };
        let scale = simd.splat_f32s(scale);
        for panel in 0..workspace.values.panels() {
            let (first, to, units) = workspace.values.panel_mut(panel);
            units.fill(unit);
            let (first, width) = (first / lanes, to.len() / depth / lanes);
            for (element, to) in K::vectors_mut(to).chunks_exact_mut(width).enumerate() {
                let points = match K::CHANNELS {
                    1 => [element; 2],
                    _ => channels_of_pair(lanes, element),
                };
                let [low, high] =
                    points.map(|point| &rows[point * (channels / lanes) + first..][..width]);
                for (index, to) in to.iter_mut().enumerate() {
                    *to = kernel.quantize([low[index], high[index]], scale);
                }
            }
        }
    }

    /// Computes the scores of `count` queries against all keys.
    #[inline(always)]
    fn compute_scores(&mut self, count: usize) {
        let workspace = &mut self.workspace;
        self.kernel.run(DenseProduct {
            rows: Rows::dense(&workspace.queries, count, workspace.keys.depth),
            units: &workspace.units,
            matrix: &workspace.keys,
            to: &mut workspace.scores,
        });
    }

    /// Converts the scores of `count` queries to attention weights.
    #[inline(always)]
    fn apply_softmax(&mut self, count: usize) {
        let workspace = &mut self.workspace;
        let area = self.layer.layout.area();
        // For all rows in advance: a vector cannot be loaded while parts of it are still being stored.
        let rows = workspace.scores.chunks_exact_mut(workspace.keys.columns);
        rows.take(count)
            .for_each(|scores| scores[area..].fill(f32::NEG_INFINITY));
        workspace.units.clear();
        // With fewer registers than AVX-512 has, several rows take longer together than one after another.
        let whole = match K::Simd::F32_LANES {
            16 => count - count % SOFTMAX_ROWS,
            _ => 0,
        };
        for first in (0..whole).step_by(SOFTMAX_ROWS) {
            self.apply_softmax_to_rows::<SOFTMAX_ROWS>(first);
        }
        for row in whole..count {
            self.apply_softmax_to_rows::<1>(row);
        }
    }

    /// Converts the scores of `ROWS` queries, beginning with `first`, to attention weights.
    #[inline(always)]
    fn apply_softmax_to_rows<const ROWS: usize>(&mut self, first: usize) {
        let workspace = &mut self.workspace;
        let (columns, depth) = (workspace.keys.columns, workspace.values.depth);
        let units = self.kernel.softmax::<ROWS>(
            K::Simd::as_mut_simd_f32s(&mut workspace.scores[first * columns..][..ROWS * columns]).0,
            self.layer.layout.area(),
            (self.layer.op.width as f32).sqrt(),
            K::vectors_mut(&mut workspace.weights[first * depth..][..ROWS * depth]),
        );
        workspace.units.extend(units);
    }

    /// Multiplies the attention weights by the values and stores the results.
    #[inline(always)]
    fn mix_values(&mut self, cells: &[usize], head: usize) {
        let workspace = &mut self.workspace;
        self.kernel.run(DenseProduct {
            rows: Rows::dense(&workspace.weights, cells.len(), workspace.values.depth),
            units: &workspace.units,
            matrix: &workspace.values,
            to: &mut workspace.mixed,
        });
        let (simd, lanes) = (self.kernel.simd(), K::Simd::F32_LANES);
        let width = self.layer.op.value_width;
        let (to, stride) = &mut self.layer.to;
        let stride = *stride * size_of::<f32>() / size_of::<K::Output>();
        let to = cast_slice_mut(to);
        let rows = workspace.mixed.chunks_exact(workspace.values.columns);
        for (mixed, cell) in rows.zip(cells) {
            let mut to = to[cell * stride + head * width..][..width].chunks_exact_mut(lanes);
            let vectors = K::Simd::as_simd_f32s(mixed).0;
            for (to, mixed) in to.by_ref().zip(vectors) {
                K::Output::store(simd, to, *mixed);
            }
            let rest = &mixed[width - width % lanes..];
            for (to, x) in to.into_remainder().iter_mut().zip(rest) {
                *to = K::Output::from_f32(*x);
            }
        }
    }
}

/// Packs a query or key and returns its unit (1 unless the kernel is quantised).
///
/// If `rotation` is `Some`, the row is first rotated by these cosines and sines. With kernels for pairs, each element
/// contains one number from each half of the row.
#[inline(always)]
fn rotate_quantize_and_pack<K: Kernel>(
    kernel: K,
    row: &[f32],
    rotation: Option<(&[f32], &[f32])>,
    halves: &mut [AlignedBuffer; 2],
    to: &mut [f32],
) -> f32 {
    let simd = kernel.simd();
    let (low, high) = row.split_at(row.len().div_ceil(2));
    let [a, b] = halves;
    let a = K::Simd::as_mut_simd_f32s(a).0;
    let b = K::Simd::as_mut_simd_f32s(b).0;
    for (vector, (to_a, to_b)) in a.iter_mut().zip(b.iter_mut()).enumerate() {
        let first = vector * K::Simd::F32_LANES;
        let (a, b) = (load(simd, low, first), load(simd, high, first));
        (*to_a, *to_b) = match rotation {
            None => (a, b),
            Some((cos, sin)) => {
                let (cos, sin) = (load(simd, cos, first), load(simd, sin, first));
                (
                    simd.sub_f32s(simd.mul_f32s(a, cos), simd.mul_f32s(b, sin)),
                    simd.add_f32s(simd.mul_f32s(a, sin), simd.mul_f32s(b, cos)),
                )
            }
        };
    }
    let to = K::vectors_mut(to);
    if K::CHANNELS == 1 {
        for (to, from) in to.iter_mut().zip(a.iter().chain(&*b)) {
            *to = kernel.quantize([*from; 2], zero());
        }
        return 1.0;
    }
    let (scale, unit) = match K::QUANTIZED {
        true => {
            let largest = max_quantized_query(row.len());
            row_scale_and_unit(simd, a.iter().chain(&*b).copied(), largest)
        }
        false => (1.0, 1.0),
    };
    let scale = simd.splat_f32s(scale);
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = kernel.quantize([*a, *b], scale);
    }
    unit
}

/// Returns the queries, keys or values (`width` numbers) of a head at the first of the `cells`, and prefetches those at a
/// later cell. `data` is a matrix and the stride of its rows.
#[inline(always)]
fn row_of_head<'a>(
    (data, stride): (&'a [f32], usize),
    head: usize,
    width: usize,
    cells: &[usize],
) -> &'a [f32] {
    let start = |cell: usize| cell * stride + head * width;
    if let Some(cell) = cells.get(PREFETCH_ROWS) {
        for word in (0..width).step_by(CACHE_LINE_WORDS) {
            prefetch(data, start(*cell) + word);
        }
    }
    &data[start(cells[0])..][..width]
}

/// Loads the vector that begins with element `first`. Elements after the end of `values` are zero.
#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32], first: usize) -> S::f32s {
    let rest = &values[first.min(values.len())..];
    match S::as_simd_f32s(rest).0.first() {
        Some(vector) => *vector,
        None => simd.partial_load_f32s(rest),
    }
}

/// Returns the maximum magnitude of the elements of a quantised query or key with `width` elements, chosen so that no
/// score can overflow.
fn max_quantized_query(width: usize) -> f32 {
    (f64::from(i32::MAX) / width as f64)
        .sqrt()
        .min(f64::from(i16::MAX))
        .floor() as f32
}

#[cfg(test)]
mod tests;
