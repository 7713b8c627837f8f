//! Transformer blocks: attention between all points of a board, and a gated feed-forward layer at each point.
//!
//! References: Vaswani et al., "Attention Is All You Need" (2017). Grouped queries: Ainslie et al., "GQA" (2023).
//! Rotary positions: Su et al., "RoFormer" (2021). Gated layer: Shazeer, "GLU Variants Improve Transformer" (2020).

use candle_core::{Result, Tensor};
use candle_nn::rotary_emb::rope_i;
use parking_lot::Mutex;

use super::device::Backend;
use super::layers::{Linear, RmsNorm, add_to_trunk, matmul, softmax, to_boards, to_rows};
use crate::net::spec::blocks::{AttentionBlock, FeedForwardBlock, RotaryAngles};
use crate::net::spec::layers::Activation;

/// Attention block: `x + out(attention(query(y), key(y), value(y)))` with `y = norm(x)`.
#[derive(Debug)]
pub struct Attention {
    norm: RmsNorm,
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    heads: usize,
    kv_heads: usize,
    /// Rotary position embedding, or `None` if the block has none.
    rotary: Option<RotaryEmbedding>,
}

impl Attention {
    pub fn new(spec: &AttentionBlock, backend: &Backend) -> Result<Self> {
        Ok(Self {
            norm: RmsNorm::new(&spec.norm, backend)?,
            query: Linear::new(&spec.query, backend)?,
            key: Linear::new(&spec.key, backend)?,
            value: Linear::new(&spec.value, backend)?,
            out: Linear::new(&spec.out, backend)?,
            heads: spec.heads,
            kv_heads: spec.kv_heads,
            rotary: RotaryEmbedding::new(spec, backend),
        })
    }

    /// Applies the block to the trunk's activations, `[n, channels, height, width]` in f32. The result has the same
    /// shape.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (n, _, height, width) = x.dims4()?;
        let x = to_rows(x)?;
        let y = self.norm.forward(&x)?;
        let group = self.heads / self.kv_heads;
        let mut query = self.split(&self.query.forward(&y)?, group)?;
        let mut key = self.split(&self.key.forward(&y)?, 1)?;
        let value = self.split(&self.value.forward(&y)?, 1)?;
        if let Some(rotary) = &self.rotary {
            let (cos, sin) = rotary.tables(height, width)?;
            query = rope_i(&query, &cos, &sin)?;
            key = rope_i(&key, &cos, &sin)?;
        }
        // The query heads that share a key head are stacked, so that a single matrix product per key head and board is
        // enough.
        let stacked = |heads: &Tensor| {
            let (_, _, points, channels) = heads.dims4()?;
            heads
                .reshape((self.kv_heads * n, (), channels))
                .map(|x| (x, points))
        };
        let (query, points) = stacked(&query)?;
        let (key, _) = stacked(&key)?;
        let (value, _) = stacked(&value)?;
        // The queries are scaled first, because a product of unscaled queries could overflow in f16.
        let scale = 1.0 / (query.dim(2)? as f64).sqrt();
        let scores = matmul(&(query * scale)?, &key.t()?)?;
        let mixed = matmul(&softmax(&scores)?, &value)?;
        let mixed = mixed
            .reshape((self.kv_heads, n, group, points, value.dim(2)?))?
            .permute([1, 3, 0, 2, 4])?
            .contiguous()?
            .reshape((n, points, ()))?;
        to_boards(
            &add_to_trunk(&x, &self.out.forward(&mixed)?)?,
            height,
            width,
        )
    }

    /// Splits `[n, points, kv_heads * group * width]` into contiguous heads, `[kv_heads, n * group, points, width]`.
    fn split(&self, x: &Tensor, group: usize) -> Result<Tensor> {
        let (n, points, channels) = x.dims3()?;
        let width = channels / (self.kv_heads * group);
        x.reshape((n, points, self.kv_heads, group, width))?
            .permute([2, 0, 3, 1, 4])?
            .contiguous()?
            .reshape((self.kv_heads, n * group, points, width))
    }
}

/// Rotary position embedding. Rotates each pair of adjacent channels of a head by an angle that depends on the point.
#[derive(Debug)]
struct RotaryEmbedding {
    rotation: RotaryAngles,
    kv_heads: usize,
    /// Number of channel pairs in a head.
    pairs: usize,
    backend: Backend,
    /// Tables for the most recently used board size.
    tables: Mutex<Option<RotaryTables>>,
}

/// Cosines and sines of all angles for one board size, each `[kv_heads, points, pairs]`.
#[derive(Debug)]
struct RotaryTables {
    /// Numbers of rows and columns of the board.
    size: (usize, usize),
    cos: Tensor,
    sin: Tensor,
}

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
    fn tables(&self, height: usize, width: usize) -> Result<(Tensor, Tensor)> {
        let mut tables = self.tables.lock();
        if let Some(tables) = &*tables
            && tables.size == (height, width)
        {
            return Ok((tables.cos.clone(), tables.sin.clone()));
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
            self.backend
                .upload(&numbers, shape)?
                .to_dtype(self.backend.dtype)
        };
        let (cos, sin) = (table(f64::cos)?, table(f64::sin)?);
        *tables = Some(RotaryTables {
            size: (height, width),
            cos: cos.clone(),
            sin: sin.clone(),
        });
        Ok((cos, sin))
    }
}

/// Feed-forward block: `x + out(silu(wide(y)) * gate(y))` with `y = norm(x)`.
#[derive(Debug)]
pub struct FeedForward {
    norm: RmsNorm,
    wide: Linear,
    gate: Linear,
    out: Linear,
}

impl FeedForward {
    pub fn new(spec: &FeedForwardBlock, backend: &Backend) -> Result<Self> {
        Ok(Self {
            norm: RmsNorm::new(&spec.norm, backend)?,
            wide: Linear::new(&spec.wide, backend)?.activated(Activation::Silu),
            gate: Linear::new(&spec.gate, backend)?,
            out: Linear::new(&spec.out, backend)?,
        })
    }

    /// Applies the block to the trunk's activations, `[n, channels, height, width]` in f32. The result has the same
    /// shape.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (_, _, height, width) = x.dims4()?;
        let x = to_rows(x)?;
        let y = self.norm.forward(&x)?;
        let gated = (self.wide.forward(&y)? * self.gate.forward(&y)?)?;
        let output = self.out.forward(&gated)?;
        to_boards(&add_to_trunk(&x, &output)?, height, width)
    }
}
