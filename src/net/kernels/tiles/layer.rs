//! Convolutions and linear layers with bfloat16 products: the loop over the blocks, and the epilogue.

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

/// Number of places in a block.
pub const BLOCK: usize = ROW_TILES * SIDE;
/// Row of a block that corresponds to a point of the board rather than to its border.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Row of the block.
    row: u32,
    /// Place of its result, relative to the first point of the board.
    place: u32,
}

/// Mapping from the rows of the blocks of a board to the places of their results.
#[derive(Debug, Default)]
pub struct Run {
    /// All points in row-major order.
    points: Vec<Point>,
    /// For each block, the end of its points in `points`.
    ends: Vec<usize>,
}

impl Run {
    /// Creates the mapping between two layouts of boards of the same size.
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

    /// Returns the points of a block.
    #[inline(always)]
    fn block(&self, block: usize) -> &[Point] {
        let start = match block {
            0 => 0,
            _ => self.ends[block - 1],
        };
        &self.points[start..self.ends[block]]
    }
}

/// Arguments for running a layer.
pub struct Layer<'a> {
    pub layer: &'a TileLayer,
    /// Implementation of tile products.
    pub unit: Unit,
    /// Layout of the input boards, and the number of boards.
    pub input: (&'a Boards, usize),
    /// Layout of the output boards.
    pub boards: &'a Boards,
    /// Mapping from the input layout to the output layout.
    pub run: &'a Run,
    /// Buffer for the starts of the steps, reused between runs.
    pub steps: &'a mut Vec<usize>,
    /// Input, `[places, stride]`, and the stride.
    pub from: (&'a [u16], usize),
    /// Values added at all points of a board, `[boards, stride]`, and the stride.
    pub added: Option<(&'a [f32], usize)>,
    /// 32-bit output, `[places, stride]`, and the stride. Empty if the layer has no such output.
    pub to: (&'a mut [f32], usize),
    /// bfloat16 output, `[places, stride]`, and the stride. Empty if the layer has no such output.
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
        // Distance from the place of the kernel's first tap to the place of the output point.
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
    /// Stores the results of a block, one vector of channels at a time.
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
                // Vectors past the last output are not stored.
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

    /// Applies the epilogue to a vector of channels of each point and stores the results.
    ///
    /// They are stored as 32-bit floats if `TO`, and as bfloat16 if `HALF`. If `SUM`, the previous contents of the
    /// 32-bit output are added before the activation.
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

    /// Stores the results of a gated layer: the activated first tile of columns times the second.
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

/// Points of a block.
#[derive(Clone, Copy)]
struct Points<'a> {
    /// Place of the first point of the board.
    first: usize,
    points: &'a [Point],
}

/// Activation function: `max(x, floor)`, or `rest` if the function has another form.
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

/// Epilogue parameters of a vector of channels.
#[derive(Clone, Copy)]
struct End<S: Simd> {
    channel: usize,
    /// Bias, plus the board's added values if any.
    start: S::f32s,
    first: Curve<S>,
    /// Scale of the bfloat16 copy; `shift` and `second` also apply to the copy.
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
