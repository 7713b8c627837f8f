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

use super::aligned::Aligned;
use super::gemm::i16_quantize::row_scale;
use super::gemm::packing::{Packed, channels_of, panel_ranges};
use super::gemm::{Dense, Kernel, Panels, Rows, WithKernel, multiply};
use super::layout::BoardLayout;
use super::rotary::RotaryTables;
use crate::net::program::ops::AttentionOp;

/// Number of queries per block: large enough to fill a few of the largest register blocks, and small enough for the
/// scores of a block to stay in the cache.
const QUERIES: usize = 27;
/// Maximum magnitude of an element of the quantised attention values.
const LARGEST_VALUE: f32 = 16_383.0;

/// Workspace for one head. `T` is the element type of a [`Kernel`].
#[derive(Debug, Default)]
pub struct AttentionWorkspace<T> {
    /// Both halves of a rotated query or key, each padded with zeros to whole vectors.
    halves: [Aligned; 2],
    /// Keys before packing, `[points, depth]`.
    key_rows: Aligned<T>,
    /// Unit of each key.
    key_units: Aligned,
    keys: Option<Packed<T>>,
    /// Values before packing, `[points, channels]`.
    value_rows: Aligned,
    values: Option<Packed<T>>,
    /// Packed queries of a block, `[queries, depth]`.
    queries: Aligned<T>,
    /// Unit of each row of the left operand in the current matrix product.
    units: Vec<f32>,
    /// Scores of a block, `[queries, points]`.
    scores: Aligned,
    /// Attention weights, `[queries, depth]`.
    weights: Aligned<T>,
    /// Weighted sums of the values for a block of queries, `[queries, channels]`.
    mixed: Aligned,
}

/// Sizes of an attention layer for a kernel.
#[derive(Clone, Copy)]
struct Sizes {
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

impl Sizes {
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
    fn reserve<K: Kernel<Element = T>>(&mut self, sizes: Sizes) {
        let Sizes {
            lanes,
            half,
            query_depth,
            points,
            weight_depth,
            channels,
            ..
        } = sizes;
        let has_units = K::CHANNELS > 1;
        let fits = |packed: &Option<Packed<T>>, depth, columns| {
            packed
                .as_ref()
                .is_some_and(|packed| packed.depth == depth && packed.vectors * lanes == columns)
        };
        if fits(&self.keys, query_depth, points) && fits(&self.values, weight_depth, channels) {
            return;
        }
        *self = Self {
            halves: [Aligned::zeros(half), Aligned::zeros(half)],
            key_rows: Aligned::zeros(points * query_depth),
            key_units: Aligned::zeros(points),
            keys: Some(Packed::zeros(
                lanes,
                query_depth,
                points / lanes,
                1,
                has_units,
            )),
            value_rows: Aligned::zeros(K::CHANNELS * weight_depth * channels),
            values: Some(Packed::zeros(
                lanes,
                weight_depth,
                channels / lanes,
                1,
                has_units,
            )),
            queries: Aligned::zeros(QUERIES * query_depth),
            units: Vec::with_capacity(QUERIES),
            scores: Aligned::zeros(QUERIES * points),
            weights: Aligned::zeros(QUERIES * weight_depth),
            mixed: Aligned::zeros(QUERIES * channels),
        };
    }
}

/// Arguments for running an attention layer.
pub struct Attention<'a, T> {
    pub op: &'a AttentionOp,
    pub layout: &'a BoardLayout,
    /// Number of boards.
    pub count: usize,
    pub rotary: &'a RotaryTables,
    /// Queries, `[cells, stride]`, and the stride. The next three fields have the same form.
    pub query: (&'a [f32], usize),
    pub key: (&'a [f32], usize),
    pub value: (&'a [f32], usize),
    pub to: (&'a mut [f32], usize),
    pub workspace: &'a mut AttentionWorkspace<T>,
}

impl<T: Copy + Default> WithKernel<T> for Attention<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(mut self, kernel: K) {
        let sizes = Sizes::of::<K>(self.op, self.layout.area());
        self.workspace.reserve::<K>(sizes);
        let group = self.op.heads / self.op.kv_heads;
        let points = self.layout.points(self.count).cells;
        for cells in points.chunks_exact(sizes.area) {
            for kv_head in 0..self.op.kv_heads {
                self.pack_keys(kernel, sizes, cells, kv_head);
                self.pack_values(kernel, sizes, cells, kv_head);
                for head in kv_head * group..(kv_head + 1) * group {
                    for first in (0..cells.len()).step_by(QUERIES) {
                        let queries = &cells[first..cells.len().min(first + QUERIES)];
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
        sizes: Sizes,
        cells: &[usize],
        head: usize,
    ) {
        let AttentionWorkspace {
            halves,
            key_rows,
            key_units,
            keys,
            ..
        } = &mut *self.workspace;
        let (values, stride) = self.key;
        let (width, depth) = (self.op.width, sizes.query_depth);
        let rows = key_rows.chunks_exact_mut(depth).zip(key_units.iter_mut());
        for ((point, cell), (to, unit)) in cells.iter().enumerate().zip(rows) {
            let row = &values[cell * stride + head * width..][..width];
            *unit = pack_row(kernel, row, self.rotary.at(head, point), halves, to);
        }
        let keys = keys.as_mut().expect("the workspace is reserved");
        for panel in panel_ranges(sizes.points / sizes.lanes, K::PANEL_VECTORS) {
            let (first, columns) = (panel.0 * sizes.lanes, panel.1 * sizes.lanes);
            let (to, units) = keys.panel_mut(sizes.lanes, 0, panel);
            if K::CHANNELS > 1 {
                units.copy_from_slice(&key_units[first..][..columns]);
            }
            let rows = &key_rows[first * depth..][..columns * depth];
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
        sizes: Sizes,
        cells: &[usize],
        head: usize,
    ) {
        let simd = kernel.simd();
        let Sizes {
            lanes, channels, ..
        } = sizes;
        let vectors = channels / lanes;
        let AttentionWorkspace {
            value_rows, values, ..
        } = &mut *self.workspace;
        let width = self.op.value_width;
        let (from, stride) = self.value;
        for (cell, to) in cells.iter().zip(value_rows.chunks_exact_mut(channels)) {
            to[..width].copy_from_slice(&from[cell * stride + head * width..][..width]);
            to[width..].fill(0.0);
        }
        let rows = <K::Simd as Simd>::as_simd_f32s(value_rows).0;
        let (scale, unit) = match K::CHANNELS {
            1 => (1.0, 1.0),
            _ => row_scale(simd, rows.iter().copied(), LARGEST_VALUE),
        };
        let (scale, limit) = (simd.splat_f32s(scale), simd.splat_f32s(LARGEST_VALUE));
        let values = values.as_mut().expect("the workspace is reserved");
        for panel in panel_ranges(vectors, K::PANEL_VECTORS) {
            let (vector, width) = panel;
            let (to, units) = values.panel_mut(lanes, 0, panel);
            units.fill(unit);
            for (element, to) in K::vectors_mut(to).chunks_exact_mut(width).enumerate() {
                let points = match K::CHANNELS {
                    1 => [element; 2],
                    _ => channels_of(lanes, element),
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
        sizes: Sizes,
        first: usize,
        cells: &[usize],
        (head, kv_head): (usize, usize),
    ) {
        let AttentionWorkspace {
            halves,
            queries,
            units,
            ..
        } = &mut *self.workspace;
        let width = self.op.width;
        let (values, stride) = self.query;
        let rows = queries.chunks_exact_mut(sizes.query_depth);
        units.clear();
        for ((point, cell), to) in (first..).zip(cells).zip(rows) {
            let row = &values[cell * stride + head * width..][..width];
            let rotation = self.rotary.at(kv_head, point);
            units.push(pack_row(kernel, row, rotation, halves, to));
        }
    }

    /// Computes the scores of `count` queries against all keys.
    #[inline(always)]
    fn compute_scores<K: Kernel<Element = T>>(&mut self, kernel: K, sizes: Sizes, count: usize) {
        let AttentionWorkspace {
            queries,
            units,
            keys,
            scores,
            ..
        } = &mut *self.workspace;
        kernel.run(MatrixProduct {
            rows: &queries[..count * sizes.query_depth],
            units,
            matrix: keys.as_ref().expect("the workspace is reserved"),
            to: scores,
        });
    }

    /// Converts the scores of `count` queries to attention weights.
    #[inline(always)]
    fn apply_softmax<K: Kernel<Element = T>>(&mut self, kernel: K, sizes: Sizes, count: usize) {
        let AttentionWorkspace {
            scores,
            weights,
            units,
            ..
        } = &mut *self.workspace;
        let temperature = (self.op.width as f32).sqrt();
        let scores = scores.chunks_exact_mut(sizes.points);
        let weights = weights.chunks_exact_mut(sizes.weight_depth);
        units.clear();
        for (scores, weights) in scores.zip(weights).take(count) {
            scores[sizes.area..].fill(f32::NEG_INFINITY);
            let scores = <K::Simd as Simd>::as_mut_simd_f32s(scores).0;
            let weights = K::vectors_mut(weights);
            units.push(kernel.softmax(scores, sizes.area, temperature, weights));
        }
    }

    /// Multiplies the attention weights by the values and stores the results.
    #[inline(always)]
    fn mix_values<K: Kernel<Element = T>>(
        &mut self,
        kernel: K,
        sizes: Sizes,
        cells: &[usize],
        head: usize,
    ) {
        let AttentionWorkspace {
            weights,
            units,
            values,
            mixed,
            ..
        } = &mut *self.workspace;
        kernel.run(MatrixProduct {
            rows: &weights[..cells.len() * sizes.weight_depth],
            units,
            matrix: values.as_ref().expect("the workspace is reserved"),
            to: mixed,
        });
        let width = self.op.value_width;
        let (to, stride) = &mut self.to;
        for (mixed, cell) in mixed.chunks_exact(sizes.channels).zip(cells) {
            to[cell * *stride + head * width..][..width].copy_from_slice(&mixed[..width]);
        }
    }
}

/// Packs a query or key and returns its unit (1 for float kernels).
///
/// If `rotation` is `Some`, the row is first rotated by these cosines and sines. With integer kernels, each element
/// contains one number from each half of the row.
#[inline(always)]
fn pack_row<K: Kernel>(
    kernel: K,
    row: &[f32],
    rotation: Option<(&[f32], &[f32])>,
    halves: &mut [Aligned; 2],
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
    let largest = largest_in_query(row.len());
    let (scale, unit) = row_scale(simd, a.iter().chain(b).copied(), largest);
    let (scale, limit) = (simd.splat_f32s(scale), simd.splat_f32s(largest));
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = kernel.quantize(*a, *b, scale, limit);
    }
    unit
}

/// Returns the maximum magnitude of the elements of a quantised query or key with `width` elements, chosen so that no
/// score can overflow.
fn largest_in_query(width: usize) -> f32 {
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
    matrix: &'a Packed<T>,
    /// Output, `[rows, columns]`, with the columns padded to whole vectors.
    to: &'a mut [f32],
}

impl<T: Copy + Default> WithKernel<T> for MatrixProduct<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = T>>(mut self, kernel: K) {
        self.each_panel(kernel, self.matrix.vectors);
    }
}

impl<K: Kernel<Element = T>, T: Copy + Default> Panels<K> for MatrixProduct<'_, T> {
    #[inline(always)]
    fn panel<const V: usize>(&mut self, kernel: K, vector: usize) {
        let Packed { depth, vectors, .. } = *self.matrix;
        let panel = self.matrix.panel::<K, V>(0, vector);
        let rows = Rows {
            data: self.rows,
            count: self.rows.len() / depth,
            start: |row: usize| row * depth,
            taps: &[0],
        };
        let mut sink = Dense::<_, true> {
            to: &mut <K::Simd as Simd>::as_mut_simd_f32s(self.to).0[vector..],
            stride: vectors,
            row_units: self.units,
            column_units: panel.units,
        };
        multiply::<K, _, _, V>(kernel, rows, panel.weights, &mut sink);
    }
}

#[cfg(test)]
mod tests;
