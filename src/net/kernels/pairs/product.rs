//! Product of rows of pairs and packed panels.
//!
//! The output is computed in register blocks: the sums of a few rows and a few vectors of columns stay in registers
//! during the loop over the inputs.

use pulp::Simd;

use super::dot::Dot;
use crate::net::kernels::prefetch::{LINE, fetch};

/// Maximum number of rows in a block. With three vectors per row, nine rows fill 32 registers. The compiler does not
/// unroll loops over more rows, and then the sums would not stay in registers.
const ROWS: usize = 9;

/// Unroll factor: number of pairs of a row per iteration.
const STRETCH: usize = 4;

/// Vector of 32-bit sums.
pub type Ints<D> = <<D as Dot>::Simd as Simd>::i32s;
/// Vector of pairs.
pub type Pairs<D> = <<D as Dot>::Simd as Simd>::u32s;

/// Contiguous rows of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[rows, pairs]`
    pub numbers: &'a [u32],
    /// Number of pairs in a row.
    pub pairs: usize,
}

/// Range of cache lines of the next panel that a block prefetches.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    first: usize,
    /// Number of lines.
    lines: usize,
    /// Number of lines per iteration.
    at_once: usize,
}

/// Receiver of the sums of register blocks.
pub trait Sink<D: Dot> {
    /// Receives the sums of the `R` rows that start at `row`, for all `V` vectors of columns of the panel.
    fn take<const R: usize, const V: usize>(&mut self, dot: D, row: usize, sums: [[Ints<D>; V]; R]);
}

/// Returns the maximum number of rows per block: their sums, a row of weights, one input and the temporaries of a
/// product must fit into the registers.
const fn most_rows(registers: usize, vectors: usize, temporaries: usize) -> usize {
    let rows = (registers - vectors - 1 - temporaries) / vectors;
    if rows < ROWS { rows } else { ROWS }
}

/// Returns the unroll factor. The number of pairs in a row is a multiple of it.
const fn stretch<D: Dot>() -> usize {
    if <D::Simd as Simd>::F32_LANES < STRETCH {
        1
    } else {
        STRETCH
    }
}

/// Multiplies all rows by a panel of `V` vectors of columns.
///
/// The rows are split into blocks of nearly equal size (the difference is at most one row).
#[inline(always)]
pub fn multiply<D: Dot, K: Sink<D>, const V: usize>(
    dot: D,
    inputs: Inputs<'_>,
    panel: &[Pairs<D>],
    sink: &mut K,
) {
    let rows = inputs.numbers.len() / inputs.pairs;
    let most = most_rows(<D::Simd as Simd>::REGISTER_COUNT, V, D::TEMPORARIES);
    if rows == 0 {
        return;
    }
    // The divisions are done once for all blocks, because a block takes only about as long as ten divisions.
    let blocks = rows.div_ceil(most);
    let (least, larger) = (rows / blocks, rows % blocks);
    let lines = (size_of_val(panel) / LINE).div_ceil(blocks);
    let mut ahead = Ahead {
        first: 0,
        lines,
        at_once: lines.div_ceil(inputs.pairs / stretch::<D>()),
    };
    let mut row = 0;
    for block in 0..blocks {
        let size = least + usize::from(block < larger);
        macro_rules! of_size {
            ($($size:literal)*) => {
                match size {
                    $($size => sums::<D, K, $size, V>(dot, inputs, row, panel, ahead, sink),)*
                    _ => unreachable!("blocks have {ROWS} rows at most"),
                }
            };
        }
        of_size!(1 2 3 4 5 6 7 8 9);
        row += size;
        ahead.first += lines;
    }
}

/// Computes one block. Block sizes that never occur for `V` generate no code.
#[inline(always)]
fn sums<D: Dot, K: Sink<D>, const R: usize, const V: usize>(
    dot: D,
    inputs: Inputs<'_>,
    row: usize,
    panel: &[Pairs<D>],
    ahead: Ahead,
    sink: &mut K,
) {
    if R > most_rows(<D::Simd as Simd>::REGISTER_COUNT, V, D::TEMPORARIES) {
        return;
    }
    let sums = if stretch::<D>() == 1 {
        steps::<D, R, V, 1>(dot, inputs, row, panel, ahead)
    } else {
        steps::<D, R, V, STRETCH>(dot, inputs, row, panel, ahead)
    };
    sink.take(dot, row, sums);
}

/// Computes the sums of a block, `U` pairs per iteration.
///
/// The number of pairs in a row is a multiple of `U`. With a bounds check for each pair, the checks would take a third
/// of the time. Each iteration also prefetches a few lines of the next panel; a burst of more prefetches than the
/// processor can have outstanding would delay the loads of the inputs.
#[inline(always)]
fn steps<D: Dot, const R: usize, const V: usize, const U: usize>(
    dot: D,
    inputs: Inputs<'_>,
    row: usize,
    panel: &[Pairs<D>],
    ahead: Ahead,
) -> [[Ints<D>; V]; R] {
    let simd = dot.simd();
    let (numbers, _) = inputs.numbers.as_chunks::<U>();
    let count = inputs.pairs / U;
    let (weights, _) = panel.as_chunks::<V>();
    let (weights, _) = weights.as_chunks::<U>();
    let weights = &weights[..count];
    // Panels are contiguous in memory, so this empty slice points to the next panel.
    let next = &panel[panel.len()..];
    let mut rows = [&numbers[..count]; R];
    for place in 0..R {
        rows[place] = &numbers[(row + place) * count..][..count];
    }
    let mut sums = [[simd.splat_i32s(0); V]; R];
    for stretch in 0..count {
        let weights = &weights[stretch];
        // A local copy stays in registers because its address is never taken.
        let mut local = sums;
        if size_of::<Pairs<D>>() >= 32 {
            let asked = stretch * ahead.at_once;
            for line in asked..ahead.lines.min(asked + ahead.at_once) {
                fetch(next, (ahead.first + line) * (LINE / size_of::<Pairs<D>>()));
            }
        }
        for step in 0..U {
            for place in 0..R {
                let input = simd.splat_u32s(rows[place][stretch][step]);
                for vector in 0..V {
                    local[place][vector] =
                        dot.dot(local[place][vector], input, weights[step][vector]);
                }
            }
        }
        sums = local;
    }
    sums
}

#[cfg(test)]
mod tests;
