//! Matrix products in register blocks, for kernels that multiply vectors.
//!
//! The output is computed in register blocks of a few rows by a few vectors of columns: the sums of a block stay in
//! registers while the loop runs over the depth of the matrices.

use std::hint::black_box;
use std::ops::Range;

use pulp::Simd;
use pulp::bytemuck::{Pod, cast_slice};

use super::kernel::{Floats, Kernel, Rows, Sink, zero};
use super::packing::{PackedMatrices, Panel};
use crate::net::cpu::aligned::CACHE_LINE_WORDS;

/// Kernel that multiplies an element of a row by a vector of columns.
pub trait BlockKernel: Kernel {
    /// Element of a row, 32 bits.
    type Element: Pod;
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
    /// Number of elements of each row per loop iteration: 1 or 4. The number of elements per tap must be a multiple.
    const UNROLL: usize;

    fn broadcast(self, element: Self::Element) -> Self::Vector;

    /// Adds the products of `inputs` and `weights` to `sums`.
    fn multiply_add(
        self,
        sums: Self::Sums,
        inputs: Self::Vector,
        weights: Self::Vector,
    ) -> Self::Sums;

    fn floats(self, sums: Self::Sums) -> Floats<Self>;
}

/// Number of cache lines that are prefetched without a branch between them.
const PREFETCH_GROUP: usize = 4;

/// Returns the maximum number of rows of a block with `V` vectors of columns.
const fn max_rows<K: BlockKernel, const V: usize>() -> usize {
    let rows = (K::Simd::REGISTER_COUNT - V - 1 - K::EXTRA_REGISTERS) / V;
    if rows < K::BLOCK_ROWS {
        rows
    } else {
        K::BLOCK_ROWS
    }
}

/// Implements [`Kernel::multiply`].
#[inline(always)]
pub fn multiply<K: BlockKernel, S: Sink<K>>(
    kernel: K,
    rows: Rows<'_>,
    packed: &PackedMatrices,
    panels: Range<usize>,
    sink: &mut S,
) {
    for index in panels {
        let panel = packed.panel(index);
        match panel.width {
            1 => PanelProduct::<K, 1>::new(kernel, rows, panel).run(sink),
            2 => PanelProduct::<K, 2>::new(kernel, rows, panel).run(sink),
            _ => {
                if const { K::MAX_PANEL_VECTORS >= 3 } {
                    PanelProduct::<K, 3>::new(kernel, rows, panel).run(sink);
                }
            }
        }
    }
}

/// Product of all rows and a panel with `V` vectors of columns.
#[derive(Clone, Copy)]
struct PanelProduct<'a, K: BlockKernel, const V: usize> {
    kernel: K,
    rows: Rows<'a>,
    elements: &'a [K::Element],
    panel: Panel<'a>,
    weights: &'a [K::Vector],
    /// Number of loop iterations per tap. Each iteration processes [`BlockKernel::UNROLL`] elements of every row.
    iterations: usize,
    /// Number of cache lines of the next panel that a block prefetches if the loop is unrolled.
    lines: usize,
}

impl<'a, K: BlockKernel, const V: usize> PanelProduct<'a, K, V> {
    #[inline(always)]
    fn new(kernel: K, rows: Rows<'a>, panel: Panel<'a>) -> Self {
        let weights = K::vectors(panel.weights);
        Self {
            kernel,
            rows,
            elements: cast_slice(rows.data),
            panel,
            weights,
            iterations: weights.len() / (V * K::UNROLL) / rows.taps.len(),
            lines: 0,
        }
    }

    /// Computes all blocks. The rows are split into blocks of nearly equal size (the difference is at most one row).
    #[inline(always)]
    fn run<S: Sink<K>>(mut self, sink: &mut S) {
        let count = self.rows.count;
        if count == 0 {
            return;
        }
        // The divisions are done once for all blocks, because a small block takes only about as long as ten divisions.
        let blocks = count.div_ceil(max_rows::<K, V>());
        let (size, larger) = (count / blocks, count % blocks);
        self.lines = (self.panel.weights.len() / CACHE_LINE_WORDS).div_ceil(blocks);
        // Each iteration requests only a few lines, because more prefetches than the processor can have in flight would
        // delay the loads of the inputs. With many blocks, all lines of a block are requested before its loop.
        let at_once = match self.lines <= PREFETCH_GROUP {
            true => 0,
            false => self.lines.div_ceil(self.iterations.max(1)),
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
                                self.block::<S, $size>(row, (block * self.lines, at_once), sink);
                            }
                        })*
                        _ => unreachable!("the blocks of every kernel have at most 13 rows"),
                    }
                };
            }
            of_size!(1 2 3 4 5 6 7 8 9 10 11 12 13);
            row += size;
        }
    }

    /// Computes the block of `R` rows that starts at `row`, and passes its sums to `sink`.
    #[inline(always)]
    fn block<S: Sink<K>, const R: usize>(&self, row: usize, ahead: (usize, usize), sink: &mut S) {
        let sums = if const { K::UNROLL == 1 } {
            self.sums::<S, R, 1>(row, ahead)
        } else {
            self.sums::<S, R, 4>(row, ahead)
        };
        for (row, sums) in (row..).zip(sums) {
            let mut floats = [self.kernel.simd().splat_f32s(0.0); V];
            for vector in 0..V {
                floats[vector] = self.kernel.floats(sums[vector]);
            }
            sink.take(self.kernel, row, &self.panel, 0, floats);
        }
    }

    /// Computes the sums of a block, `U` elements of each row per iteration. If `U` is above 1, prefetches cache lines of
    /// the next panel: the last argument is the first of these lines and the number of lines per iteration, or 0 to
    /// prefetch a few lines before the loop.
    ///
    /// Views each row as chunks of `U` elements, because bounds checks for single elements would take a third of the
    /// time.
    #[inline(always)]
    fn sums<S: Sink<K>, const R: usize, const U: usize>(
        &self,
        row: usize,
        (first_line, at_once): (usize, usize),
    ) -> [[K::Sums; V]; R] {
        let count = self.iterations;
        let (weights, _) = self.weights.as_chunks::<V>();
        let (mut weights, _) = weights.as_chunks::<U>();
        // Panels are contiguous in memory, so this empty slice points to the next panel.
        let next = &self.weights[self.weights.len()..];
        let mut starts = [0; R];
        for (row, start) in (row..).zip(&mut starts) {
            *start = self.rows.start(row);
        }
        if U > 1 && at_once == 0 {
            self.prefetch_lines(next, first_line);
        }
        let mut sums = [[zero::<K::Sums>(); V]; R];
        for tap in self.rows.taps {
            let (of_tap, others) = weights.split_at(count);
            weights = others;
            let mut inputs = [&self.elements.as_chunks::<U>().0[..count]; R];
            for index in 0..R {
                inputs[index] = &self.elements[starts[index] + tap..].as_chunks().0[..count];
            }
            for (step, weights) in of_tap.iter().enumerate() {
                // A copy, which stays in registers because its address is never taken.
                let mut local = sums;
                if U == 1 && S::PREFETCH && size_of::<K::Vector>() >= 32 {
                    for vector in 0..V {
                        prefetch(next, step * V + vector);
                    }
                }
                if U > 1 {
                    for group in (0..at_once).step_by(PREFETCH_GROUP) {
                        self.prefetch_lines(next, first_line + step * at_once + group);
                    }
                }
                for unrolled in 0..U {
                    for index in 0..R {
                        let input = self.kernel.broadcast(inputs[index][step][unrolled]);
                        for vector in 0..V {
                            local[index][vector] = self.kernel.multiply_add(
                                local[index][vector],
                                input,
                                weights[unrolled][vector],
                            );
                        }
                    }
                }
                sums = local;
            }
        }
        sums
    }

    /// Prefetches [`PREFETCH_GROUP`] cache lines of `weights`, beginning with `line`, if the kernel is fast enough to
    /// wait for them.
    #[inline(always)]
    fn prefetch_lines(&self, weights: &[K::Vector], line: usize) {
        if size_of::<K::Vector>() >= 32 {
            let vectors = CACHE_LINE_WORDS / K::Simd::F32_LANES;
            for index in 0..PREFETCH_GROUP {
                prefetch(weights, (line + index) * vectors);
            }
        }
    }
}

/// Prefetches the cache line of `data[index]`. The index may be out of bounds, because a prefetch does not access the
/// data.
///
/// Prefetching is worth the `unsafe` code: Winograd-transformed weights are used for only a few rows each time they are
/// loaded. Without prefetching, waiting for the weights took a quarter of the time.
#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "there is no safe name for this instruction")
)]
pub fn prefetch<T>(data: &[T], index: usize) {
    let address = data.as_ptr().wrapping_add(index);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and never faults, whatever the address, and every x86-64 processor supports it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Implements [`Kernel::multiply_adds`].
#[inline(always)]
pub fn multiply_adds<K: BlockKernel>(kernel: K, input: K::Element, weight: K::Element) -> usize {
    /// Number of independent sums, enough to hide the latency of a multiply-add.
    const NUM_SUMS: usize = 12;
    const ROUNDS: usize = 1 << 20;
    // `black_box` hides that the operands are equal, so that each sum is computed.
    let weights = kernel.broadcast(black_box(weight));
    let inputs = black_box([kernel.broadcast(input); NUM_SUMS]);
    let mut sums = black_box([zero::<K::Sums>(); NUM_SUMS]);
    for _ in 0..ROUNDS {
        for (sum, input) in sums.iter_mut().zip(inputs) {
            *sum = kernel.multiply_add(*sum, input, weights);
        }
    }
    // Uses the results, so that the loop is not optimised away.
    for sum in sums {
        black_box(sum);
    }
    K::CHANNELS * ROUNDS * NUM_SUMS * K::Simd::F32_LANES
}
