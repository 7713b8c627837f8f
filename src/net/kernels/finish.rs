//! What becomes of a layer's sums before they are stored: bias, what is added, a floor, and a normed copy beside.

use pulp::Simd;

use super::aligned::Aligned;
use super::product::Sink;
use super::steps::Finish;

/// Where the results of a layer go, and what is done to them on the way.
pub struct Results<'a, S: Simd> {
    /// The output, `[places, vectors]`.
    pub to: &'a mut [S::f32s],
    /// `[vectors]`
    pub bias: &'a [S::f32s],
    /// Added on all points of a board: `[boards, vectors]`, or nothing.
    pub added: &'a [S::f32s],
    /// Whether what stands in the output is added.
    pub accumulate: bool,
    /// Nothing is less.
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
    /// Results that go to `to` and, where the layer has a normed copy, to `copy`.
    #[inline(always)]
    pub fn new(
        simd: S,
        finish: &'a Finish,
        to: &'a mut Aligned,
        added: Option<&'a Aligned>,
        copy: &'a mut Aligned,
    ) -> Self {
        Self {
            to: S::as_mut_simd_f32s(to).0,
            bias: S::as_simd_f32s(&finish.bias).0,
            added: added.map_or(&[], |added| S::as_simd_f32s(added).0),
            accumulate: finish.accumulate,
            floor: simd.splat_f32s(finish.floor),
            copy: finish.copy.as_ref().map(|normed| NormedCopy {
                to: S::as_mut_simd_f32s(copy).0,
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
        y = simd.max_f32s(y, self.floor);
        self.to[at] = y;
        if let Some(copy) = &mut self.copy {
            let y = simd.mul_add_e_f32s(y, copy.scale[vector], copy.shift[vector]);
            copy.to[at] = simd.max_f32s(y, copy.floor);
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
        let mut bias = self.bias[vector];
        if !self.added.is_empty() {
            bias = simd.add_f32s(bias, self.added[owner * vectors + vector]);
        }
        let line = self.to[at..].iter_mut().step_by(vectors).zip(sums);
        if let Some(copy) = &mut self.copy {
            let (scale, shift) = (copy.scale[vector], copy.shift[vector]);
            let copies = copy.to[at..].iter_mut().step_by(vectors);
            for ((to, sum), copied) in line.zip(copies) {
                let mut y = simd.add_f32s(*sum, bias);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                y = simd.max_f32s(y, self.floor);
                *to = y;
                let y = simd.mul_add_e_f32s(y, scale, shift);
                *copied = simd.max_f32s(y, copy.floor);
            }
        } else {
            for (to, sum) in line {
                let mut y = simd.add_f32s(*sum, bias);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                *to = simd.max_f32s(y, self.floor);
            }
        }
    }
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
