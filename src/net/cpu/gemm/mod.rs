//! Matrix products of rows and packed weights, the most expensive loops of every network.
//!
//! All products use the same driver, [`multiply`], which is generic over the [`Kernel`]: the multiply-add of one number
//! format on one instruction set. The output is computed in register blocks of a few rows by a few vectors of columns:
//! the sums of a block stay in registers while the loop runs over the depth of the matrices. A [`Sink`] receives the
//! sums of each block and stores them, usually through the epilogue of a layer ([`epilogue`]).
//!
//! Terms:
//! - vector of columns: as many consecutive columns as a SIMD vector has lanes;
//! - panel: weights for the columns of a register block, packed in the order in which the loop reads them
//!   ([`packing`]);
//! - tap: one of the segments of equal length that make up a row, at a fixed offset from the start of the row. In a
//!   convolution, each tap contains the channels of one of the points under the kernel;
//! - unit of a quantised row or column: number that the integer 1 represents.

pub mod epilogue;
pub mod f32;
pub mod i16;
#[cfg(target_arch = "x86_64")]
pub mod i16_x86;
pub mod kernel;
pub mod packing;
pub mod pair_product;
pub mod prefetch;
#[cfg(test)]
mod tests;

use pulp::Simd;

pub use kernel::{Floats, Kernel, WithKernel};
use packing::PackedMatrices;
use prefetch::{CACHE_LINE_BYTES, prefetch};

/// Rows of the left operand of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T, P> {
    /// Storage that contains all rows.
    pub data: &'a [T],
    pub count: usize,
    /// Function that takes the index of a row and returns the start of the row in `data`.
    pub start: P,
    /// Offset of each tap from the start of a row. Kernels that unroll the loop ([`Kernel::UNROLL`] above 1) support
    /// only a single tap, at offset 0.
    pub taps: &'a [usize],
}

/// Returns rows that are stored one after another, each with `depth` elements.
#[inline(always)]
pub fn dense_rows<T>(data: &[T], depth: usize) -> Rows<'_, T, impl Fn(usize) -> usize + Copy> {
    Rows {
        data,
        count: data.len() / depth,
        start: move |row: usize| row * depth,
        taps: &[0],
    }
}

/// Output columns of a panel.
pub struct Columns<'a, K: Kernel> {
    /// First vector of columns of the panel.
    pub vector: usize,
    /// Unit of each column; not read by float kernels.
    units: &'a [Floats<K>],
}

impl<K: Kernel> Columns<'_, K> {
    /// Returns the units of the columns. Float kernels have no units, and the result is 1.
    #[inline(always)]
    pub fn units<const V: usize>(&self, kernel: K) -> [Floats<K>; V] {
        if const { K::CHANNELS == 1 } {
            return [kernel.simd().splat_f32s(1.0); V];
        }
        *self
            .units
            .first_chunk()
            .expect("one unit per vector of the panel")
    }
}

/// Receiver of the sums of register blocks.
pub trait Sink<K: Kernel> {
    /// If true, each block prefetches the whole next panel, which is worthwhile if each panel is multiplied by only a
    /// few rows. Kernels that unroll the loop ignore this constant: they always prefetch the next panel, and distribute
    /// its cache lines over the blocks.
    const PREFETCH: bool;

    /// Receives the sums of the `R` rows that start at `row`, for the `V` vectors of columns of a panel.
    fn take<const R: usize, const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        columns: &Columns<'_, K>,
        sums: [[K::Sums; V]; R],
    );
}

/// Cache lines that a block prefetches from the next panel.
///
/// Each iteration requests only a few lines, because more prefetches than the processor can have in flight would delay
/// the loads of the inputs.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// Index of the first line in the next panel.
    first: usize,
    /// Number of lines.
    lines: usize,
    /// Number of lines per iteration.
    at_once: usize,
}

/// A panel, and the number of loop iterations per tap.
#[derive(Clone, Copy)]
struct PanelView<'a, V> {
    weights: &'a [V],
    /// Number of iterations per tap. Each iteration processes [`Kernel::UNROLL`] elements of every row.
    iterations: usize,
}

/// Returns the maximum number of rows of a block with `V` vectors of columns.
const fn max_rows<K: Kernel, const V: usize>() -> usize {
    let rows = (K::Simd::REGISTER_COUNT - V - 1 - K::EXTRA_REGISTERS) / V;
    if rows < K::BLOCK_ROWS {
        rows
    } else {
        K::BLOCK_ROWS
    }
}

/// Multiplies all rows by a packed matrix, one panel at a time, and passes the sums to `sink`.
#[inline(always)]
pub fn multiply<K: Kernel, P: Fn(usize) -> usize + Copy, S: Sink<K>>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    packed: &PackedMatrices<K::Element>,
    sink: &mut S,
) {
    for panel in packing::panel_vector_ranges(packed.vectors, K::MAX_PANEL_VECTORS) {
        multiply_panel(kernel, rows, packed, (0, panel), sink);
    }
}

/// Multiplies all rows by a single panel, as returned by [`packing::panel_vector_ranges`], of a matrix with the given
/// index.
#[inline(always)]
pub fn multiply_panel<K: Kernel, P: Fn(usize) -> usize + Copy, S: Sink<K>>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    packed: &PackedMatrices<K::Element>,
    (matrix, (vector, width)): (usize, (usize, usize)),
    sink: &mut S,
) {
    match width {
        1 => multiply_columns::<K, P, S, 1>(kernel, rows, packed, (matrix, vector), sink),
        2 => multiply_columns::<K, P, S, 2>(kernel, rows, packed, (matrix, vector), sink),
        _ => {
            if const { K::MAX_PANEL_VECTORS >= 3 } {
                multiply_columns::<K, P, S, 3>(kernel, rows, packed, (matrix, vector), sink);
            }
        }
    }
}

/// Multiplies all rows by the panel with the `V` vectors of columns that start at `vector`.
///
/// The rows are split into blocks of nearly equal size (the difference is at most one row).
#[inline(always)]
fn multiply_columns<K: Kernel, P: Fn(usize) -> usize + Copy, S: Sink<K>, const V: usize>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    packed: &PackedMatrices<K::Element>,
    (matrix, vector): (usize, usize),
    sink: &mut S,
) {
    let (panel, units) = packed.panel_with_units::<K>(matrix, (vector, V));
    let columns = &Columns { vector, units };
    if rows.count == 0 {
        return;
    }
    // The divisions are done once for all blocks, because a small block takes only about as long as ten divisions.
    let blocks = rows.count.div_ceil(max_rows::<K, V>());
    let (size, larger) = (rows.count / blocks, rows.count % blocks);
    let lines = (size_of_val(panel) / CACHE_LINE_BYTES).div_ceil(blocks);
    let iterations = panel.len() / (V * K::UNROLL);
    let panel = PanelView {
        weights: panel,
        iterations: iterations / rows.taps.len(),
    };
    let mut ahead = Ahead {
        first: 0,
        lines,
        at_once: lines.div_ceil(iterations.max(1)),
    };
    let mut row = 0;
    for block in 0..blocks {
        let size = size + usize::from(block < larger);
        macro_rules! of_size {
            ($($size:literal)*) => {
                match size {
                    $($size => {
                        // Sizes that do not occur for this kernel generate no code.
                        if const { $size <= max_rows::<K, V>() } {
                            compute_block::<K, P, S, $size, V>(
                                kernel, rows, row, panel, ahead, columns, sink,
                            );
                        }
                    })*
                    _ => unreachable!("the blocks of every kernel have at most 13 rows"),
                }
            };
        }
        of_size!(1 2 3 4 5 6 7 8 9 10 11 12 13);
        row += size;
        ahead.first += lines;
    }
}

/// Computes the block of `R` rows that starts at `row`, and passes its sums to `sink`.
#[inline(always)]
fn compute_block<
    K: Kernel,
    P: Fn(usize) -> usize + Copy,
    S: Sink<K>,
    const R: usize,
    const V: usize,
>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    row: usize,
    panel: PanelView<'_, K::Vector>,
    ahead: Ahead,
    columns: &Columns<'_, K>,
    sink: &mut S,
) {
    // Both functions compute the sums of an iteration in a local copy, which stays in registers because its address is
    // never taken.
    let sums = if const { K::UNROLL == 1 } {
        sums_of_taps::<K, P, S, R, V>(kernel, rows, row, panel)
    } else {
        unrolled_sums::<K, P, R, V, 4>(kernel, rows, row, panel, ahead)
    };
    sink.take(kernel, row, columns, sums);
}

/// Computes the sums of a block, one element per iteration.
#[inline(always)]
fn sums_of_taps<
    K: Kernel,
    P: Fn(usize) -> usize + Copy,
    S: Sink<K>,
    const R: usize,
    const V: usize,
>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    row: usize,
    panel: PanelView<'_, K::Vector>,
) -> [[K::Sums; V]; R] {
    let count = panel.iterations;
    let (mut weights, _) = panel.weights.as_chunks::<V>();
    // Panels are contiguous in memory, so this empty slice points to the next panel.
    let next = &panel.weights[panel.weights.len()..];
    let mut starts = [0; R];
    for (row, start) in (row..).zip(&mut starts) {
        *start = (rows.start)(row);
    }
    let mut sums = [[kernel.zero(); V]; R];
    for tap in rows.taps {
        let (of_tap, others) = weights.split_at(count);
        weights = others;
        let mut inputs = [&rows.data[..count]; R];
        for index in 0..R {
            inputs[index] = &rows.data[starts[index] + tap..][..count];
        }
        let mut local = sums;
        for (element, weights) in of_tap.iter().enumerate() {
            if S::PREFETCH && size_of::<K::Vector>() >= 32 {
                for vector in 0..V {
                    prefetch(next, element * V + vector);
                }
            }
            for index in 0..R {
                let input = kernel.broadcast(inputs[index][element]);
                for vector in 0..V {
                    local[index][vector] =
                        kernel.multiply_add(local[index][vector], input, weights[vector]);
                }
            }
        }
        sums = local;
    }
    sums
}

/// Computes the sums of a block of rows with a single tap, `U` elements per iteration.
///
/// Views each row as chunks of `U` elements, because bounds checks for single elements would take a third of the time.
#[inline(always)]
fn unrolled_sums<
    K: Kernel,
    P: Fn(usize) -> usize + Copy,
    const R: usize,
    const V: usize,
    const U: usize,
>(
    kernel: K,
    rows: Rows<'_, K::Element, P>,
    row: usize,
    panel: PanelView<'_, K::Vector>,
    ahead: Ahead,
) -> [[K::Sums; V]; R] {
    let count = panel.iterations;
    let (weights, _) = panel.weights.as_chunks::<V>();
    let (weights, _) = weights.as_chunks::<U>();
    let weights = &weights[..count];
    let next = &panel.weights[panel.weights.len()..];
    let mut inputs = [&rows.data.as_chunks::<U>().0[..count]; R];
    for (row, input) in (row..).zip(&mut inputs) {
        *input = &rows.data[(rows.start)(row)..].as_chunks().0[..count];
    }
    let mut sums = [[kernel.zero(); V]; R];
    for step in 0..count {
        let weights = &weights[step];
        let mut local = sums;
        if size_of::<K::Vector>() >= 32 {
            let requested = step * ahead.at_once;
            for line in requested..ahead.lines.min(requested + ahead.at_once) {
                prefetch(
                    next,
                    (ahead.first + line) * (CACHE_LINE_BYTES / size_of::<K::Vector>()),
                );
            }
        }
        for unrolled in 0..U {
            for index in 0..R {
                let input = kernel.broadcast(inputs[index][step][unrolled]);
                for vector in 0..V {
                    local[index][vector] =
                        kernel.multiply_add(local[index][vector], input, weights[unrolled][vector]);
                }
            }
        }
        sums = local;
    }
    sums
}

/// [`Sink`] that stores the sums of consecutive rows as floats. `ROW_UNITS` is true if the rows have units.
pub struct Dense<'a, S: Simd, const ROW_UNITS: bool> {
    /// Output, `[rows, stride]`.
    pub to: &'a mut [S::f32s],
    /// Number of vectors per row of the output.
    pub stride: usize,
    /// Vector of columns that is stored in the first vector of a row.
    pub first: usize,
    /// Unit of each row; empty if rows have no units.
    pub row_units: &'a [f32],
}

impl<K: Kernel, const ROW_UNITS: bool> Sink<K> for Dense<'_, K::Simd, ROW_UNITS> {
    const PREFETCH: bool = true;

    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        columns: &Columns<'_, K>,
        sums: [[K::Sums; V]; R],
    ) {
        let simd = kernel.simd();
        let units: [Floats<K>; V] = columns.units(kernel);
        for (row, sums) in (row..).zip(sums) {
            let to = &mut self.to[row * self.stride + columns.vector - self.first..][..V];
            let mut units = units;
            if ROW_UNITS {
                let row_unit = simd.splat_f32s(self.row_units[row]);
                for unit in &mut units {
                    *unit = simd.mul_f32s(*unit, row_unit);
                }
            }
            for index in 0..V {
                to[index] = simd.mul_f32s(kernel.floats(sums[index]), units[index]);
            }
        }
    }
}
