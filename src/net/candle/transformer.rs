//! Transformer blocks: attention between all points of a board, and a gated feed-forward layer at each point.
//!
//! References: Vaswani et al., "Attention Is All You Need" (2017). Grouped queries: Ainslie et al., "GQA" (2023).
//! Rotary positions: Su et al., "RoFormer" (2021). Gated layer: Shazeer, "GLU Variants Improve Transformer" (2020).

use candle_core::{Result, Tensor};
use candle_nn::Func;
use candle_nn::ops::softmax_last_dim;
use candle_nn::rotary_emb::rope_i;
use parking_lot::Mutex;

use super::device::Backend;
use super::layers::{Linear, RmsNorm, to_boards, to_rows};
use crate::net::folded::Layer;
use crate::net::spec::blocks::{AttentionBlock, FeedForwardBlock, RotaryAngles};
use crate::net::spec::layers::Activation::{Identity, Silu};

/// Attention block: `x + out(attention(query(y), key(y), value(y)))` with `y = norm(x)`.
///
/// It is computed in f32: with products in bf16, each of its steps contributed to errors of up to 0.02 in the
/// probability of winning.
pub fn attention(spec: &AttentionBlock, backend: &Backend) -> Result<Func<'static>> {
    let backend = &backend.full_precision();
    let norm = RmsNorm::new(&spec.norm, backend)?;
    let linear = |spec| Linear::new(&Layer::linear(spec), Identity, backend);
    let (query, key) = (linear(&spec.query)?, linear(&spec.key)?);
    let (value, out) = (linear(&spec.value)?, linear(&spec.out)?);
    let (kv_heads, group) = (spec.kv_heads, spec.heads / spec.kv_heads);
    let rotary = RotaryEmbedding::new(spec, backend);
    Ok(Func::new(move |x| {
        let (n, _, height, width) = x.dims4()?;
        let x = to_rows(x)?;
        let y = x.apply(&norm)?;
        let mut query = split_heads(&y.apply(&query)?, kv_heads, group)?;
        let mut key = split_heads(&y.apply(&key)?, kv_heads, 1)?;
        let value = split_heads(&y.apply(&value)?, kv_heads, 1)?;
        if let Some(rotary) = &rotary {
            let (cos, sin) = rotary.tables(height, width)?;
            query = rope_i(&query, &cos, &sin)?;
            key = rope_i(&key, &cos, &sin)?;
        }
        // The query heads that share a key head are stacked, so that a single matrix product per key head and board is
        // enough.
        let stacked = |heads: &Tensor| heads.reshape((kv_heads * n, (), heads.dim(3)?));
        let scale = 1.0 / (query.dim(3)? as f64).sqrt();
        let scores = (stacked(&query)? * scale)?.matmul(&stacked(&key)?.t()?)?;
        let mixed = softmax_last_dim(&scores)?
            .matmul(&stacked(&value)?)?
            .reshape((kv_heads, n, group, height * width, value.dim(3)?))?
            .permute([1, 3, 0, 2, 4])?
            .contiguous()?
            .reshape((n, height * width, ()))?;
        to_boards(&(x + mixed.apply(&out)?)?, height, width)
    }))
}

/// Feed-forward block: `x + out(silu(wide(y)) * gate(y))` with `y = norm(x)`.
pub fn feed_forward(spec: &FeedForwardBlock, backend: &Backend) -> Result<Func<'static>> {
    let norm = RmsNorm::new(&spec.norm, backend)?;
    let wide = Linear::new(&Layer::linear(&spec.wide), Silu, backend)?;
    let gate = Linear::new(&Layer::linear(&spec.gate), Identity, backend)?;
    let out = Linear::new(&Layer::linear(&spec.out), Identity, backend)?;
    Ok(Func::new(move |x| {
        let (_, _, height, width) = x.dims4()?;
        let x = to_rows(x)?;
        let y = x.apply(&norm)?;
        let gated = (y.apply(&wide)? * y.apply(&gate)?)?;
        to_boards(&(x + gated.apply(&out)?)?, height, width)
    }))
}

/// Splits `[n, points, kv_heads * group * width]` into contiguous heads, `[kv_heads, n * group, points, width]`.
fn split_heads(x: &Tensor, kv_heads: usize, group: usize) -> Result<Tensor> {
    let (n, points, channels) = x.dims3()?;
    let width = channels / (kv_heads * group);
    x.reshape((n, points, kv_heads, group, width))?
        .permute([2, 0, 3, 1, 4])?
        .contiguous()?
        .reshape((kv_heads, n * group, points, width))
}

/// Rotary position embedding. Rotates each pair of adjacent channels of a head by an angle that depends on the point.
struct RotaryEmbedding {
    rotation: RotaryAngles,
    kv_heads: usize,
    /// Number of channel pairs in a head.
    pairs: usize,
    backend: Backend,
    /// Tables for the most recently used board size (number of rows, number of columns).
    tables: Mutex<Option<((usize, usize), RotaryTables)>>,
}

/// Cosines and sines of all angles for one board size, each `[kv_heads, points, pairs]`.
type RotaryTables = (Tensor, Tensor);

impl RotaryEmbedding {
    fn new(spec: &AttentionBlock, backend: &Backend) -> Option<Self> {
        (spec.rotation != RotaryAngles::None).then(|| Self {
            rotation: spec.rotation.clone(),
            kv_heads: spec.kv_heads,
            pairs: spec.channel_pairs_per_head(),
            backend: backend.clone(),
            tables: Mutex::new(None),
        })
    }

    /// Returns the cosines and sines for a board size. Recomputes them if the size has changed.
    fn tables(&self, height: usize, width: usize) -> Result<RotaryTables> {
        let mut last = self.tables.lock();
        if let Some((size, tables)) = &*last
            && *size == (height, width)
        {
            return Ok(tables.clone());
        }
        let mut angles = Vec::with_capacity(self.kv_heads * height * width * self.pairs);
        for head in 0..self.kv_heads {
            for point in 0..height * width {
                let (row, column) = ((point / width) as f64, (point % width) as f64);
                for pair in 0..self.pairs {
                    let (per_column, per_row) = self.rotation.angle_steps(head, pair, self.pairs);
                    angles.push(column * f64::from(per_column) + row * f64::from(per_row));
                }
            }
        }
        let table = |function: fn(f64) -> f64| {
            let numbers: Vec<f32> = angles.iter().map(|&angle| function(angle) as f32).collect();
            let shape = (self.kv_heads, height * width, self.pairs);
            self.backend.upload(&numbers, shape)
        };
        let tables = (table(f64::cos)?, table(f64::sin)?);
        *last = Some(((height, width), tables.clone()));
        Ok(tables)
    }
}
