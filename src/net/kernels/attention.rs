//! Attention between all points of a board in 32-bit floats, one head at a time: two matrix products with a softmax
//! between them.
//!
//! The keys of a head are packed as a matrix with one column per point, the values as a matrix with one row per point.
//! Queries are processed in blocks of `ASKING` points.

use pulp::{Simd, WithSimd};

use super::activations::exp;
use super::aligned::Aligned;
use super::boards::Boards;
use super::product::{Dense, Inputs, Matrix, multiply, place};
use super::steps::Attention;
use crate::net::desc::blocks::Rotation;

/// Number of query points per block.
const ASKING: usize = 26;

/// Workspace for a single head.
#[derive(Debug, Default)]
pub struct Room {
    keys: Aligned,
    values: Aligned,
    scores: Aligned,
    mixed: Aligned,
}

impl Room {
    /// Creates a workspace for boards of `area` points and heads with at most `width` channels per query and
    /// `value_width` per value. Rows are padded to vectors of `lanes` numbers.
    pub fn new(lanes: usize, area: usize, width: usize, value_width: usize) -> Self {
        let (points, values) = (
            area.next_multiple_of(lanes),
            value_width.next_multiple_of(lanes),
        );
        Self {
            keys: Aligned::zeros(width * points),
            values: Aligned::zeros(area * values),
            scores: Aligned::zeros(ASKING * points),
            mixed: Aligned::zeros(ASKING * values),
        }
    }
}

/// Tables of cosines and sines for rotary position embeddings. The two channels of a pair lie half a head apart.
#[derive(Debug, Default)]
pub struct Turns {
    /// `[tables, area, half]`, with 0, 1 or `kv_heads` tables.
    cos: Aligned,
    sin: Aligned,
    tables: usize,
    area: usize,
    half: usize,
}

impl Turns {
    /// Computes the tables for boards of the size of `boards`. The first `pairs` pairs of each of the `kv_heads` key
    /// heads are rotated; the two channels of a pair lie `half` channels apart.
    pub fn new(
        rotation: &Rotation,
        kv_heads: usize,
        pairs: usize,
        half: usize,
        boards: &Boards,
    ) -> Self {
        let area = boards.area();
        let tables = tables(rotation, kv_heads);
        let numbers = || Aligned::zeros(tables * area * half);
        let (mut cos, mut sin) = (numbers(), numbers());
        for table in 0..tables {
            for point in 0..area {
                let (row, column) = (point / boards.width, point % boards.width);
                for pair in 0..pairs {
                    let (right, down) = step(rotation, table, pair, pairs);
                    let angle = column as f32 * right + row as f32 * down;
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

    /// Returns the cosines and sines of all pairs at a point for key head `of_keys`, and for the query heads that
    /// share it. Returns `None` if the layer has no rotation.
    #[inline(always)]
    pub fn of(&self, of_keys: usize, point: usize) -> Option<(&[f32], &[f32])> {
        let table = of_keys.checked_rem(self.tables)?;
        let at = (table * self.area + point) * self.half;
        Some((&self.cos[at..][..self.half], &self.sin[at..][..self.half]))
    }
}

/// Returns the number of rotation tables: 0, 1, or one per key head.
fn tables(rotation: &Rotation, kv_heads: usize) -> usize {
    match rotation {
        Rotation::None => 0,
        Rotation::Fixed { .. } => 1,
        Rotation::Learnt { .. } => kv_heads,
    }
}

/// Returns the rotation angles of a pair, in radians: per column to the right and per row downwards.
fn step(rotation: &Rotation, head: usize, pair: usize, pairs: usize) -> (f32, f32) {
    match rotation {
        Rotation::None => (0.0, 0.0),
        Rotation::Fixed { theta } => {
            let angle = |pair: usize| theta.powf(-2.0 * pair as f32 / pairs as f32);
            match pair.checked_sub(pairs / 2) {
                None => (0.0, angle(pair)),
                Some(pair) => (angle(pair), 0.0),
            }
        }
        Rotation::Learnt { angles } => {
            let at = 2 * (head * pairs + pair);
            (angles[at], angles[at + 1])
        }
    }
}

/// Attention of one layer on the first `count` boards.
pub struct Mixing<'a> {
    pub layer: &'a Attention,
    pub boards: &'a Boards,
    pub count: usize,
    /// Rotation tables of the layer.
    pub turns: &'a Turns,
    /// Queries, `[places, stride]`, and their stride. They are rotated in place.
    pub query: (&'a mut [f32], usize),
    /// Keys, `[places, stride]`, and their stride. They are rotated in place.
    pub key: (&'a mut [f32], usize),
    /// Values, `[places, stride]`, and their stride.
    pub value: (&'a [f32], usize),
    /// Output (weighted sums of values), `[places, stride]`, and its stride.
    pub to: (&'a mut [f32], usize),
    pub room: &'a mut Room,
}

impl WithSimd for Mixing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let group = self.layer.heads / self.layer.kv_heads;
        let area = self.boards.area();
        let points = self.boards.points(self.count).places;
        for places in points.chunks_exact(area) {
            self.turn(places, group);
            for shared in 0..self.layer.kv_heads {
                self.pack::<S>(places, shared);
                for head in shared * group..(shared + 1) * group {
                    for asking in places.chunks(ASKING) {
                        self.mix(simd, asking, head);
                    }
                }
            }
        }
    }
}

impl Mixing<'_> {
    /// Rotates the queries and keys of a board in place; `group` query heads share each key head.
    #[inline(always)]
    fn turn(&mut self, places: &[usize], group: usize) {
        let layer = self.layer;
        for ((numbers, stride), heads, group) in [
            (&mut self.query, layer.heads, group),
            (&mut self.key, layer.kv_heads, 1),
        ] {
            for head in 0..heads {
                for (point, place) in places.iter().enumerate() {
                    let Some((cos, sin)) = self.turns.of(head / group, point) else {
                        return;
                    };
                    let row = &mut numbers[place * *stride + head * layer.width..][..layer.width];
                    let (low, high) = row.split_at_mut(layer.width / 2);
                    for ((a, b), (cos, sin)) in low.iter_mut().zip(high).zip(cos.iter().zip(sin)) {
                        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
                    }
                }
            }
        }
    }

    /// Packs the keys and values of key head `head`.
    #[inline(always)]
    fn pack<S: Simd>(&mut self, places: &[usize], head: usize) {
        let (width, value_width) = (self.layer.width, self.layer.value_width);
        let lanes = S::F32_LANES;
        let vectors = places.len().div_ceil(lanes);
        self.room.keys.fill(0.0);
        self.room.values.fill(0.0);
        for (point, at) in places.iter().enumerate() {
            let keys = &self.key.0[at * self.key.1 + head * width..][..width];
            for (channel, key) in keys.iter().enumerate() {
                self.room.keys[place(lanes, width, vectors, channel, point)] = *key;
            }
            let values = &self.value.0[at * self.value.1 + head * value_width..][..value_width];
            let vectors = value_width.div_ceil(lanes);
            for (channel, value) in values.iter().enumerate() {
                self.room.values[place(lanes, places.len(), vectors, point, channel)] = *value;
            }
        }
    }

    /// Computes the output of query head `head` for the points `asking`, using the packed keys and values.
    #[inline(always)]
    fn mix<S: Simd>(&mut self, simd: S, asking: &[usize], head: usize) {
        let (width, value_width) = (self.layer.width, self.layer.value_width);
        let area = self.boards.area();
        let (points, values) = (
            area.div_ceil(S::F32_LANES),
            value_width.div_ceil(S::F32_LANES),
        );
        let stride = self.query.1;
        let queries = Inputs {
            numbers: self.query.0,
            rows: asking.len(),
            start: |row: usize| asking[row] * stride + head * width,
            taps: &[0],
        };
        let keys = Matrix {
            panels: &S::as_simd_f32s(&self.room.keys).0[..width * points],
            inputs: width,
            taps: 1,
            vectors: points,
        };
        let mut sink = Dense {
            to: S::as_mut_simd_f32s(&mut self.room.scores).0,
            vectors: points,
        };
        multiply(simd, queries, keys, &mut sink);
        let mut sums = [0.0; ASKING];
        let row_length = points * S::F32_LANES;
        let rows = self.room.scores.chunks_exact_mut(row_length);
        for (scores, sum) in rows.zip(&mut sums[..asking.len()]) {
            scores[area..].fill(f32::NEG_INFINITY);
            let scores = S::as_mut_simd_f32s(scores).0;
            let scale = 1.0 / (width as f32).sqrt();
            *sum = raised(simd, scores, scale, |below| exp(simd, below));
        }
        let shares = Inputs {
            numbers: &self.room.scores,
            rows: asking.len(),
            start: |row: usize| row * row_length,
            taps: &[0],
        };
        let matrix = Matrix {
            panels: &S::as_simd_f32s(&self.room.values).0[..area * values],
            inputs: area,
            taps: 1,
            vectors: values,
        };
        let mut sink = Dense {
            to: S::as_mut_simd_f32s(&mut self.room.mixed).0,
            vectors: values,
        };
        multiply(simd, shares, matrix, &mut sink);
        let rows = self.room.mixed.chunks_exact(values * S::F32_LANES);
        for ((mixed, sum), place) in rows.zip(sums).zip(asking) {
            let to = &mut self.to.0[place * self.to.1 + head * value_width..][..value_width];
            for (to, mixed) in to.iter_mut().zip(mixed) {
                *to = mixed / sum;
            }
        }
    }
}

/// Replaces each score by `power(scale * (score - max))`, the softmax numerators, and returns their sum; the sum is
/// NaN if a score is NaN.
///
/// The maximum is subtracted before scaling, so that no argument is above 0 and no numerator above 1.
#[inline(always)]
pub fn raised<S: Simd>(
    simd: S,
    scores: &mut [S::f32s],
    scale: f32,
    power: impl Fn(S::f32s) -> S::f32s,
) -> f32 {
    let mut highest = simd.splat_f32s(f32::NEG_INFINITY);
    for score in scores.iter() {
        highest = simd.max_f32s(highest, *score);
    }
    let highest = simd.splat_f32s(simd.reduce_max_f32s(highest));
    let scale = simd.splat_f32s(scale);
    let mut sum = simd.splat_f32s(0.0);
    for score in scores.iter_mut() {
        *score = power(simd.mul_f32s(simd.sub_f32s(*score, highest), scale));
        sum = simd.add_f32s(sum, *score);
    }
    of_shares(simd.reduce_sum_f32s(sum), scores.len() * S::F32_LANES)
}

/// Returns the sum of `count` softmax numerators, or NaN if it is too large. The numerators are at most 1; a larger
/// sum means that a score was NaN, for which [`exp`] may return a large number.
#[inline(always)]
pub fn of_shares(sum: f32, count: usize) -> f32 {
    match sum < 2.0 * count as f32 {
        true => sum,
        false => f32::NAN,
    }
}
