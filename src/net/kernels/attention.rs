//! Attention between all points of a board, head by head: two products with a softmax between.
//!
//! The keys of a head are packed as a matrix with one column for each point, the values as one with one row for each
//! point; some points at a time ask.

use pulp::{Simd, WithSimd};

use super::activations::exp;
use super::aligned::Aligned;
use super::boards::Boards;
use super::product::{Dense, Inputs, Matrix, multiply, place};
use super::steps::Attention;
use crate::net::desc::blocks::Rotation;

/// Points that ask at a time.
const ASKING: usize = 26;

/// Room for one head.
#[derive(Debug, Default)]
pub struct Room {
    keys: Aligned,
    values: Aligned,
    scores: Aligned,
    mixed: Aligned,
}

impl Room {
    /// For boards of `area` points and heads up to these widths; everything is filled up to vectors of so many lanes.
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

/// The cosines and sines by which pairs of channels are turned; the two of a pair stand half a head apart.
#[derive(Debug, Default)]
pub struct Turns {
    /// `[tables, area, half]`; no table, one, or one for each head of keys.
    cos: Aligned,
    sin: Aligned,
    tables: usize,
    area: usize,
    half: usize,
}

impl Turns {
    /// For `kv_heads` heads of keys, of which so many pairs are turned that stand `half` a head apart, on boards of this
    /// size.
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

    /// Cosines and sines for the pairs of a head of keys, or of queries to it, at a point; nothing if nothing is turned.
    #[inline(always)]
    pub fn of(&self, of_keys: usize, point: usize) -> Option<(&[f32], &[f32])> {
        let table = of_keys.checked_rem(self.tables)?;
        let at = (table * self.area + point) * self.half;
        Some((&self.cos[at..][..self.half], &self.sin[at..][..self.half]))
    }
}

/// How many tables of turns a layer needs: none, one, or one for each head of keys.
fn tables(rotation: &Rotation, kv_heads: usize) -> usize {
    match rotation {
        Rotation::None => 0,
        Rotation::Fixed { .. } => 1,
        Rotation::Learnt { .. } => kv_heads,
    }
}

/// Radians that a pair turns by for a step to the next column and to the next row.
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

/// One layer to be run.
pub struct Mixing<'a> {
    /// The layer.
    pub layer: &'a Attention,
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// How queries and keys are turned.
    pub turns: &'a Turns,
    /// Queries, `[places, stride]`.
    pub query: (&'a mut [f32], usize),
    /// Keys.
    pub key: (&'a mut [f32], usize),
    /// Values.
    pub value: (&'a [f32], usize),
    /// Mixed values.
    pub to: (&'a mut [f32], usize),
    /// Room for a head.
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
    /// Turns the queries and the keys of a board; `group` heads of queries share one of keys.
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

    /// Packs a head of keys and values.
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

    /// The mixed values of some points' queries to the packed head.
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

/// Replaces each score by a power of `scale * (score - highest)`, and gives their sum. In this order none of those is
/// above 0, and no power above 1. The sum is no number where a score is none.
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

/// The sum of so many powers up to 1. A larger one comes of what is no number, which a power may make a large one of.
#[inline(always)]
pub fn of_shares(sum: f32, count: usize) -> f32 {
    match sum < 2.0 * count as f32 {
        true => sum,
        false => f32::NAN,
    }
}
