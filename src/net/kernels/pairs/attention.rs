//! Attention between all points of a board with 16-bit integer products.
//!
//! For each head, the keys are packed as a matrix with one column per point, and the values as a matrix with one input
//! per point. Queries are processed in blocks. Everything is quantized at run time: each query and each key by its
//! largest magnitude, the values of a head by their common largest magnitude, and the attention weights so that no sum
//! can overflow.
//!
//! Vocabulary: `turns` are the rotary position embeddings, `asking` is the block of queries, `shares` are the attention
//! weights, and `mixed` values are the attention output.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::matrix::{Matrix, Product};
use super::panels::{inputs_of, pair_of, pairs, split};
use super::rounding::{pair, row_scale, small_pair};
use crate::net::kernels::activations::rough_power;
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::attention::{Turns, raised};
use crate::net::kernels::boards::Boards;
use crate::net::kernels::steps::Attention;

/// Number of queries per block: three of the largest register blocks of the product, and few enough that their scores
/// stay in the cache.
const ASKING: usize = 27;
/// Largest magnitude of a quantized value.
const LARGEST_VALUE: f32 = 16_383.0;
/// Upper bound on the sum of a query's quantized attention weights, so that no weighted sum of values overflows.
const MOST_SHARES: f32 = 131_072.0;
/// Largest quantized attention weight.
const LARGEST_SHARE: f32 = i16::MAX as f32;

/// Returns the largest magnitude of the elements of quantized queries and keys with `width` elements.
fn largest_of(width: usize) -> f32 {
    (f64::from(i32::MAX) / width as f64)
        .sqrt()
        .min(f64::from(i16::MAX))
        .floor() as f32
}

/// Returns the number of pairs of a query, padded to whole vectors. A pair has one element from each half of the query.
fn query_pairs(lanes: usize, width: usize) -> usize {
    width.div_ceil(2).next_multiple_of(lanes)
}

/// Workspace for one head.
#[derive(Debug, Default)]
pub struct Room {
    /// Both halves of a rotated row, each padded with zeros to whole vectors.
    halves: [Aligned; 2],
    /// Quantized keys before packing, `[points, pairs]`.
    rows: Aligned<u32>,
    keys: Matrix,
    /// Values before quantization and packing, `[points, channels]`.
    plain: Aligned,
    values: Matrix,
    /// Quantized queries, `[asking, pairs]`.
    queries: Aligned<u32>,
    /// Unit of each left-hand row of the current product.
    units: Vec<f32>,
    /// `[asking, points]`
    scores: Aligned,
    /// `[asking, pairs]`
    shares: Aligned<u32>,
    /// `[asking, channels]`
    mixed: Aligned,
}

impl Room {
    /// Allocates a workspace for boards with `area` points and heads with up to `width` elements per query and
    /// `value_width` per value, for SIMD vectors with `lanes` lanes.
    pub fn new(lanes: usize, area: usize, width: usize, value_width: usize) -> Self {
        let points = area.next_multiple_of(lanes);
        let channels = value_width.next_multiple_of(lanes);
        let (of_query, of_shares) = (query_pairs(lanes, width), pairs(lanes, area));
        Self {
            halves: [Aligned::zeros(of_query), Aligned::zeros(of_query)],
            rows: Aligned::zeros(points * of_query),
            keys: Matrix::zeros(of_query, points),
            plain: Aligned::zeros(2 * of_shares * channels),
            values: Matrix::zeros(of_shares, channels),
            queries: Aligned::zeros(ASKING * of_query),
            units: Vec::with_capacity(ASKING),
            scores: Aligned::zeros(ASKING * points),
            shares: Aligned::zeros(ASKING * of_shares),
            mixed: Aligned::zeros(ASKING * channels),
        }
    }
}

/// Arguments for running an attention layer.
pub struct Mixing<'a> {
    pub layer: &'a Attention,
    /// Layout of the boards.
    pub boards: &'a Boards,
    /// Number of boards.
    pub count: usize,
    /// Rotary position embedding of queries and keys.
    pub turns: &'a Turns,
    /// Queries, `[places, stride]`, and the stride; the same for the next three fields.
    pub query: (&'a [f32], usize),
    pub key: (&'a [f32], usize),
    pub value: (&'a [f32], usize),
    /// Output.
    pub to: (&'a mut [f32], usize),
    /// Workspace.
    pub room: &'a mut Room,
}

impl WithDot for Mixing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let simd = dot.simd();
        let group = self.layer.heads / self.layer.kv_heads;
        let points = self.boards.points(self.count).places;
        for places in points.chunks_exact(self.boards.area()) {
            for shared in 0..self.layer.kv_heads {
                self.pack_keys(simd, places, shared);
                self.pack_values(simd, places, shared);
                for head in shared * group..(shared + 1) * group {
                    for first in (0..places.len()).step_by(ASKING) {
                        let asking = &places[first..places.len().min(first + ASKING)];
                        self.ask(simd, first, asking, (head, shared));
                        self.score(dot, asking.len());
                        self.share(dot, asking.len());
                        self.mix(dot, asking, head);
                    }
                }
            }
        }
    }
}

impl Mixing<'_> {
    /// Rotates, quantizes and packs the keys of a head.
    #[inline(always)]
    fn pack_keys<S: Simd>(&mut self, simd: S, places: &[usize], head: usize) {
        let Room {
            halves, rows, keys, ..
        } = &mut *self.room;
        let width = self.layer.width;
        let (numbers, stride) = self.key;
        let pairs = query_pairs(S::F32_LANES, width);
        let points = places.len().next_multiple_of(S::F32_LANES);
        let rounded = rows[..points * pairs].chunks_exact_mut(pairs);
        let units = &mut keys.units[..points];
        for (((point, place), to), unit) in places.iter().enumerate().zip(rounded).zip(units) {
            let row = &numbers[place * stride + head * width..][..width];
            *unit = round(simd, row, self.turns.of(head, point), halves, to);
        }
        rows[places.len() * pairs..points * pairs].fill(0);
        for (vector, width) in split(points / S::F32_LANES) {
            let (first, columns) = (vector * S::F32_LANES, width * S::F32_LANES);
            let rows = &rows[first * pairs..][..columns * pairs];
            let panel = &mut keys.numbers[first * pairs..][..columns * pairs];
            for (column, row) in rows.chunks_exact(pairs).enumerate() {
                for (to, from) in panel[column..].iter_mut().step_by(columns).zip(row) {
                    *to = *from;
                }
            }
        }
    }

    /// Quantizes and packs the values of a head.
    #[inline(always)]
    fn pack_values<S: Simd>(&mut self, simd: S, places: &[usize], head: usize) {
        let Room { plain, values, .. } = &mut *self.room;
        let width = self.layer.value_width;
        let (numbers, stride) = self.value;
        let channels = width.next_multiple_of(S::F32_LANES);
        let vectors = channels / S::F32_LANES;
        let pairs = pairs(S::F32_LANES, places.len());
        let plain = &mut plain[..2 * pairs * channels];
        for (place, to) in places.iter().zip(plain.chunks_exact_mut(channels)) {
            to[..width].copy_from_slice(&numbers[place * stride + head * width..][..width]);
            to[width..].fill(0.0);
        }
        plain[places.len() * channels..].fill(0.0);
        let plain = S::as_simd_f32s(plain).0;
        let (scale, unit) = row_scale(simd, plain.iter().copied(), LARGEST_VALUE);
        values.units[..channels].fill(unit);
        let (scale, limit) = (simd.splat_f32s(scale), simd.splat_f32s(LARGEST_VALUE));
        let to = S::as_mut_simd_u32s(&mut values.numbers).0;
        for (vector, width) in split(vectors) {
            let panel = to[vector * pairs..][..width * pairs].chunks_exact_mut(width);
            for (index, to) in panel.enumerate() {
                let rows = inputs_of(S::F32_LANES, index)
                    .map(|point| &plain[point * vectors + vector..][..width]);
                for (place, to) in to.iter_mut().enumerate() {
                    *to = pair(simd, rows.map(|row| row[place]), scale, limit);
                }
            }
        }
    }

    /// Rotates and quantizes a block of queries of `head`. `first` is the index of the block's first point, and
    /// `of_keys` is the key head, which selects the rotation.
    #[inline(always)]
    fn ask<S: Simd>(
        &mut self,
        simd: S,
        first: usize,
        asking: &[usize],
        (head, of_keys): (usize, usize),
    ) {
        let Room {
            halves,
            queries,
            units,
            ..
        } = &mut *self.room;
        let width = self.layer.width;
        let (numbers, stride) = self.query;
        let rows = queries.chunks_exact_mut(query_pairs(S::F32_LANES, width));
        units.clear();
        for ((point, place), to) in (first..).zip(asking).zip(rows) {
            let row = &numbers[place * stride + head * width..][..width];
            units.push(round(simd, row, self.turns.of(of_keys, point), halves, to));
        }
    }

    /// Computes the scores of `asking` queries against all keys.
    #[inline(always)]
    fn score<D: Dot>(&mut self, dot: D, asking: usize) {
        let pairs = query_pairs(D::Simd::F32_LANES, self.layer.width);
        let vectors = self.boards.area().div_ceil(D::Simd::F32_LANES);
        let Room {
            queries,
            units,
            keys,
            scores,
            ..
        } = &mut *self.room;
        dot.run(Product {
            rows: &queries[..asking * pairs],
            pairs,
            units,
            matrix: keys,
            vectors,
            to: scores,
        });
    }

    /// Converts the scores of `asking` queries to quantized attention weights by softmax.
    ///
    /// The unit of a row is the reciprocal of the sum of its quantized weights, so the weights add up to 1.
    #[inline(always)]
    fn share<D: Dot>(&mut self, dot: D, asking: usize) {
        let Room {
            scores,
            shares,
            units,
            ..
        } = &mut *self.room;
        let simd = dot.simd();
        let lanes = D::Simd::F32_LANES;
        let area = self.boards.area();
        let scale = std::f32::consts::LOG2_E / (self.layer.width as f32).sqrt();
        let zero = simd.splat_f32s(0.0);
        let ones = simd.splat_u32s(pair_of(1, 1));
        let scores = scores.chunks_exact_mut(area.next_multiple_of(lanes));
        let shares = <D::Simd as Simd>::as_mut_simd_u32s(shares).0;
        let shares = shares.chunks_exact_mut(pairs(lanes, area) / lanes);
        units.clear();
        for (scores, shares) in scores.zip(shares).take(asking) {
            scores[area..].fill(f32::NEG_INFINITY);
            let scores = <D::Simd as Simd>::as_mut_simd_f32s(scores).0;
            let sum = raised(simd, scores, scale, |below| rough_power(simd, below));
            // Rounding adds at most 1/2 to each weight.
            let scale = LARGEST_SHARE.min((MOST_SHARES - area as f32) / sum);
            let scale = simd.splat_f32s(scale);
            let mut total = simd.splat_i32s(0);
            for (to, from) in shares.iter_mut().zip(scores.chunks(2)) {
                let high = *from.get(1).unwrap_or(&zero);
                *to = small_pair(simd, [from[0], high], scale);
                total = dot.dot(total, *to, ones);
            }
            let unit = match sum.is_nan() {
                true => f32::NAN,
                false => simd.reduce_sum_f32s(dot.floats(total)).recip(),
            };
            units.push(unit);
        }
    }

    /// Computes and stores the attention output of a block of queries.
    #[inline(always)]
    fn mix<D: Dot>(&mut self, dot: D, asking: &[usize], head: usize) {
        let lanes = D::Simd::F32_LANES;
        let pairs = pairs(lanes, self.boards.area());
        let width = self.layer.value_width;
        let channels = width.next_multiple_of(lanes);
        let Room {
            shares,
            units,
            values,
            mixed,
            ..
        } = &mut *self.room;
        dot.run(Product {
            rows: &shares[..asking.len() * pairs],
            pairs,
            units,
            matrix: values,
            vectors: channels / lanes,
            to: mixed,
        });
        let (to, stride) = &mut self.to;
        for (mixed, place) in mixed.chunks_exact(channels).zip(asking) {
            to[place * *stride + head * width..][..width].copy_from_slice(&mixed[..width]);
        }
    }
}

/// Rotates a query or key by the cosines and sines in `turn`, if any, and quantizes it to pairs with one element from
/// each half. Returns the unit.
#[inline(always)]
fn round<S: Simd>(
    simd: S,
    row: &[f32],
    turn: Option<(&[f32], &[f32])>,
    halves: &mut [Aligned; 2],
    to: &mut [u32],
) -> f32 {
    let largest = largest_of(row.len());
    let (low, high) = row.split_at(row.len().div_ceil(2));
    let [a, b] = halves.each_mut().map(|half| &mut half[..to.len()]);
    a[low.len()..].fill(0.0);
    b[high.len()..].fill(0.0);
    match turn {
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
    let (a, b) = (S::as_simd_f32s(a).0, S::as_simd_f32s(b).0);
    let (scale, unit) = row_scale(simd, a.iter().chain(b).copied(), largest);
    let (scale, limit) = (simd.splat_f32s(scale), simd.splat_f32s(largest));
    for ((to, a), b) in S::as_mut_simd_u32s(to).0.iter_mut().zip(a).zip(b) {
        *to = pair(simd, [*a, *b], scale, limit);
    }
    unit
}

#[cfg(test)]
mod tests;
