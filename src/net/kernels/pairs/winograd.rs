//! Winograd's schemes with products in pairs: the transformed input is scaled and rounded number by number of the 36, and
//! the products are scaled back for each of them and each output.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panels, VECTORS, largest_input, pairs, split};
use super::product::{Inputs, Ints, Sink, multiply};
use super::rounding::pair;
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::boards::Boards;
use crate::net::kernels::finish::Results;
use crate::net::kernels::spread::SpreadMut;
use crate::net::kernels::steps::Finish;
use crate::net::kernels::winograd::{
    Corner, FREQUENCIES, SIDE, back, distance, forth, forth_line, half_forth,
};

/// How much larger than the largest number seen of a kind others may be before they saturate. With 64 positions seen, 1.5
/// let some of 2,000 others go wrong, ten times as wrong in the mean as with 2; 3 lost more than 2 to rounding.
const MARGIN: f32 = 2.0;

/// A convolution's weights in transformed space, and the scales of its transformed input.
#[derive(Debug)]
pub struct Sheets {
    panels: Panels,
    /// What each transformed number is multiplied with before it is rounded.
    scales: [f32; FREQUENCIES],
}

impl Sheets {
    /// Packs transformed weights (`[36, inputs, outputs]`) for vectors of so many lanes; `ranges` has the largest number
    /// in size that was seen of each transformed input, 0 if none was.
    pub fn new(lanes: usize, weights: &[f32], outputs: usize, ranges: [f32; FREQUENCIES]) -> Self {
        let inputs = weights.len() / (FREQUENCIES * outputs);
        let largest = largest_input(inputs);
        let most = ranges.iter().copied().fold(0.0, f32::max);
        let scales = ranges.map(|range| {
            let range = if range > 0.0 { range } else { most };
            let scale = largest / (MARGIN * range);
            // What is far too small, or was never seen, is taken as it is.
            if scale.is_normal() { scale } else { 1.0 }
        });
        Self {
            panels: Panels::new(lanes, weights, outputs, &scales.map(f32::recip), largest),
            scales,
        }
    }
}

/// Where convolutions work.
#[derive(Debug, Default)]
pub struct Room {
    /// The transformed input, `[36, tiles, pairs]`, with gaps.
    inputs: Aligned<u32>,
    /// Whose it is.
    inputs_of: Option<Source>,
    /// The products of some vectors of outputs, `[36, tiles, vectors]`, with gaps.
    products: Aligned,
}

/// A transformed input.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Source {
    /// Its number.
    input: usize,
    tile: usize,
    scales: [f32; FREQUENCIES],
}

impl Room {
    /// Enough for so many tiles and channels in.
    pub fn new(lanes: usize, tiles: usize, inputs: usize) -> Self {
        Self {
            inputs: Aligned::zeros(FREQUENCIES * distance(tiles, pairs(lanes, inputs))),
            inputs_of: None,
            products: Aligned::zeros(FREQUENCIES * distance(tiles, VECTORS * lanes)),
        }
    }

    /// Forgets whose input it has.
    pub fn forget(&mut self) {
        self.inputs_of = None;
    }
}

/// One convolution to be run.
pub struct Convolution<'a> {
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// Rows and columns of a tile.
    pub tile: usize,
    /// How far the kernel reaches.
    pub reach: usize,
    /// The weights.
    pub sheets: &'a Sheets,
    /// What is done with the results.
    pub finish: &'a Finish,
    /// The number of the input.
    pub input: usize,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// Channels, filled up.
    pub stride: usize,
    /// Where it works.
    pub room: &'a mut Room,
    /// The output.
    pub to: &'a mut Aligned,
    /// What is added on all points of a board.
    pub added: Option<&'a Aligned>,
    /// The normed copy, empty if there is none.
    pub copy: &'a mut Aligned,
}

impl WithDot for Convolution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let source = Source {
            input: self.input,
            tile: self.tile,
            scales: self.sheets.scales,
        };
        if self.room.inputs_of != Some(source) {
            self.transform(dot.simd());
            self.room.inputs_of = Some(source);
        }
        match self.tile {
            4 => self.outputs::<D, 4>(dot),
            _ => self.outputs::<D, 2>(dot),
        }
    }
}

impl Convolution<'_> {
    /// Tiles in all.
    fn tiles(&self) -> usize {
        let (rows, columns) = self.boards.tiles(self.tile);
        self.count * rows * columns
    }

    /// Transforms the input.
    #[inline(always)]
    fn transform<S: Simd>(&mut self, simd: S) {
        let (boards, side) = (self.boards, self.tile);
        let vectors = self.stride / S::F32_LANES;
        let (rows, columns) = boards.tiles(side);
        let from = S::as_simd_f32s(self.from).0;
        let pairs = self.sheets.panels.pairs / S::F32_LANES;
        let distance = distance(self.tiles(), self.sheets.panels.pairs) / S::F32_LANES;
        let to = S::as_mut_simd_u32s(&mut self.room.inputs).0;
        let mut tile = 0;
        for board in 0..self.count {
            for row in 0..rows {
                for column in 0..columns {
                    let corner = boards.place(board, side * row, side * column);
                    let corner = (corner - self.reach * (boards.line + 1)) * vectors;
                    let from = &from[corner..];
                    for pair in 0..pairs {
                        let mut low = [simd.splat_f32s(0.0); FREQUENCIES];
                        let line = boards.line * vectors;
                        forth(simd, &from[2 * pair..], line, vectors, &mut low, 1);
                        let to = &mut to[tile * pairs + pair..];
                        let high = match 2 * pair + 1 < vectors {
                            true => half_forth(simd, &from[2 * pair + 1..], line, vectors),
                            false => [[simd.splat_f32s(0.0); SIDE]; SIDE],
                        };
                        rounded(simd, &low, &high, self.sheets, to, distance);
                    }
                    tile += 1;
                }
            }
        }
    }

    /// Products and the way back, some vectors of outputs at a time.
    #[inline(always)]
    fn outputs<D: Dot, const T: usize>(&mut self, dot: D) {
        for (vector, width) in split(self.sheets.panels.vectors) {
            match width {
                1 => self.panel::<D, T, 1>(dot, vector),
                2 => self.panel::<D, T, 2>(dot, vector),
                _ => self.panel::<D, T, VECTORS>(dot, vector),
            }
        }
    }

    /// One panel.
    #[inline(always)]
    fn panel<D: Dot, const T: usize, const V: usize>(&mut self, dot: D, vector: usize) {
        self.products::<D, V>(dot, vector);
        self.store::<D::Simd, T, V>(dot.simd(), vector);
    }

    /// The products of `V` vectors of outputs from `vector` on.
    #[inline(always)]
    fn products<D: Dot, const V: usize>(&mut self, dot: D, vector: usize) {
        let tiles = self.tiles();
        let panels = &self.sheets.panels;
        let pairs = panels.pairs;
        let apart = apart::<D::Simd, V>(tiles);
        let products = <D::Simd as Simd>::as_mut_simd_f32s(&mut self.room.products).0;
        for frequency in 0..FREQUENCIES {
            let numbers = &self.room.inputs[frequency * distance(tiles, pairs)..];
            let inputs = Inputs {
                numbers: &numbers[..tiles * pairs],
                pairs,
            };
            let panel = panels.panel::<D, V>(frequency, vector);
            let mut sink = Scaled {
                to: &mut products[frequency * apart..][..tiles * V],
                scales: panel.scales,
            };
            multiply::<D, _, V>(dot, inputs, panel.weights, &mut sink);
        }
    }

    /// Transforms these products back and stores the results.
    #[inline(always)]
    fn store<S: Simd, const T: usize, const V: usize>(&mut self, simd: S, vector: usize) {
        let (rows, columns) = self.boards.tiles(T);
        let apart = apart::<S, V>(self.tiles());
        let products = S::as_simd_f32s(&self.room.products).0;
        let mut results = Results::new(simd, self.finish, self.to, self.added, self.copy);
        let mut tile = 0;
        for board in 0..self.count {
            for row in 0..rows {
                for column in 0..columns {
                    let corner = Corner {
                        boards: self.boards,
                        board,
                        row: T * row,
                        column: T * column,
                    };
                    for place in 0..V {
                        let sums = back::<S, T>(simd, &products[tile * V + place..], apart);
                        corner.store(simd, vector + place, sums, &mut results);
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// The distance of the products of two of the 36 numbers, in vectors.
fn apart<S: Simd, const V: usize>(tiles: usize) -> usize {
    distance(tiles, V * S::F32_LANES) / S::F32_LANES
}

/// Transforms the columns of the second of two vectors of channels and stores both as pairs.
#[inline(always)]
fn rounded<S: Simd>(
    simd: S,
    low: &[S::f32s; FREQUENCIES],
    high: &[[S::f32s; SIDE]; SIDE],
    sheets: &Sheets,
    to: &mut [S::u32s],
    distance: usize,
) {
    let mut to = SpreadMut::<_, FREQUENCIES>::new(to, distance);
    let limit = simd.splat_f32s(sheets.panels.largest);
    for column in 0..SIDE {
        let line = forth_line(simd, std::array::from_fn(|row| high[row][column]));
        for (row, high) in line.into_iter().enumerate() {
            let frequency = row * SIDE + column;
            let scale = simd.splat_f32s(sheets.scales[frequency]);
            *to.at(frequency) = pair(simd, [low[frequency], high], scale, limit);
        }
    }
}

/// Stores sums row by row, scaled.
struct Scaled<'a, S: Simd> {
    /// `[rows, vectors]`
    to: &'a mut [S::f32s],
    /// `[vectors]`
    scales: &'a [S::f32s],
}

impl<D: Dot> Sink<D> for Scaled<'_, D::Simd> {
    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        dot: D,
        row: usize,
        sums: [[Ints<D>; V]; R],
    ) {
        let scales = &self.scales[..V];
        let (to, _) = self.to.as_chunks_mut::<V>();
        for (to, sums) in to[row..].iter_mut().zip(sums) {
            for place in 0..V {
                to[place] = dot.simd().mul_f32s(dot.floats(sums[place]), scales[place]);
            }
        }
    }
}
