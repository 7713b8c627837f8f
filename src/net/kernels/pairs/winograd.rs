//! Winograd convolution with 16-bit integer products.
//!
//! The transformed input is quantized with one scale for each of the 36 frequencies. The products are converted back
//! to floats with a factor for each frequency and output.

use pulp::Simd;

use super::dot::{Dot, WithDot};
use super::panels::{Panels, VECTORS, largest_input, pairs, split};
use super::product::{Inputs, Ints, Sink, multiply};
use super::rounding::pair;
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::finish::{Results, Target};
use crate::net::kernels::strided::{Strided, StridedMut};
use crate::net::kernels::tiling::Source;
use crate::net::kernels::winograd::{
    FREQUENCIES, RowsMut, SIDE, back, column_of, distance, forth_line, half_forth, kind_of, store,
};

/// Ratio of the saturation limit to the largest magnitude seen in calibration.
///
/// Measured after calibration on 64 positions: with 1.5, some of 2,000 other positions saturated, and the mean error
/// was ten times that with 2. With 3, the rounding errors were larger than with 2.
const MARGIN: f32 = 2.0;

/// Transformed weights of a convolution and the scales of its transformed input.
#[derive(Debug)]
pub struct Sheets {
    panels: Panels,
    /// Scale of the transformed input before rounding, for each frequency.
    scales: [f32; FREQUENCIES],
}

impl Sheets {
    /// Packs transformed weights (`[36, inputs, outputs]`) for SIMD vectors with `lanes` lanes.
    ///
    /// For each frequency, `ranges` has the largest magnitude of the transformed input seen in calibration, or 0 if
    /// none was recorded. In the latter case, the largest of all ranges applies.
    pub fn new(lanes: usize, weights: &[f32], outputs: usize, ranges: [f32; FREQUENCIES]) -> Self {
        let inputs = weights.len() / (FREQUENCIES * outputs);
        let largest = largest_input(inputs);
        let most = ranges.iter().copied().fold(0.0, f32::max);
        let scales = ranges.map(|range| {
            let range = if range > 0.0 { range } else { most };
            let scale = largest / (MARGIN * range);
            // The scale is 1 if the range is extremely small or if there are no ranges.
            if scale.is_normal() { scale } else { 1.0 }
        });
        Self {
            panels: Panels::new(lanes, weights, outputs, &scales.map(f32::recip), largest),
            scales,
        }
    }
}

/// Workspace of the convolutions.
#[derive(Debug, Default)]
pub struct Room {
    /// Transformed input, `[36, tiles, pairs]`, with a gap after each frequency.
    inputs: Aligned<u32>,
    /// Identifies the contents of `inputs`, so that convolutions of the same input can share them.
    inputs_of: Option<Held>,
    /// Products for one panel of outputs, `[36, tiles, vectors]`, with a gap after each frequency.
    products: Aligned,
}

/// Identity of a transformed input.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Held {
    /// Input ID.
    input: usize,
    tile: usize,
    scales: [f32; FREQUENCIES],
}

impl Room {
    /// Allocates a workspace for up to `tiles` tiles and `inputs` input channels.
    pub fn new(lanes: usize, tiles: usize, inputs: usize) -> Self {
        Self {
            inputs: Aligned::zeros(FREQUENCIES * distance(tiles, pairs(lanes, inputs))),
            inputs_of: None,
            products: Aligned::zeros(FREQUENCIES * distance(tiles, VECTORS * lanes)),
        }
    }

    /// Marks the stored transformed input as stale, so that the next convolution transforms its input again.
    pub fn forget(&mut self) {
        self.inputs_of = None;
    }
}

/// Arguments for running a convolution.
pub struct Convolution<'a> {
    /// Input.
    pub source: Source<'a>,
    /// Input ID: convolutions with the same ID and the same scales share the transformed input.
    pub input: usize,
    /// Weights.
    pub sheets: &'a Sheets,
    /// Workspace.
    pub room: &'a mut Room,
    /// Output.
    pub target: Target<'a>,
}

impl WithDot for Convolution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) {
        let held = Held {
            input: self.input,
            tile: self.source.tiling.side,
            scales: self.sheets.scales,
        };
        if self.room.inputs_of != Some(held) {
            self.transform(dot.simd());
            self.room.inputs_of = Some(held);
        }
        for (vector, width) in split(self.sheets.panels.vectors) {
            match width {
                1 => self.panel::<D, 1>(dot, vector),
                2 => self.panel::<D, 2>(dot, vector),
                _ => self.panel::<D, VECTORS>(dot, vector),
            }
        }
    }
}

impl Convolution<'_> {
    /// Transforms and quantizes the input.
    #[inline(always)]
    fn transform<S: Simd>(&mut self, simd: S) {
        let source = self.source;
        let vectors = source.stride / S::F32_LANES;
        let line = source.line() / S::F32_LANES;
        let from = S::as_simd_f32s(source.from).0;
        let pairs = self.sheets.panels.pairs / S::F32_LANES;
        let distance = distance(source.tiling.tiles(), self.sheets.panels.pairs) / S::F32_LANES;
        let to = S::as_mut_simd_u32s(&mut self.room.inputs).0;
        for tile in source.tiling.each() {
            let from = &from[source.corner(tile) * vectors..];
            for pair in 0..pairs {
                let low = half_forth(simd, &from[2 * pair..], line, vectors);
                let high = match 2 * pair + 1 < vectors {
                    true => half_forth(simd, &from[2 * pair + 1..], line, vectors),
                    false => [[simd.splat_f32s(0.0); SIDE]; SIDE],
                };
                let starts = tile.rows.map(|row| row * pairs + pair);
                let to = StridedMut::new(to, distance, starts);
                rounded(simd, [&low, &high], self.sheets, to);
            }
        }
    }

    /// Computes and stores the `V` vectors of outputs that start at `vector`.
    #[inline(always)]
    fn panel<D: Dot, const V: usize>(&mut self, dot: D, vector: usize) {
        self.products::<D, V>(dot, vector);
        match self.source.tiling.side {
            4 => self.store::<D::Simd, 4, V>(dot.simd(), vector),
            _ => self.store::<D::Simd, 2, V>(dot.simd(), vector),
        }
    }

    /// Multiplies the transformed input by the weights of a panel, for each frequency.
    #[inline(always)]
    fn products<D: Dot, const V: usize>(&mut self, dot: D, vector: usize) {
        let tiling = self.source.tiling;
        let tiles = tiling.tiles();
        let panels = &self.sheets.panels;
        let pairs = panels.pairs;
        let apart = apart::<D::Simd, V>(tiles);
        let products = <D::Simd as Simd>::as_mut_simd_f32s(&mut self.room.products).0;
        for frequency in 0..FREQUENCIES {
            let rows = tiling.rows(kind_of(frequency / SIDE, frequency % SIDE));
            let numbers = &self.room.inputs[frequency * distance(tiles, pairs)..];
            let inputs = Inputs {
                numbers: &numbers[..rows * pairs],
                pairs,
            };
            let panel = panels.panel::<D, V>(frequency, vector);
            let mut sink = Scaled {
                to: &mut products[frequency * apart..][..rows * V],
                scales: panel.scales,
            };
            multiply::<D, _, V>(dot, inputs, panel.weights, &mut sink);
        }
    }

    /// Applies the output transform to the products of a panel and stores the results.
    #[inline(always)]
    fn store<S: Simd, const T: usize, const V: usize>(&mut self, simd: S, vector: usize) {
        let tiling = self.source.tiling;
        let apart = apart::<S, V>(tiling.tiles());
        let products = S::as_simd_f32s(&self.room.products).0;
        let mut results = Results::new(simd, &mut self.target);
        for tile in tiling.each() {
            for place in 0..V {
                let starts = tile.rows.map(|row| row * V + place);
                let sums = back::<S, T>(simd, Strided::new(products, apart, starts));
                store(
                    simd,
                    tiling.boards,
                    tile,
                    vector + place,
                    sums,
                    &mut results,
                );
            }
        }
    }
}

/// Returns the distance between the products of two consecutive frequencies, in vectors.
fn apart<S: Simd, const V: usize>(tiles: usize) -> usize {
    distance(tiles, V * S::F32_LANES) / S::F32_LANES
}

/// Transforms the columns of two vectors of channels and stores both as quantized pairs.
#[inline(always)]
fn rounded<S: Simd>(
    simd: S,
    [low, high]: [&[[S::f32s; SIDE]; SIDE]; 2],
    sheets: &Sheets,
    mut to: RowsMut<'_, S::u32s>,
) {
    let limit = simd.splat_f32s(sheets.panels.largest);
    for column in 0..SIDE {
        let low = forth_line(simd, column_of(low, column));
        let high = forth_line(simd, column_of(high, column));
        for row in 0..SIDE {
            let frequency = row * SIDE + column;
            let scale = simd.splat_f32s(sheets.scales[frequency]);
            let number = pair(simd, [low[row], high[row]], scale, limit);
            *to.at(kind_of(row, column), frequency) = number;
        }
    }
}

/// Sink that stores sums row by row, multiplied by the factor of their column.
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
