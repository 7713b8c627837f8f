//! Interface of the matrix multiplication kernels: one number format on one instruction set.

use std::ops::Range;

use pulp::Simd;
use pulp::bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

use super::packing::{PackedMatrices, Panel};
use crate::net::cpu::activations::OutputElement;
use crate::net::cpu::vectors::{Vectors, WithVectors, vectorize};

/// Vector of 32-bit floats on the instruction set of the kernel `K`.
pub type Floats<K> = <<K as Kernel>::Simd as Simd>::f32s;

/// Matrix multiplication in one number format on one instruction set, and the conversions between floats and this
/// format.
///
/// The operands consist of *elements* of 32 bits: floats, or pairs of 16-bit numbers with the first in the low half.
pub trait Kernel: Copy {
    /// SIMD token for the vector operations that this trait does not define.
    type Simd: Vectors;
    /// Vector of elements.
    type Vector: Pod;
    /// Number format in which layers with this kernel store the input of other layers with this kernel.
    type Output: OutputElement;
    /// Number of input channels in an element.
    const CHANNELS: usize;
    /// True if the operands are integers. Each integer must be multiplied by its *unit*, the number that the integer 1
    /// represents.
    const QUANTIZED: bool;
    /// The columns of packed matrices, and rows of [`depth`](Self::depth) elements, are padded to a multiple of this
    /// number.
    const LANES: usize = <Self::Simd as Simd>::F32_LANES;
    /// Number of queries that attention processes together: large enough to fill a few of the largest blocks of the
    /// kernel, and small enough for the scores to stay in the cache.
    const QUERIES_PER_BLOCK: usize = 27;

    fn simd(self) -> Self::Simd;

    /// Packs [`CHANNELS`](Self::CHANNELS) vectors of floats into a vector of elements. Integer kernels multiply the
    /// floats by `scale` and round them. The result is arbitrary if they do not fit into 16 bits. Other kernels ignore
    /// the scale.
    fn quantize(self, values: [Floats<Self>; 2], scale: Floats<Self>) -> Self::Vector;

    /// Records in `peak` whether a value that is passed to [`quantize`](Self::quantize) has a scaled and rounded
    /// magnitude above `limit`, for a later check by [`exceeds`](Self::exceeds). Kernels without a limit do nothing.
    #[inline(always)]
    fn record_peak(
        self,
        _values: [Floats<Self>; 2],
        _scale: Floats<Self>,
        _limit: Floats<Self>,
        _peak: &mut Self::Vector,
    ) {
    }

    /// Returns true if any recorded value exceeded the limit or was NaN. `peak` must have been zero initially. Always
    /// returns false for kernels without a limit.
    #[inline(always)]
    fn exceeds(self, _peak: Self::Vector, _limit: f32) -> bool {
        false
    }

    /// Computes the softmax of `scores / temperature` for `ROWS` rows, each over `points` points, and packs the
    /// numerators into the rows of `to`. Returns the unit of each row, which is the reciprocal of the sum of its
    /// numerators: the numerators add up to 1 if they are multiplied by the unit. The unit is NaN if a score is NaN.
    ///
    /// The padding of `scores` must be negative infinity. Overwrites `scores`.
    fn softmax<const ROWS: usize>(
        self,
        scores: &mut [Floats<Self>],
        points: usize,
        temperature: f32,
        to: &mut [Self::Vector],
    ) -> [f32; ROWS];

    /// Multiplies all rows by a range of panels of `packed`, one after another, and passes the sums to `sink`.
    fn multiply<S: Sink<Self>>(
        self,
        rows: Rows<'_>,
        packed: &PackedMatrices,
        panels: Range<usize>,
        sink: &mut S,
    );

    /// Performs multiply-adds without any loads or stores and returns their number.
    fn multiply_adds(self) -> usize;

    /// Views words as vectors of elements.
    #[inline(always)]
    fn vectors(words: &[f32]) -> &[Self::Vector] {
        cast_slice(words)
    }

    #[inline(always)]
    fn vectors_mut(words: &mut [f32]) -> &mut [Self::Vector] {
        cast_slice_mut(words)
    }

    /// Returns the number of elements in a row of `channels` channels, padding included.
    fn depth(channels: usize) -> usize {
        channels.div_ceil(Self::CHANNELS * Self::LANES) * Self::LANES
    }

    /// Runs `work` in a separate function that is compiled for the instruction set, so that work with several callers is
    /// compiled once.
    fn run<W: WithKernel>(self, work: W) -> W::Output {
        vectorize(self.simd(), InKernel(self, work))
    }
}

/// Work that multiplies matrices, generic over the kernel.
pub trait WithKernel {
    type Output;

    fn with_kernel<K: Kernel>(self, kernel: K) -> Self::Output;
}

struct InKernel<K, W>(K, W);

impl<K: Kernel, W: WithKernel> WithVectors for InKernel<K, W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, _: S) -> W::Output {
        self.1.with_kernel(self.0)
    }
}

/// Rows of the left operand of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Words that contain all rows.
    pub data: &'a [f32],
    pub count: usize,
    /// Cell of each row, in increasing order. `None` if the rows are stored one after another.
    pub cells: Option<&'a [usize]>,
    /// Distance between the rows of consecutive cells, in words.
    pub stride: usize,
    /// Distance from the start of a row to its cell, in words.
    pub corner: usize,
    /// Offset of each tap from the start of a row, in words.
    pub taps: &'a [usize],
}

impl<'a> Rows<'a> {
    /// Returns rows with `depth` elements each that are stored one after another.
    #[inline(always)]
    pub const fn dense(data: &'a [f32], count: usize, depth: usize) -> Self {
        Self {
            data,
            count,
            cells: None,
            stride: depth,
            corner: 0,
            taps: &[0],
        }
    }

    #[inline(always)]
    pub fn cell(&self, row: usize) -> usize {
        self.cells.map_or(row, |cells| cells[row])
    }

    /// Returns the index of the first word of a row in `data`.
    #[inline(always)]
    pub fn start(&self, row: usize) -> usize {
        self.cell(row) * self.stride - self.corner
    }
}

/// Receiver of the sums of a matrix product.
pub trait Sink<K: Kernel> {
    /// If true, each block prefetches the whole next panel, which is worthwhile if each panel is multiplied by only a
    /// few rows. Kernels that unroll the loop ignore this constant: they always prefetch the next panel, and distribute
    /// its cache lines over the blocks.
    const PREFETCH: bool;

    /// Receives the sums of `row` for `V` vectors of columns of a panel, beginning with vector `first` of the panel. The
    /// sums must still be multiplied by the units of the row and the columns.
    fn take<const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        first: usize,
        sums: [Floats<K>; V],
    );

    /// Receives the sums of consecutive rows, beginning with `row`, for the vector of columns `vector` of a panel, from a
    /// kernel that is not quantised. Equivalent to a call of [`take`](Self::take) per row, but values that belong to the
    /// columns can be loaded only once.
    fn take_column(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        vector: usize,
        sums: impl Iterator<Item = Floats<K>>,
    );
}

/// Returns the units of the sums of a row for `V` vectors of columns of a panel, beginning with vector `first`: the units
/// of the columns (1 unless the kernel is quantised), multiplied by `row_unit`, the unit of the row, if it has one.
#[inline(always)]
pub fn sum_units<K: Kernel, const V: usize>(
    kernel: K,
    panel: &Panel<'_>,
    first: usize,
    row_unit: Option<f32>,
) -> [Floats<K>; V] {
    let simd = kernel.simd();
    let mut units = [simd.splat_f32s(1.0); V];
    if const { K::QUANTIZED } {
        let columns = &K::Simd::as_simd_f32s(panel.units).0[first..];
        units = *columns
            .first_chunk()
            .expect("one unit per vector of the panel");
    }
    if let Some(row_unit) = row_unit {
        for unit in &mut units {
            *unit = simd.mul_f32s(*unit, simd.splat_f32s(row_unit));
        }
    }
    units
}

/// [`Sink`] that stores the sums of consecutive rows as floats.
pub struct Dense<'a, S: Simd> {
    /// Output, `[rows, stride]`.
    pub to: &'a mut [S::f32s],
    /// Number of vectors per row of the output.
    pub stride: usize,
    /// Vector of columns that is stored in the first vector of a row.
    pub first: usize,
    /// Unit of each row; empty if rows have no units.
    pub row_units: &'a [f32],
}

impl<K: Kernel> Sink<K> for Dense<'_, K::Simd> {
    const PREFETCH: bool = true;

    #[inline(always)]
    fn take<const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        first: usize,
        sums: [Floats<K>; V],
    ) {
        let simd = kernel.simd();
        let row_unit = self.row_units.get(row).copied();
        let units: [_; V] = sum_units(kernel, panel, first, row_unit);
        let to = &mut self.to[row * self.stride + panel.vector + first - self.first..][..V];
        for index in 0..V {
            to[index] = simd.mul_f32s(sums[index], units[index]);
        }
    }

    #[inline(always)]
    fn take_column(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        vector: usize,
        sums: impl Iterator<Item = Floats<K>>,
    ) {
        let simd = kernel.simd();
        let first = row * self.stride + panel.vector + vector - self.first;
        let to = self.to[first..].iter_mut().step_by(self.stride);
        if self.row_units.is_empty() {
            to.zip(sums).for_each(|(to, sum)| *to = sum);
        } else {
            for ((to, sum), unit) in to.zip(sums).zip(&self.row_units[row..]) {
                *to = simd.mul_f32s(sum, simd.splat_f32s(*unit));
            }
        }
    }
}

/// Product of consecutive rows and a single matrix, stored as floats.
pub struct DenseProduct<'a> {
    pub rows: Rows<'a>,
    /// Unit of each row; empty if rows have no units.
    pub units: &'a [f32],
    pub matrix: &'a PackedMatrices,
    /// Output, `[rows, columns]`, with the columns padded to whole vectors.
    pub to: &'a mut [f32],
}

impl WithKernel for DenseProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel>(self, kernel: K) {
        let mut sink = Dense::<K::Simd> {
            to: K::Simd::as_mut_simd_f32s(self.to).0,
            stride: self.matrix.columns / K::Simd::F32_LANES,
            first: 0,
            row_units: self.units,
        };
        let panels = 0..self.matrix.panels();
        kernel.multiply(self.rows, self.matrix, panels, &mut sink);
    }
}

#[inline(always)]
pub fn zero<V: Pod>() -> V {
    Zeroable::zeroed()
}
