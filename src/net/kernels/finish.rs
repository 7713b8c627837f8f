//! What becomes of a layer's sums before they are stored: bias, what is added, a floor, and a normed copy beside.

use pulp::Simd;

use super::activations::floored;
use super::aligned::Aligned;
use super::buffers::Buffer;
use super::product::Sink;
use super::strided::StridedMut;

/// What is done with the results of a layer.
#[derive(Debug)]
pub struct Finish {
    /// One for each output.
    pub bias: Aligned,
    /// Whether what stands in the output is added.
    pub accumulate: bool,
    /// What lower results are raised to: 0 for ReLU, minus infinity for none.
    pub floor: f32,
    /// What is written beside.
    pub copy: Option<Copied>,
}

/// A normed copy of a result.
#[derive(Debug)]
pub struct Copied {
    /// Where it goes.
    pub to: Buffer,
    /// The norm.
    pub norm: Scale,
}

/// `max(scale * x + shift, floor)` for each channel.
#[derive(Debug)]
pub struct Scale {
    /// Zero beyond the last channel, as the shift.
    pub scale: Aligned,
    /// One for each channel.
    pub shift: Aligned,
    /// What lower results are raised to: 0 for ReLU, minus infinity for none.
    pub floor: f32,
}

/// Where the results of a layer go, and what is done to them on the way.
pub struct Target<'a> {
    /// What is done.
    pub finish: &'a Finish,
    /// The output, `[places, channels]`.
    pub to: &'a mut Aligned,
    /// What is added on all points of a board.
    pub added: Option<&'a Aligned>,
    /// The normed copy, empty if there is none.
    pub copy: &'a mut Aligned,
}

/// The same in vectors.
pub struct Results<'a, S: Simd> {
    /// The output, `[places, vectors]`.
    pub to: &'a mut [S::f32s],
    /// `[vectors]`
    pub bias: &'a [S::f32s],
    /// Added on all points of a board: `[boards, vectors]`, or nothing.
    pub added: &'a [S::f32s],
    /// Whether what stands in the output is added.
    pub accumulate: bool,
    /// What lower results are raised to: 0 for ReLU, minus infinity for none.
    pub floor: S::f32s,
    /// A second output.
    pub copy: Option<NormedCopy<'a, S>>,
}

/// `max(scale * result + shift, floor)`
pub struct NormedCopy<'a, S: Simd> {
    to: &'a mut [S::f32s],
    scale: &'a [S::f32s],
    shift: &'a [S::f32s],
    floor: S::f32s,
}

impl<'a, S: Simd> Results<'a, S> {
    /// Results that go there.
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

    /// Stores the sum of a vector of outputs at a place.
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
    /// Stores the sums of a vector of outputs at places that follow each other.
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
    /// What every sum of a vector of outputs of a board begins with.
    #[inline(always)]
    fn start(&self, simd: S, owner: usize, vector: usize) -> S::f32s {
        let bias = self.bias[vector];
        match self.added {
            [] => bias,
            added => simd.add_f32s(bias, added[owner * self.bias.len() + vector]),
        }
    }

    /// Stores the sums of a vector of outputs of a tile all of which is on the board; from row to row there are `line`
    /// places.
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
        // Loops of their own kind: most tiles are whole.
        match (self.accumulate, self.copy.is_some()) {
            (false, false) => self.whole::<T, false, false>(simd, tile),
            (false, true) => self.whole::<T, false, true>(simd, tile),
            (true, false) => self.whole::<T, true, false>(simd, tile),
            (true, true) => self.whole::<T, true, true>(simd, tile),
        }
    }

    /// Stores a tile: added to what is there, and normed beside.
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

/// The sums of a vector of outputs of a tile, and where they go.
struct Tile<S: Simd, const T: usize> {
    /// What all begin with.
    start: S::f32s,
    /// Which vector.
    vector: usize,
    /// Of the first place, in vectors.
    at: usize,
    /// From row to row, in vectors.
    line: usize,
    sums: [[S::f32s; T]; T],
}

/// Takes the sums of a product whose rows lie anywhere.
pub struct Scattered<'a, S: Simd> {
    /// Where they go.
    pub results: Results<'a, S>,
    /// The place of each row.
    pub places: &'a [usize],
    /// The board of each row.
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
