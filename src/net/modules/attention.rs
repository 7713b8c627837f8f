//! Transformer blocks: attention between all points of a board, and a gated feed-forward layer at each point.
//!
//! References: Vaswani et al., "Attention Is All You Need" (2017). Grouped queries: Ainslie et al., "GQA" (2023).
//! Rotary positions: Su et al., "RoFormer" (2021). Gated layer: Shazeer, "GLU Variants Improve Transformer" (2020).
//!
//! Terms: a key head is a head of keys and values, shared by a group of query heads. A pair is two adjacent channels
//! of a head, rotated together.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};

use super::grid::Grid;
use super::layer::Linear;
use super::norm::RmsNorm;
use crate::net::desc::blocks::{AttentionBlock, FeedForwardBlock, Rotation};
use crate::net::desc::layers::Activation;

/// Attention block: `x + out(attention(query(y), key(y), value(y)))`, where `y = norm(x)`.
#[derive(Debug)]
pub struct Attention {
    norm: RmsNorm,
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    heads: Heads,
}

#[derive(Debug)]
struct Heads {
    count: usize,
    kv_count: usize,
    rotation: Rotation,
}

/// Feed-forward block: `x + out(silu(wide(norm(x))) * gate(norm(x)))`.
#[derive(Debug)]
pub struct FeedForward {
    norm: RmsNorm,
    wide: Linear,
    gate: Linear,
    out: Linear,
}

impl Attention {
    pub fn new(desc: &AttentionBlock) -> Self {
        Self {
            norm: RmsNorm::new(&desc.norm),
            query: Linear::map(&desc.query),
            key: Linear::map(&desc.key),
            value: Linear::map(&desc.value),
            out: Linear::map(&desc.out),
            heads: Heads {
                count: desc.heads,
                kv_count: desc.kv_heads,
                rotation: desc.rotation.clone(),
            },
        }
    }

    /// Maps `[rows, channels]` to the same shape.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let y = self.norm.forward(x, grid)?;
        let (query, key, value) = (
            self.query.forward(&y, Activation::Identity)?,
            self.key.forward(&y, Activation::Identity)?,
            self.value.forward(&y, Activation::Identity)?,
        );
        let mixing = Mixing {
            heads: &self.heads,
            grid,
        };
        let mixed = query.apply_op3_no_bwd(&key, &value, &mixing)?;
        x + self.out.forward(&mixed, Activation::Identity)?
    }
}

impl FeedForward {
    pub fn new(desc: &FeedForwardBlock) -> Self {
        Self {
            norm: RmsNorm::new(&desc.norm),
            wide: Linear::map(&desc.wide),
            gate: Linear::map(&desc.gate),
            out: Linear::map(&desc.out),
        }
    }

    /// Maps `[rows, channels]` to the same shape.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let y = self.norm.forward(x, grid)?;
        let wide = self.wide.forward(&y, Activation::Silu)?;
        let wide = (wide * self.gate.forward(&y, Activation::Identity)?)?;
        x + self.out.forward(&wide, Activation::Identity)?
    }
}

/// Rotary table: cosine and sine of the angle of each pair at each point.
struct Turns {
    /// Pairs of cosine and sine, `[tables, area, pairs]`. There is one table in all or one per key head.
    table: Vec<(f32, f32)>,
    pairs: usize,
    area: usize,
}

impl Turns {
    /// Computes the table. Returns `None` if the block uses no rotation.
    fn new(rotation: &Rotation, pairs: usize, grid: &Grid) -> Option<Self> {
        let tables = match rotation {
            Rotation::None => return None,
            Rotation::Fixed { .. } => 1,
            Rotation::Learnt { angles } => angles.len() / (2 * pairs),
        };
        let mut table = Vec::with_capacity(tables * grid.area() * pairs);
        for head in 0..tables {
            for point in 0..grid.area() {
                let (row, column) = (point / grid.width(), point % grid.width());
                for pair in 0..pairs {
                    let (right, down) = step(rotation, head, pair, pairs);
                    let angle = column as f32 * right + row as f32 * down;
                    table.push((angle.cos(), angle.sin()));
                }
            }
        }
        Some(Self {
            table,
            pairs,
            area: grid.area(),
        })
    }

    /// Rotates the pairs of one head at `point`. `table` is the index of the key head.
    fn turn(&self, head: &mut [f32], table: usize, point: usize) {
        let table = if self.table.len() == self.area * self.pairs {
            0
        } else {
            table
        };
        let turns = &self.table[(table * self.area + point) * self.pairs..][..self.pairs];
        for (pair, (cos, sin)) in head.chunks_exact_mut(2).zip(turns) {
            let (a, b) = (pair[0], pair[1]);
            pair[0] = a * cos - b * sin;
            pair[1] = a * sin + b * cos;
        }
    }
}

/// Rotation angle of a pair, in radians, per step to the next column and per step to the next row.
fn step(rotation: &Rotation, head: usize, pair: usize, pairs: usize) -> (f32, f32) {
    match rotation {
        Rotation::None => (0.0, 0.0),
        Rotation::Fixed { theta } => {
            let half = pairs / 2;
            let angle = |pair: usize| 1.0 / theta.powf(2.0 * pair as f32 / pairs as f32);
            if pair < half {
                (0.0, angle(pair))
            } else {
                (angle(pair - half), 0.0)
            }
        }
        Rotation::Learnt { angles } => {
            let at = 2 * (head * pairs + pair);
            (angles[at], angles[at + 1])
        }
    }
}

/// Custom candle operation that computes attention from the queries, keys and values of all points.
struct Mixing<'a> {
    heads: &'a Heads,
    grid: &'a Grid,
}

impl CustomOp3 for Mixing<'_> {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(
        &self,
        query: &CpuStorage,
        query_layout: &Layout,
        key: &CpuStorage,
        key_layout: &Layout,
        value: &CpuStorage,
        value_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let Self { heads, grid } = *self;
        let (query, query_width) = grid.rows(query, query_layout)?;
        let (key, key_width) = grid.rows(key, key_layout)?;
        let (value, value_width) = grid.rows(value, value_layout)?;
        let width = query_width / heads.count;
        let turns = Turns::new(&heads.rotation, width / 2, grid);
        let area = grid.area();
        let out_width = value_width / heads.kv_count * heads.count;
        let mut output = vec![0.0; grid.count() * area * out_width];
        let boards = output.chunks_exact_mut(area * out_width).enumerate();
        for (board, output) in boards {
            let part = |numbers: &'_ [f32], width: usize| -> Vec<f32> {
                numbers[board * area * width..][..area * width].to_vec()
            };
            let (mut query, mut key) = (part(query, query_width), part(key, key_width));
            if let Some(turns) = &turns {
                let group = heads.count / heads.kv_count;
                turn_all(turns, &mut query, width, |head| head / group, heads.count);
                turn_all(turns, &mut key, width, |head| head, heads.kv_count);
            }
            let value = part(value, value_width);
            mix(heads, &query, &key, &value, area, output);
        }
        Ok((
            CpuStorage::F32(output),
            (grid.count() * area, out_width).into(),
        ))
    }
}

/// Rotates every head of every point. `table_of` maps a head to the index of its key head.
fn turn_all(
    turns: &Turns,
    rows: &mut [f32],
    width: usize,
    table_of: impl Fn(usize) -> usize,
    heads: usize,
) {
    for (point, row) in rows.chunks_exact_mut(heads * width).enumerate() {
        for (head, channels) in row.chunks_exact_mut(width).enumerate() {
            turns.turn(channels, table_of(head), point);
        }
    }
}

/// Computes softmax attention for one board, head by head.
///
/// All slices have the shape `[area, heads * width]` with the head count and width of their kind.
fn mix(heads: &Heads, query: &[f32], key: &[f32], value: &[f32], area: usize, output: &mut [f32]) {
    let (query_width, out_width) = (query.len() / area, output.len() / area);
    let (width, value_width) = (query_width / heads.count, out_width / heads.count);
    let (key_row, value_row) = (heads.kv_count * width, heads.kv_count * value_width);
    let scale = 1.0 / (width as f32).sqrt();
    let mut scores = vec![0.0; area];
    for head in 0..heads.count {
        let shared = head * heads.kv_count / heads.count;
        // Transposes the keys to `[channel, point]`, so that the inner loop runs over points.
        let keys: Vec<f32> = (0..width)
            .flat_map(|channel| {
                (0..area).map(move |point| key[point * key_row + shared * width + channel])
            })
            .collect();
        for point in 0..area {
            let query = &query[point * query_width + head * width..][..width];
            scores.fill(0.0);
            for (query, keys) in query.iter().zip(keys.chunks_exact(area)) {
                for (score, key) in scores.iter_mut().zip(keys) {
                    *score += query * key;
                }
            }
            softmax(&mut scores, scale);
            let mixed = &mut output[point * out_width + head * value_width..][..value_width];
            for (score, row) in scores.iter().zip(value.chunks_exact(value_row)) {
                let values = &row[shared * value_width..][..value_width];
                for (mixed, value) in mixed.iter_mut().zip(values) {
                    *mixed += score * value;
                }
            }
        }
    }
}

/// Replaces each score `x` by `exp(scale * x)` divided by the sum of these exponentials.
fn softmax(scores: &mut [f32], scale: f32) {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (scale * (*score - highest)).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}
