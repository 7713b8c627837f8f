//! Rotary position embeddings.

use super::aligned::AlignedBuffer;
use super::layout::BoardLayout;
use crate::net::program::ops::AttentionOp;
use crate::net::spec::blocks::RotaryAngles;

/// Tables of the cosines and sines of all rotation angles.
#[derive(Debug, Default)]
pub struct RotaryTables {
    /// Cosines, `[tables, area, half]`, with 0, 1 or `kv_heads` tables.
    cos: AlignedBuffer,
    /// Sines, in the same layout.
    sin: AlignedBuffer,
    tables: usize,
    area: usize,
    /// Number of channel pairs per head, padding included.
    half: usize,
}

impl RotaryTables {
    /// Computes the tables of an attention layer for boards of this size.
    pub fn new(op: &AttentionOp, layout: &BoardLayout) -> Self {
        let (area, half, pairs) = (layout.area(), op.width / 2, op.pairs);
        let tables = match op.rotation {
            RotaryAngles::None => 0,
            RotaryAngles::Fixed { .. } => 1,
            RotaryAngles::Learnt { .. } => op.kv_heads,
        };
        let zeros = || AlignedBuffer::zeros(tables * area * half);
        let (mut cos, mut sin) = (zeros(), zeros());
        for table in 0..tables {
            for point in 0..area {
                let (row, column) = (point / layout.width, point % layout.width);
                for pair in 0..pairs {
                    let (per_column, per_row) = op.rotation.angle_steps(table, pair, pairs);
                    let angle = column as f32 * per_column + row as f32 * per_row;
                    let at = (table * area + point) * half + pair;
                    (cos[at], sin[at]) = (angle.cos(), angle.sin());
                }
            }
        }
        Self {
            cos,
            sin,
            tables,
            area,
            half,
        }
    }

    /// Returns the cosines and sines of all pairs at a point for a key head and for the query heads that share it, or
    /// `None` if the layer has no rotation.
    #[inline(always)]
    pub fn cos_sin_at(&self, key_head: usize, point: usize) -> Option<(&[f32], &[f32])> {
        let table = key_head.checked_rem(self.tables)?;
        let at = (table * self.area + point) * self.half;
        Some((&self.cos[at..][..self.half], &self.sin[at..][..self.half]))
    }
}
