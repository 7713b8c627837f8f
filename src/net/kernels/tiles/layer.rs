//! A layer of points in tiles: products block by block, and what becomes of their sums.

use pulp::Simd;

use super::activations::activate;
use super::block::{COLUMN_TILES, DEPTH, ROW_TILES, Rows, SIDE, Sums};
use super::half::Halves;
use super::unit::Unit;
use crate::net::desc::layers::Activation;
use crate::net::kernels::activations::floored;
use crate::net::kernels::boards::Boards;
use crate::net::kernels::steps::{TileLayer, rest};
use crate::net::kernels::vocabulary::WithHalves;

/// Places of a block.
pub const BLOCK: usize = ROW_TILES * SIDE;
/// A row of a block that is a point of the board.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Of the block.
    row: u32,
    /// Where its result goes, from the first point.
    place: u32,
}

/// Where the results of the places of a board go, in blocks.
#[derive(Debug, Default)]
pub struct Run {
    /// From the first point to the last, row after row.
    points: Vec<Point>,
    /// How many of them are in each block and those before.
    ends: Vec<usize>,
}

impl Run {
    /// From boards of one layout to the same boards in another.
    pub fn new(from: &Boards, to: &Boards) -> Self {
        let mut run = Self::default();
        for row in 0..from.height {
            for column in 0..from.width {
                let at = row * from.line + column;
                run.ends.resize(at / BLOCK + 1, run.points.len());
                run.points.push(Point {
                    row: (at % BLOCK) as u32,
                    place: (row * to.line + column) as u32,
                });
                run.ends[at / BLOCK] = run.points.len();
            }
        }
        run
    }

    /// The points of a block.
    #[inline(always)]
    fn block(&self, block: usize) -> &[Point] {
        let start = match block {
            0 => 0,
            _ => self.ends[block - 1],
        };
        &self.points[start..self.ends[block]]
    }
}

/// One layer to be run.
pub struct Layer<'a> {
    /// The layer.
    pub layer: &'a TileLayer,
    /// Who multiplies.
    pub unit: Unit,
    /// The boards of the input, and how many of them.
    pub input: (&'a Boards, usize),
    /// The boards of the output.
    pub boards: &'a Boards,
    /// From the input's boards to those of the output.
    pub run: &'a Run,
    /// Room for the places of the steps.
    pub steps: &'a mut Vec<usize>,
    /// The input, `[places, stride]`.
    pub from: (&'a [u16], usize),
    /// What is added on all points of a board, and its stride.
    pub added: Option<(&'a [f32], usize)>,
    /// The output, `[places, stride]`, empty if nobody needs it.
    pub to: (&'a mut [f32], usize),
    /// The output for other layers, empty if there is none.
    pub half: (&'a mut [u16], usize),
}

impl WithHalves for Layer<'_> {
    #[inline(always)]
    fn with_halves<S: Halves>(mut self, simd: S) {
        let panels = &self.layer.panels;
        let (height, width) = panels.kernel;
        let (boards, count) = self.input;
        let stride = self.from.1;
        self.steps.clear();
        for tap in 0..height * width {
            let place = tap / width * boards.line + tap % width;
            let depths = (0..panels.depth).map(|depth| place * stride + depth * DEPTH);
            self.steps.extend(depths);
        }
        // The first tap is up and to the left of the point.
        let corner = height / 2 * boards.line + width / 2;
        let mut sums = Sums::ZERO;
        let session = self.unit.session();
        for column in (0..panels.columns).step_by(COLUMN_TILES) {
            for board in 0..count {
                let first = boards.place(board, 0, 0) - corner;
                for block in 0..self.run.ends.len() {
                    let rows = Rows {
                        numbers: self.from.0,
                        first: (first + block * BLOCK) * stride,
                        stride,
                        steps: self.steps,
                    };
                    let one = panels.column(column);
                    if column + 1 < panels.columns {
                        let both = [one, panels.column(column + 1)];
                        session.multiply(rows, both, &mut sums);
                        self.finish::<S, 2>(simd, board, block, column, &sums);
                    } else {
                        session.multiply(rows, [one], &mut sums);
                        self.finish::<S, 1>(simd, board, block, column, &sums);
                    }
                }
            }
        }
    }
}

impl Layer<'_> {
    /// Stores the sums of a block.
    #[inline(always)]
    fn finish<S: Halves, const C: usize>(
        &mut self,
        simd: S,
        board: usize,
        block: usize,
        column: usize,
        sums: &Sums,
    ) {
        let (boards, run) = (self.boards, self.run);
        let points = Points {
            first: boards.place(board, 0, 0),
            points: run.block(block),
        };
        if self.layer.gated {
            return self.store_gated(simd, points, column, sums);
        }
        let (to, sum, half) = (
            self.layer.to.is_some(),
            self.layer.accumulate,
            self.layer.half.is_some(),
        );
        for (column, sums) in (column..column + C).zip(&sums.0) {
            for vector in 0..SIDE / S::F32_LANES {
                let channel = column * SIDE + vector * S::F32_LANES;
                // Vectors beyond the last output.
                let (to, half) = (to && channel < self.to.1, half && channel < self.half.1);
                let end = End::new(simd, self.layer, self.added, board, channel);
                let sums = &S::as_simd_f32s(sums.as_flattened()).0[vector..];
                match (to, sum, half) {
                    (true, true, true) => {
                        self.store::<S, true, true, true>(simd, points, end, sums)
                    }
                    (true, true, _) => self.store::<S, true, true, false>(simd, points, end, sums),
                    (true, _, true) => self.store::<S, true, false, true>(simd, points, end, sums),
                    (true, ..) => self.store::<S, true, false, false>(simd, points, end, sums),
                    (_, _, true) => self.store::<S, false, false, true>(simd, points, end, sums),
                    _ => {}
                }
            }
        }
    }

    /// Stores a vector of results of each point: in 32 bits, added to what is there, and as halves.
    #[inline(always)]
    fn store<S: Halves, const TO: bool, const SUM: bool, const HALF: bool>(
        &mut self,
        simd: S,
        points: Points<'_>,
        end: End<S>,
        sums: &[S::f32s],
    ) {
        let vectors = self.to.1 / S::F32_LANES;
        let (to, half) = (S::as_mut_simd_f32s(self.to.0).0, &mut *self.half.0);
        for Point { row, place } in points.points {
            let place = points.first + *place as usize;
            let mut y = simd.add_f32s(sums[*row as usize * (SIDE / S::F32_LANES)], end.start);
            let at = place * vectors + end.channel / S::F32_LANES;
            if SUM {
                y = simd.add_f32s(y, to[at]);
            }
            y = end.first.of(simd, y);
            if TO {
                to[at] = y;
            }
            if HALF {
                y = simd.mul_add_e_f32s(y, end.scale, end.shift);
                y = end.second.of(simd, y);
                simd.store_rounded(&mut half[place * self.half.1 + end.channel..], y);
            }
        }
    }

    /// Stores a block of sums times their gates.
    #[inline(always)]
    fn store_gated<S: Halves>(&mut self, simd: S, points: Points<'_>, column: usize, sums: &Sums) {
        let vectors = SIDE / S::F32_LANES;
        let bias = S::as_simd_f32s(&self.layer.bias[column * SIDE..]).0;
        let wide = S::as_simd_f32s(sums.0[0].as_flattened()).0;
        let gate = S::as_simd_f32s(sums.0[1].as_flattened()).0;
        let activation = Curve::new(simd, self.layer.activation);
        for vector in 0..vectors {
            let channel = column / COLUMN_TILES * SIDE + vector * S::F32_LANES;
            for Point { row, place } in points.points {
                let at = *row as usize * vectors + vector;
                let x = activation.of(simd, simd.add_f32s(wide[at], bias[vector]));
                let gate = simd.add_f32s(gate[at], bias[vectors + vector]);
                let place = points.first + *place as usize;
                let to = &mut self.half.0[place * self.half.1 + channel..];
                simd.store_rounded(to, simd.mul_f32s(x, gate));
            }
        }
    }
}

/// The points of a block.
#[derive(Clone, Copy)]
struct Points<'a> {
    /// The board's first point.
    first: usize,
    points: &'a [Point],
}

/// An activation: a floor, and what is no mere floor.
#[derive(Clone, Copy)]
struct Curve<S: Simd> {
    floor: S::f32s,
    rest: Option<Activation>,
}

impl<S: Halves> Curve<S> {
    #[inline(always)]
    fn new(simd: S, activation: Activation) -> Self {
        Self {
            floor: simd.splat_f32s(activation.floor()),
            rest: rest(activation),
        }
    }

    #[inline(always)]
    fn of(self, simd: S, x: S::f32s) -> S::f32s {
        match self.rest {
            None => floored(simd, x, self.floor),
            Some(activation) => activate(simd, activation, x),
        }
    }
}

/// What is done to the results of a vector of channels.
#[derive(Clone, Copy)]
struct End<S: Simd> {
    channel: usize,
    /// Added to the sums.
    start: S::f32s,
    first: Curve<S>,
    /// Of the half copy.
    scale: S::f32s,
    shift: S::f32s,
    second: Curve<S>,
}

impl<S: Halves> End<S> {
    #[inline(always)]
    fn new(
        simd: S,
        layer: &TileLayer,
        added: Option<(&[f32], usize)>,
        board: usize,
        channel: usize,
    ) -> Self {
        let mut start = S::as_simd_f32s(&layer.bias[channel..]).0[0];
        if let Some((added, stride)) = added
            && channel < stride
        {
            let added = S::as_simd_f32s(&added[board * stride + channel..]).0[0];
            start = simd.add_f32s(start, added);
        }
        let (mut scale, mut shift) = (simd.splat_f32s(1.0), simd.splat_f32s(0.0));
        let mut second = Activation::Identity;
        if let Some(half) = &layer.half {
            second = half.activation;
            if let Some((scales, shifts)) = &half.norm {
                scale = S::as_simd_f32s(&scales[channel..]).0[0];
                shift = S::as_simd_f32s(&shifts[channel..]).0[0];
            }
        }
        Self {
            channel,
            start,
            first: Curve::new(simd, layer.activation),
            scale,
            shift,
            second: Curve::new(simd, second),
        }
    }
}
