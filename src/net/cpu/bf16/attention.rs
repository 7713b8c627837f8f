//! Attention between all points of a board with bfloat16 matrix products.
//!
//! For each head, the keys are packed as weights with one output per point, and the values as weights with one input
//! per point. Queries are processed in blocks of points. The two channels that are rotated together are half a head
//! apart. The layer that computes the queries also scales them, so that the softmax can use powers of two.

use super::block::{COLUMN_TILES_PER_BLOCK, Rows, STEP_INPUTS, STEP_WEIGHTS, Sums, TILE_SIDE};
use super::layer::BLOCK_CELLS;
use super::matrix_unit::{MatrixUnit, Session};
use crate::net::cpu::activations::exp2_bf16;
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::attention::AttentionInputs;
use crate::net::cpu::softmax::sum_or_nan;
use crate::net::cpu::vectors::{Vectors, WithVectors, mul_add};

/// Scores of a block of queries against two tiles of keys.
///
/// The gap after the sums prevents consecutive elements of an array from competing for the same cache sets.
#[derive(Debug)]
#[repr(align(64))]
struct ScoreTiles {
    sums: Sums,
    _gap: [f32; TILE_SIDE],
}

impl ScoreTiles {
    fn zero() -> Self {
        Self {
            sums: Sums::ZERO,
            _gap: [0.0; TILE_SIDE],
        }
    }
}

/// Workspace for one head.
#[derive(Debug, Default)]
pub struct Bf16AttentionWorkspace {
    /// Rotated keys, and later rotated queries, `[points, width]`.
    rotated: AlignedBuffer<u16>,
    /// Keys packed as weights, one tile of points after another.
    keys: AlignedBuffer<u16>,
    /// Values packed as weights, one tile of channels after another.
    values: AlignedBuffer<u16>,
    /// Scores of a block of queries, with one element for every two tiles of keys.
    scores: Vec<ScoreTiles>,
    /// Attention weights of a block of queries, `[queries, points]`. The weights of padding points are negligible, and
    /// the attention values of these points are zero.
    weights: AlignedBuffer<u16>,
    /// Offset of each step of a matrix product from the start of a row.
    steps: Vec<usize>,
}

impl Bf16AttentionWorkspace {
    /// Allocates memory for boards with `area` points and heads with `width` elements per query and `value_width` per
    /// value. `area` must be the same in every call.
    fn reserve(&mut self, area: usize, width: usize, value_width: usize) {
        let (points, deep) = (
            area.next_multiple_of(BLOCK_CELLS),
            area.next_multiple_of(STEP_INPUTS),
        );
        self.rotated.reallocate_if_shorter(points * width);
        self.keys.reallocate_if_shorter(points * width);
        self.values.reallocate_if_shorter(deep * value_width);
        self.weights.reallocate_if_shorter(BLOCK_CELLS * deep);
        self.scores.resize_with(
            points.div_ceil(COLUMN_TILES_PER_BLOCK * TILE_SIDE),
            ScoreTiles::zero,
        );
        self.steps.clear();
        self.steps.extend((0..deep.max(width)).step_by(STEP_INPUTS));
    }
}

/// Arguments for running an attention layer in bfloat16.
pub struct Bf16Attention<'a> {
    pub inputs: AttentionInputs<'a>,
    /// Implementation of tile multiplications.
    pub unit: MatrixUnit,
    /// Output, rounded to bfloat16, `[cells, stride]`, and the stride.
    pub to: (&'a mut [u16], usize),
    pub workspace: &'a mut Bf16AttentionWorkspace,
}

impl WithVectors for Bf16Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(mut self, simd: S) {
        let AttentionInputs { op, key, query, .. } = self.inputs;
        let group = self.inputs.group_size();
        let area = self.inputs.layout.area();
        self.workspace.reserve(area, op.width, op.value_width);
        let session = self.unit.session();
        for cells in self.inputs.point_cells_of_boards() {
            for kv_head in 0..op.kv_heads {
                self.rotate(simd, key, kv_head, kv_head, cells);
                self.pack_keys(area);
                self.pack_values(simd, kv_head, cells);
                for head in kv_head * group..(kv_head + 1) * group {
                    self.rotate(simd, query, head, kv_head, cells);
                    for (block, queries) in cells.chunks(BLOCK_CELLS).enumerate() {
                        self.compute_scores(&session, block, area);
                        let sums = self.apply_softmax(simd, area);
                        self.mix_values(simd, &session, head, queries, &sums);
                    }
                }
            }
        }
    }
}

impl Bf16Attention<'_> {
    /// Rotates the queries or keys of `head`, rounds them to bfloat16 and stores them in the workspace. `kv_head`
    /// selects the rotation.
    #[inline(always)]
    fn rotate<S: Vectors>(
        &mut self,
        simd: S,
        (values, stride): (&[f32], usize),
        head: usize,
        kv_head: usize,
        cells: &[usize],
    ) {
        let (width, half) = (self.inputs.op.width, self.inputs.op.width / 2);
        let rows = self.workspace.rotated.chunks_exact_mut(width);
        for ((point, cell), to) in cells.iter().enumerate().zip(rows) {
            let row = &values[cell * stride + head * width..][..width];
            let (low, high) = row.split_at(half);
            let (to_low, to_high) = to.split_at_mut(half);
            let rotation = self.inputs.rotary.cos_sin_at(kv_head, point);
            for first in (0..half).step_by(S::F32_LANES) {
                let mut a = S::as_simd_f32s(&low[first..]).0[0];
                let mut b = S::as_simd_f32s(&high[first..]).0[0];
                if let Some((cos, sin)) = rotation {
                    let cos = S::as_simd_f32s(&cos[first..]).0[0];
                    let sin = S::as_simd_f32s(&sin[first..]).0[0];
                    let zero = simd.splat_f32s(0.0);
                    let minus_b = simd.sub_f32s(zero, b);
                    let rotated = mul_add(simd, minus_b, sin, simd.mul_f32s(a, cos));
                    b = mul_add(simd, a, sin, simd.mul_f32s(b, cos));
                    a = rotated;
                }
                simd.store_bf16(&mut to_low[first..], a);
                simd.store_bf16(&mut to_high[first..], b);
            }
        }
    }

    /// Packs the rotated keys as weights with the points as outputs.
    #[inline(always)]
    fn pack_keys(&mut self, area: usize) {
        let width = self.inputs.op.width;
        let tiles = self.workspace.rotated.chunks_exact(TILE_SIDE * width);
        let packed = self.workspace.keys.chunks_exact_mut(TILE_SIDE * width);
        for (rows, columns) in tiles.zip(packed).take(area.div_ceil(TILE_SIDE)) {
            let (rows, _) = rows.as_chunks::<2>();
            let (columns, _) = columns.as_chunks_mut::<2>();
            for (pair, column) in columns.chunks_exact_mut(TILE_SIDE).enumerate() {
                for (point, to) in column.iter_mut().enumerate() {
                    *to = rows[point * (width / 2) + pair];
                }
            }
        }
    }

    /// Packs the values of a head as weights with the points as inputs.
    #[inline(always)]
    fn pack_values<S: Vectors>(&mut self, simd: S, head: usize, cells: &[usize]) {
        let (from, stride) = self.inputs.value;
        let width = self.inputs.op.value_width;
        let deep = cells.len().next_multiple_of(STEP_INPUTS);
        for (two, pair) in cells.chunks(2).enumerate() {
            for channel in (0..width).step_by(S::F32_LANES) {
                let at = |cell: usize| cell * stride + head * width + channel;
                let first = S::as_simd_f32s(&from[at(pair[0])..]).0[0];
                let second = match pair.get(1) {
                    Some(cell) => S::as_simd_f32s(&from[at(*cell)..]).0[0],
                    None => simd.splat_f32s(0.0),
                };
                let column = channel / TILE_SIDE * deep * TILE_SIDE;
                let to = column + 2 * (two * TILE_SIDE + channel % TILE_SIDE);
                simd.store_bf16_pairs(&mut self.workspace.values[to..], first, second);
            }
        }
    }

    /// Computes the scores of a block of queries against all keys.
    #[inline(always)]
    fn compute_scores(&mut self, session: &Session, block: usize, area: usize) {
        let width = self.inputs.op.width;
        let workspace = &mut *self.workspace;
        let rows = Rows {
            data: &workspace.rotated,
            first: block * BLOCK_CELLS * width,
            stride: width,
            steps: &workspace.steps[..width / STEP_INPUTS],
        };
        let tile = TILE_SIDE * width;
        let keys = workspace.keys.chunks(COLUMN_TILES_PER_BLOCK * tile);
        for (keys, scores) in keys.zip(&mut workspace.scores) {
            let columns = [&keys[..tile], &keys[tile..]];
            session.multiply(rows, columns, &mut scores.sums);
        }
        debug_assert!(area <= self.workspace.scores.len() * COLUMN_TILES_PER_BLOCK * TILE_SIDE);
    }

    /// Converts the scores of a block to unnormalised attention weights.
    ///
    /// Returns the sum of the weights of each row.
    #[inline(always)]
    fn apply_softmax<S: Vectors>(&mut self, simd: S, area: usize) -> [f32; BLOCK_CELLS] {
        let Bf16AttentionWorkspace {
            scores, weights, ..
        } = &mut *self.workspace;
        let deep = area.next_multiple_of(STEP_INPUTS);
        let tiles = area.div_ceil(TILE_SIDE);
        let vectors = TILE_SIDE / S::F32_LANES;
        let excess = tiles * TILE_SIDE - area;
        if excess > 0 {
            let tile = tiles - 1;
            let last =
                &mut scores[tile / COLUMN_TILES_PER_BLOCK].sums.0[tile % COLUMN_TILES_PER_BLOCK];
            for row in last.as_flattened_mut().chunks_exact_mut(TILE_SIDE) {
                row[TILE_SIDE - excess..].fill(f32::NEG_INFINITY);
            }
        }
        let mut max = [simd.splat_f32s(f32::NEG_INFINITY); BLOCK_CELLS];
        for tile in 0..tiles {
            let sums = &scores[tile / COLUMN_TILES_PER_BLOCK].sums.0[tile % COLUMN_TILES_PER_BLOCK];
            let rows = S::as_simd_f32s(sums.as_flattened()).0.chunks_exact(vectors);
            for (max, row) in max.iter_mut().zip(rows) {
                for x in row {
                    *max = simd.max_f32s(*max, *x);
                }
            }
        }
        for max in &mut max {
            *max = simd.splat_f32s(simd.reduce_max_f32s(*max));
        }
        let mut sums = [simd.splat_f32s(0.0); BLOCK_CELLS];
        for tile in 0..tiles {
            let scores =
                &scores[tile / COLUMN_TILES_PER_BLOCK].sums.0[tile % COLUMN_TILES_PER_BLOCK];
            let rows = S::as_simd_f32s(scores.as_flattened())
                .0
                .chunks_exact(vectors);
            let weights = weights.chunks_exact_mut(deep);
            for (((row, weights), max), sum) in rows.zip(weights).zip(&max).zip(&mut sums) {
                let weights = &mut weights[tile * TILE_SIDE..][..TILE_SIDE];
                for (x, to) in row.iter().zip(weights.chunks_exact_mut(S::F32_LANES)) {
                    let weight = exp2_bf16(simd, simd.sub_f32s(*x, *max));
                    *sum = simd.add_f32s(*sum, weight);
                    simd.store_bf16(to, weight);
                }
            }
        }
        let mut totals = [0.0; BLOCK_CELLS];
        for (total, sum) in totals.iter_mut().zip(sums) {
            *total = sum_or_nan(simd.reduce_sum_f32s(sum), tiles * TILE_SIDE);
        }
        totals
    }

    /// Multiplies the attention weights by the values, divides the results by the sums of the weights (`totals`), and
    /// stores them in bfloat16.
    #[inline(always)]
    fn mix_values<S: Vectors>(
        &mut self,
        simd: S,
        session: &Session,
        head: usize,
        queries: &[usize],
        totals: &[f32; BLOCK_CELLS],
    ) {
        let width = self.inputs.op.value_width;
        let deep = self.inputs.layout.area().next_multiple_of(STEP_INPUTS);
        let rows = Rows {
            data: &self.workspace.weights,
            first: 0,
            stride: deep,
            steps: &self.workspace.steps[..deep / STEP_INPUTS],
        };
        let tile = deep / STEP_INPUTS * STEP_WEIGHTS;
        let units = totals.map(|total| 1.0 / total);
        let mut sums = Sums::ZERO;
        for first in (0..width).step_by(COLUMN_TILES_PER_BLOCK * TILE_SIDE) {
            let values = &self.workspace.values[first / TILE_SIDE * tile..width / TILE_SIDE * tile];
            let count = if values.len() > tile {
                session.multiply(rows, [&values[..tile], &values[tile..2 * tile]], &mut sums);
                2
            } else {
                session.multiply(rows, [&values[..tile]], &mut sums);
                1
            };
            for (column, sums) in sums.0[..count].iter().enumerate() {
                let channel = head * width + first + column * TILE_SIDE;
                let rows = sums.as_flattened().chunks_exact(TILE_SIDE);
                for ((cell, sums), unit) in queries.iter().zip(rows).zip(units) {
                    let unit = simd.splat_f32s(unit);
                    let to = &mut self.to.0[cell * self.to.1 + channel..][..TILE_SIDE];
                    let sums = S::as_simd_f32s(sums).0;
                    for (sum, to) in sums.iter().zip(to.chunks_exact_mut(S::F32_LANES)) {
                        simd.store_bf16(to, simd.mul_f32s(*sum, unit));
                    }
                }
            }
        }
    }
}
