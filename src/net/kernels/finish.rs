//! Epilogue of a layer: adds bias and residual, applies a lower limit (ReLU), and optionally stores a normalised copy.
//!
//! Vocabulary: the owner of a row is its board; a place is the row's index in the output.

use pulp::Simd;

use super::activations::floored;
use super::aligned::Aligned;
use super::buffers::Buffer;
use super::product::Sink;
use super::strided::StridedMut;

/// Operations on the results of a layer before they are stored, in the order of the fields.
#[derive(Debug)]
pub struct Finish {
    /// Bias per output channel.
    pub bias: Aligned,
    /// Adds the previous content of the output (residual connection).
    pub accumulate: bool,
    /// Lower limit of the results: 0 for ReLU, negative infinity for no limit.
    pub floor: f32,
    /// Optional second output, normalised.
    pub copy: Option<Copied>,
}

/// A normalised copy of a layer's results.
#[derive(Debug)]
pub struct Copied {
    /// Destination of the copy.
    pub to: Buffer,
    pub norm: Scale,
}

/// A norm with fixed statistics: `max(scale * x + shift, floor)` per channel.
#[derive(Debug)]
pub struct Scale {
    /// Scale per channel; zero in the padding channels, like the shift.
    pub scale: Aligned,
    /// Shift per channel.
    pub shift: Aligned,
    /// Lower limit of the results: 0 for ReLU, negative infinity for no limit.
    pub floor: f32,
}

/// Output buffers of a layer, with its epilogue.
pub struct Target<'a> {
    pub finish: &'a Finish,
    /// Output, `[places, channels]`.
    pub to: &'a mut Aligned,
    /// Per-board values added to all points of a board, `[boards, channels]`.
    pub added: Option<&'a Aligned>,
    /// Destination of the normalised copy; empty for layers without a copy.
    pub copy: &'a mut Aligned,
}

/// A [`Target`] as SIMD vectors.
pub struct Results<'a, S: Simd> {
    /// Output, `[places, vectors]`.
    pub to: &'a mut [S::f32s],
    /// Bias, `[vectors]`.
    pub bias: &'a [S::f32s],
    /// Per-board values added to all points of a board, `[boards, vectors]`; empty if there are none.
    pub added: &'a [S::f32s],
    /// Adds the previous content of the output.
    pub accumulate: bool,
    /// Lower limit of the results.
    pub floor: S::f32s,
    pub copy: Option<NormedCopy<'a, S>>,
}

/// Destination and parameters of the second output, `max(scale * result + shift, floor)`.
pub struct NormedCopy<'a, S: Simd> {
    to: &'a mut [S::f32s],
    scale: &'a [S::f32s],
    shift: &'a [S::f32s],
    floor: S::f32s,
}

impl<'a, S: Simd> Results<'a, S> {
    /// Creates the vector view of `target`.
    #[inline(always)]
    pub fn new(simd: S, target: &'a mut Target<'_>) -> Self {
        let finish = target.finish;
        Self {
            to: S::as_mut_simd_f32s(target.to).0,
            bias: S::as_simd_f32s(&finish.bias).0,
            added: target.added.map_or(&[], |added| S::as_simd_f32s(added).0),
            accumulate: finish.accumulate,
            floor: simd.splat_f32s(finish.floor),
            copy: finish.copy.as_ref().map(|normed| NormedCopy {
                to: S::as_mut_simd_f32s(target.copy).0,
                scale: S::as_simd_f32s(&normed.norm.scale).0,
                shift: S::as_simd_f32s(&normed.norm.shift).0,
                floor: simd.splat_f32s(normed.norm.floor),
            }),
        }
    }

    /// Applies the epilogue to one vector of sums and stores it at `place`.
    #[inline(always)]
    pub fn store(&mut self, simd: S, place: usize, owner: usize, vector: usize, sum: S::f32s) {
        let vectors = self.bias.len();
        let at = place * vectors + vector;
        let mut y = simd.add_f32s(sum, self.bias[vector]);
        if !self.added.is_empty() {
            y = simd.add_f32s(y, self.added[owner * vectors + vector]);
        }
        if self.accumulate {
            y = simd.add_f32s(y, self.to[at]);
        }
        y = floored(simd, y, self.floor);
        self.to[at] = y;
        if let Some(copy) = &mut self.copy {
            let y = simd.mul_add_e_f32s(y, copy.scale[vector], copy.shift[vector]);
            copy.to[at] = floored(simd, y, copy.floor);
        }
    }
}

impl<S: Simd> Results<'_, S> {
    /// Applies the epilogue to one vector of channels at consecutive places, starting at `place`, and stores the
    /// results.
    #[inline(always)]
    pub fn store_line(
        &mut self,
        simd: S,
        place: usize,
        owner: usize,
        vector: usize,
        sums: &[S::f32s],
    ) {
        let vectors = self.bias.len();
        let at = place * vectors + vector;
        let bias = self.start(simd, owner, vector);
        let line = self.to[at..].iter_mut().step_by(vectors).zip(sums);
        if let Some(copy) = &mut self.copy {
            let (scale, shift) = (copy.scale[vector], copy.shift[vector]);
            let copies = copy.to[at..].iter_mut().step_by(vectors);
            for ((to, sum), copied) in line.zip(copies) {
                let mut y = simd.add_f32s(*sum, bias);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                y = floored(simd, y, self.floor);
                *to = y;
                let y = simd.mul_add_e_f32s(y, scale, shift);
                *copied = floored(simd, y, copy.floor);
            }
        } else {
            for (to, sum) in line {
                let mut y = simd.add_f32s(*sum, bias);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                *to = floored(simd, y, self.floor);
            }
        }
    }
}

impl<S: Simd> Results<'_, S> {
    /// Returns the sum of the bias and the per-board value of a vector of channels.
    #[inline(always)]
    fn start(&self, simd: S, owner: usize, vector: usize) -> S::f32s {
        let bias = self.bias[vector];
        match self.added {
            [] => bias,
            added => simd.add_f32s(bias, added[owner * self.bias.len() + vector]),
        }
    }

    /// Applies the epilogue to one vector of channels of a Winograd tile that lies entirely on the board, and stores
    /// the results. Consecutive rows of the tile are `line` places apart.
    #[inline(always)]
    pub fn store_tile<const T: usize>(
        &mut self,
        simd: S,
        (place, line): (usize, usize),
        owner: usize,
        vector: usize,
        sums: [[S::f32s; T]; T],
    ) {
        let vectors = self.bias.len();
        let tile = Tile {
            start: self.start(simd, owner, vector),
            vector,
            at: place * vectors + vector,
            line: line * vectors,
            sums,
        };
        // Specialised loops, because most tiles lie entirely on the board.
        match (self.accumulate, self.copy.is_some()) {
            (false, false) => self.whole::<T, false, false>(simd, tile),
            (false, true) => self.whole::<T, false, true>(simd, tile),
            (true, false) => self.whole::<T, true, false>(simd, tile),
            (true, true) => self.whole::<T, true, true>(simd, tile),
        }
    }

    /// Stores a tile. `SUM` adds the previous content of the output; `COPY` also stores the normalised copy.
    #[inline(always)]
    fn whole<const T: usize, const SUM: bool, const COPY: bool>(
        &mut self,
        simd: S,
        tile: Tile<S, T>,
    ) {
        let vectors = self.bias.len();
        let copy = self.copy.as_ref().filter(|_| COPY);
        let norm = copy.map(|copy| (copy.scale[tile.vector], copy.shift[tile.vector]));
        for (row, sums) in tile.sums.into_iter().enumerate() {
            let at = tile.at + row * tile.line;
            let mut to = StridedMut::<_, T, 1>::new(self.to, vectors, [at]);
            let mut results = sums;
            for (column, y) in results.iter_mut().enumerate() {
                *y = simd.add_f32s(*y, tile.start);
                if SUM {
                    *y = simd.add_f32s(*y, *to.at(0, column));
                }
                *y = floored(simd, *y, self.floor);
                *to.at(0, column) = *y;
            }
            if let (Some(copy), Some((scale, shift))) = (&mut self.copy, norm) {
                let mut to = StridedMut::<_, T, 1>::new(copy.to, vectors, [at]);
                for (column, y) in results.into_iter().enumerate() {
                    let y = simd.mul_add_e_f32s(y, scale, shift);
                    *to.at(0, column) = floored(simd, y, copy.floor);
                }
            }
        }
    }
}

/// One vector of channels of a Winograd tile, with its destination.
struct Tile<S: Simd, const T: usize> {
    /// Bias plus per-board value.
    start: S::f32s,
    /// Index of the vector of channels.
    vector: usize,
    /// Index of the first place, in vectors.
    at: usize,
    /// Distance between rows, in vectors.
    line: usize,
    sums: [[S::f32s; T]; T],
}

/// [`Sink`] that stores the rows of a product at arbitrary places.
pub struct Scattered<'a, S: Simd> {
    pub results: Results<'a, S>,
    /// Place of each row.
    pub places: &'a [usize],
    /// Board of each row.
    pub owners: &'a [usize],
}

impl<S: Simd> Sink<S> for Scattered<'_, S> {
    const FETCH: bool = false;

    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        simd: S,
        row: usize,
        vector: usize,
        sums: [[S::f32s; V]; R],
    ) {
        for (row, sums) in (row..).zip(sums) {
            let (place, owner) = (self.places[row], self.owners[row]);
            for (vector, sum) in (vector..).zip(sums) {
                self.results.store(simd, place, owner, vector, sum);
            }
        }
    }
}
