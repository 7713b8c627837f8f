//! Interface of the matrix multiplication kernels: the multiply-add of one number format on one instruction set.

use std::fmt::Debug;

use pulp::Simd;
use pulp::bytemuck::Pod;

use crate::net::cpu::vectors::{Vectors, WithVectors, vectorize};

/// Maximum width of a panel of floats, in SIMD vectors of columns.
pub const MAX_F32_PANEL_VECTORS: usize = 2;
/// Maximum width of a panel of 16-bit integers, in SIMD vectors of columns.
pub const MAX_I16_PANEL_VECTORS: usize = 3;

/// Vector of 32-bit floats on the instruction set of the kernel `K`.
pub type Floats<K> = <<K as Kernel>::Simd as Simd>::f32s;

/// Matrix multiplication kernel: the multiply-add of one number format on one instruction set, and the conversions
/// between floats and this format.
pub trait Kernel: Copy {
    /// SIMD token for the vector operations that this trait does not define.
    type Simd: Vectors;
    /// Element of a row: a float, or a pair of 16-bit integers with the first in the low half.
    type Element: Copy + Default + Debug + PartialEq + 'static;
    /// Vector of [`Element`](Self::Element)s.
    type Vector: Copy;
    /// Vector of 32-bit sums.
    type Sums: Pod;
    /// Maximum number of vectors of columns in a panel.
    const MAX_PANEL_VECTORS: usize;
    /// Maximum number of rows in a block. With more rows, the compiler would not unroll the loops over the rows, and
    /// the sums would not stay in registers.
    const BLOCK_ROWS: usize;
    /// Number of registers needed in addition to those for the sums, one row of weights and one input. If the number is
    /// too low, sums are spilled to memory in every iteration.
    const EXTRA_REGISTERS: usize;
    /// Number of elements of each row per loop iteration. The depth of every matrix multiplication must be a multiple
    /// of this number.
    const UNROLL: usize;
    /// Number of input channels in an element.
    const CHANNELS: usize;

    fn simd(self) -> Self::Simd;

    fn zero(self) -> Self::Sums;

    fn broadcast(self, element: Self::Element) -> Self::Vector;

    /// Adds the products of `inputs` and `weights` to `sums`.
    fn multiply_add(
        self,
        sums: Self::Sums,
        inputs: Self::Vector,
        weights: Self::Vector,
    ) -> Self::Sums;

    /// Converts sums to floats. The result must be multiplied by the units of the row and the column.
    fn floats(self, sums: Self::Sums) -> Floats<Self>;

    /// Packs [`CHANNELS`](Self::CHANNELS) vectors of floats into a vector of elements. Integer kernels scale the
    /// floats, clamp them to `-limit..=limit` and round them. Float kernels return `low` unchanged.
    fn quantize(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
    ) -> Self::Vector;

    /// Quantises like [`quantize`](Self::quantize), but without clamping. Instead, records in `peak` whether a value
    /// exceeds the limit, for a later check by [`exceeds`](Self::exceeds). The element of such a value may contain
    /// arbitrary numbers.
    fn quantize_tracked(
        self,
        low: Floats<Self>,
        high: Floats<Self>,
        scale: Floats<Self>,
        limit: Floats<Self>,
        peak: &mut Self::Vector,
    ) -> Self::Vector;

    /// Returns true if any rounded value exceeded the limit or was NaN. `peak` must have been zero initially and then
    /// passed to [`quantize_tracked`](Self::quantize_tracked) with every value. Always returns false for float kernels,
    /// which have no limit.
    fn exceeds(self, peak: Self::Vector, limit: f32) -> bool;

    /// Computes the softmax of `scores / temperature` over `points` points and packs the numerators into `to`. Returns
    /// their unit, which is the reciprocal of the sum of the packed numerators: the numerators add up to 1 if they are
    /// multiplied by the unit. The unit is NaN if a score is NaN.
    ///
    /// Overwrites `scores`, whose padding must be negative infinity.
    fn softmax(
        self,
        scores: &mut [Floats<Self>],
        points: usize,
        temperature: f32,
        to: &mut [Self::Vector],
    ) -> f32;

    /// Returns the elements as vectors. The length must be a multiple of the length of a vector.
    fn vectors(elements: &[Self::Element]) -> &[Self::Vector];

    /// Mutable version of [`vectors`](Self::vectors).
    fn vectors_mut(elements: &mut [Self::Element]) -> &mut [Self::Vector];

    /// Returns the number of elements in a row of `channels` channels, padded to whole vectors.
    fn depth(channels: usize) -> usize {
        let lanes = <Self::Simd as Simd>::F32_LANES;
        channels.div_ceil(lanes).div_ceil(Self::CHANNELS) * lanes
    }

    /// Runs `work` in a separate function that is compiled for the instruction set, so that work with several callers is
    /// compiled once.
    fn run<W: WithKernel<Self::Element>>(self, work: W) -> W::Output {
        vectorize(self.simd(), InKernel(self, work))
    }
}

/// Work that multiplies matrices with elements of type `T`, generic over the kernel.
pub trait WithKernel<T> {
    type Output;

    fn with_kernel<K: Kernel<Element = T>>(self, kernel: K) -> Self::Output;
}

/// Adapter that runs work with a kernel.
struct InKernel<K, W>(K, W);

impl<K: Kernel, W: WithKernel<K::Element>> WithVectors for InKernel<K, W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_vectors<S: Vectors>(self, _: S) -> W::Output {
        self.1.with_kernel(self.0)
    }
}
