//! From points to whole boards: pooled features, and all numbers in one row.

use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::boards::Boards;
use crate::net::desc::layers::Pooling;

/// Features of whole boards.
pub struct Pool<'a> {
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// Channels, filled up.
    pub stride: usize,
    /// Channels.
    pub channels: usize,
    /// `[boards, 3 * channels]`, each row filled up.
    pub to: &'a mut Aligned,
    /// Numbers of a row of the output.
    pub to_stride: usize,
    /// Which features.
    pub pooling: Pooling,
}

impl WithSimd for Pool<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (boards, channels) = (self.boards, self.channels);
        let vectors = self.stride / S::F32_LANES;
        let from = S::as_simd_f32s(self.from).0;
        let area = boards.area();
        let side = (area as f32).sqrt() - 14.0;
        let points = boards.points(self.count).places.chunks_exact(area);
        for (places, to) in points.zip(self.to.chunks_exact_mut(self.to_stride)) {
            for vector in 0..vectors {
                let mut sum = simd.splat_f32s(0.0);
                let mut largest = simd.splat_f32s(f32::NEG_INFINITY);
                for place in places {
                    let x = from[place * vectors + vector];
                    sum = simd.add_f32s(sum, x);
                    largest = simd.max_f32s(largest, x);
                }
                let mean = simd.div_f32s(sum, simd.splat_f32s(area as f32));
                let scaled = |factor: f32| simd.mul_f32s(mean, simd.splat_f32s(factor));
                let last = match self.pooling {
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

/// Writes all numbers of each board (`[places, stride]`) in one row, channel after channel.
pub fn flatten(
    boards: &Boards,
    count: usize,
    (from, stride): (&Aligned, usize),
    channels: usize,
    (to, to_stride): (&mut Aligned, usize),
) {
    let area = boards.area();
    let points = boards.points(count).places.chunks_exact(area);
    for (places, to) in points.zip(to.chunks_exact_mut(to_stride)) {
        for channel in 0..channels {
            let to = &mut to[channel * area..][..area];
            for (to, place) in to.iter_mut().zip(places) {
                *to = from[place * stride + channel];
            }
        }
    }
}
