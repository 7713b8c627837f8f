//! Conversions from points to whole boards: global pooling and flattening.

use super::layout::BoardLayout;
use super::vectors::{Vectors, WithVectors};
use crate::net::program::ops::PoolOp;
use crate::net::spec::layers::Pooling;

/// Global pooling: computes three features per channel and board.
pub struct Pool<'a> {
    pub op: &'a PoolOp,
    pub layout: &'a BoardLayout,
    pub count: usize,
    /// Input, `[cells, stride]`, and the stride: the number of channels, padded to whole vectors.
    pub from: (&'a [f32], usize),
    /// Output, `[boards, stride]`, and the stride. A row consists of `3 * channels` features and padding.
    pub to: (&'a mut [f32], usize),
}

impl WithVectors for Pool<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, simd: S) {
        let (layout, channels) = (self.layout, self.op.channels);
        let vectors = self.from.1 / S::F32_LANES;
        let from = S::as_simd_f32s(self.from.0).0;
        let area = layout.area();
        let side = (area as f32).sqrt() - 14.0;
        let points = layout.points_as_rows(self.count).cells.chunks_exact(area);
        for (cells, to) in points.zip(self.to.0.chunks_exact_mut(self.to.1)) {
            for vector in 0..vectors {
                let mut sum = simd.splat_f32s(0.0);
                let mut largest = simd.splat_f32s(f32::NEG_INFINITY);
                for cell in cells {
                    let x = from[cell * vectors + vector];
                    sum = simd.add_f32s(sum, x);
                    largest = simd.max_f32s(largest, x);
                }
                let mean = simd.div_f32s(sum, simd.splat_f32s(area as f32));
                let scaled = |factor: f32| simd.mul_f32s(mean, simd.splat_f32s(factor));
                let last = match self.op.pooling {
                    Pooling::Max => largest,
                    Pooling::Mean => scaled(side * side / 100.0 - 0.1),
                };
                let first = vector * S::F32_LANES;
                let lanes = S::F32_LANES.min(channels - first);
                for (part, feature) in [mean, scaled(side / 10.0), last].into_iter().enumerate() {
                    let to = &mut to[part * channels + first..][..lanes];
                    simd.partial_store_f32s(to, feature);
                }
            }
        }
    }
}

/// Copies the points of each board (`[cells, stride]`) into one row, channel by channel: `[boards, channels * area]`,
/// with rows padded to `to_stride`.
pub fn flatten(
    layout: &BoardLayout,
    count: usize,
    (from, stride): (&[f32], usize),
    channels: usize,
    (to, to_stride): (&mut [f32], usize),
) {
    let area = layout.area();
    let points = layout.points_as_rows(count).cells.chunks_exact(area);
    for (cells, to) in points.zip(to.chunks_exact_mut(to_stride)) {
        for channel in 0..channels {
            let to = &mut to[channel * area..][..area];
            for (to, cell) in to.iter_mut().zip(cells) {
                *to = from[cell * stride + channel];
            }
        }
    }
}
