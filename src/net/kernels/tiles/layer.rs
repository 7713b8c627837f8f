//! A layer of points in tiles: products block by block, and what becomes of their sums.

use pulp::Simd;

use super::curves::activate;
use super::half::Halves;
use super::unit::{COLUMN_TILES, DEPTH, ROW_TILES, Rows, SIDE, Sums, Unit};
use crate::net::desc::layers::Activation;
use crate::net::kernels::boards::Boards;
use crate::net::kernels::steps::TileLayer;
use crate::net::kernels::vocabulary::WithHalves;

/// Places of a block.
pub const BLOCK: usize = ROW_TILES * SIDE;
/// Stands for a place that is no point of a board.
const NOWHERE: u32 = u32::MAX;

/// Where the results of the places of a board go, in blocks.
#[derive(Debug, Default)]
pub struct Run {
    /// For the places from the first point to the last, row after row: where the point lies, from the first one.
    places: Vec<u32>,
}

impl Run {
    /// From boards of one layout to the same boards in another.
    pub fn new(from: &Boards, to: &Boards) -> Self {
        let mut places = Vec::with_capacity((from.height * from.line).next_multiple_of(BLOCK));
        for row in 0..from.height {
            places.extend((0..from.width).map(|column| (row * to.line + column) as u32));
            places.extend((from.width..from.line).map(|_| NOWHERE));
        }
        let border = from.line - from.width;
        places.truncate(places.len() - border);
        places.resize(places.len().next_multiple_of(BLOCK), NOWHERE);
        Self { places }
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
        let _session = self.unit.session();
        {
            for column in (0..panels.columns).step_by(COLUMN_TILES) {
                for board in 0..count {
                    let first = boards.place(board, 0, 0) - corner;
                    for block in 0..self.run.places.len() / BLOCK {
                        let rows = Rows {
                            numbers: self.from.0,
                            first: (first + block * BLOCK) * stride,
                            stride,
                            steps: self.steps,
                        };
                        let one = panels.column(column);
                        if column + 1 < panels.columns {
                            let both = [one, panels.column(column + 1)];
                            self.unit.multiply(rows, both, &mut sums);
                            self.finish::<S, 2>(simd, board, block, column, &sums);
                        } else {
                            self.unit.multiply(rows, [one], &mut sums);
                            self.finish::<S, 1>(simd, board, block, column, &sums);
                        }
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
        let first = boards.place(board, 0, 0);
        let places = &run.places[block * BLOCK..][..BLOCK];
        if self.layer.gated {
            return self.finish_gated(simd, (first, places), column, sums);
        }
        for (column, sums) in (column..column + C).zip(&sums.0) {
            for vector in 0..SIDE / S::F32_LANES {
                let channel = column * SIDE + vector * S::F32_LANES;
                let end = End::new(simd, self.layer, self.added, board, channel);
                let rows = sums.as_flattened().chunks_exact(SIDE);
                for (place, sums) in places.iter().zip(rows) {
                    if *place != NOWHERE {
                        let sum = S::as_simd_f32s(sums).0[vector];
                        self.store(simd, &end, first + *place as usize, channel, sum);
                    }
                }
            }
        }
    }

    /// Stores a block of sums times their gates.
    #[inline(always)]
    fn finish_gated<S: Halves>(
        &mut self,
        simd: S,
        (first, places): (usize, &[u32]),
        column: usize,
        sums: &Sums,
    ) {
        let [wide, gate] = &sums.0;
        let bias = &self.layer.bias[column * SIDE..];
        let bias = S::as_simd_f32s(&bias[..2 * SIDE]).0;
        let vectors = SIDE / S::F32_LANES;
        let (half, stride) = &mut self.half;
        for (index, place) in places.iter().enumerate() {
            if *place == NOWHERE {
                continue;
            }
            let at = (first + *place as usize) * *stride + column / 2 * SIDE;
            let [wide, gate] = [wide, gate]
                .map(|sums| S::as_simd_f32s(&sums.as_flattened()[index * SIDE..][..SIDE]).0);
            for vector in 0..vectors {
                let x = simd.add_f32s(wide[vector], bias[vector]);
                let x = activate(simd, self.layer.activation, x);
                let gate = simd.add_f32s(gate[vector], bias[vectors + vector]);
                let to = &mut half[at + vector * S::F32_LANES..];
                simd.store_rounded(to, simd.mul_f32s(x, gate));
            }
        }
    }

    /// Stores a vector of results of a point.
    #[inline(always)]
    fn store<S: Halves>(
        &mut self,
        simd: S,
        end: &End<S>,
        place: usize,
        channel: usize,
        sum: S::f32s,
    ) {
        let mut y = simd.add_f32s(sum, end.start);
        let (to, stride) = &mut self.to;
        if *stride > channel {
            let to = &mut S::as_mut_simd_f32s(&mut to[place * *stride + channel..]).0[0];
            if self.layer.accumulate {
                y = simd.add_f32s(y, *to);
            }
            y = activate(simd, self.layer.activation, y);
            *to = y;
        } else {
            y = activate(simd, self.layer.activation, y);
        }
        let (half, stride) = &mut self.half;
        if *stride > channel {
            if let Some((scale, shift)) = end.norm {
                y = simd.mul_add_e_f32s(y, scale, shift);
            }
            y = activate(simd, end.activation, y);
            simd.store_rounded(&mut half[place * *stride + channel..], y);
        }
    }
}

/// What is done to the results of a vector of channels.
struct End<S: Simd> {
    /// Added to the sums.
    start: S::f32s,
    /// Of the half copy: scale and shift.
    norm: Option<(S::f32s, S::f32s)>,
    /// Of the half copy, after its norm.
    activation: Activation,
}

impl<S: Simd> End<S> {
    #[inline(always)]
    fn new(
        simd: S,
        layer: &TileLayer,
        added: Option<(&[f32], usize)>,
        board: usize,
        channel: usize,
    ) -> Self {
        let vector = |numbers: &[f32]| S::as_simd_f32s(&numbers[channel..]).0[0];
        let mut start = vector(&layer.bias);
        if let Some((added, stride)) = added
            && channel < stride
        {
            start = simd.add_f32s(start, vector(&added[board * stride..]));
        }
        let half = layer.half.as_ref();
        let norm = half.and_then(|half| half.norm.as_ref());
        Self {
            start,
            norm: norm.map(|(scale, shift)| (vector(scale), vector(shift))),
            activation: half.map_or(Activation::Identity, |half| half.activation),
        }
    }
}
