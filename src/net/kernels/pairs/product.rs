//! The product of rows of pairs and packed panels: blocks of a few rows by a few vectors of columns, whose sums stay in
//! registers while the inputs pass by.

use pulp::Simd;

use super::dot::Dot;
use crate::net::kernels::prefetch::{LINE, fetch};

/// Most rows in a block: three vectors of each fill 32 registers, and the compiler does not write more of them out, so
/// that their sums would not stay in registers.
const ROWS: usize = 9;

/// Pairs of a row that are worked off together.
const STRETCH: usize = 4;

/// Integers of a vector.
pub type Ints<D> = <<D as Dot>::Simd as Simd>::i32s;
/// Pairs of a vector.
pub type Pairs<D> = <<D as Dot>::Simd as Simd>::u32s;

/// Rows of inputs, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[rows, pairs]`
    pub numbers: &'a [u32],
    /// Pairs of a row.
    pub pairs: usize,
}

/// The lines of the next panel that a block asks for.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    first: usize,
    /// How many.
    lines: usize,
    /// Of these, with each stretch of a row.
    at_once: usize,
}

/// Takes the sums.
pub trait Sink<D: Dot> {
    /// The sums of rows from `row` on and the panel's vectors of columns.
    fn take<const R: usize, const V: usize>(&mut self, dot: D, row: usize, sums: [[Ints<D>; V]; R]);
}

/// Most rows of a block of so many vectors whose sums fit the registers beside a row of weights, one input and what a
/// product takes.
const fn most_rows(registers: usize, vectors: usize, temporaries: usize) -> usize {
    let rows = (registers - vectors - 1 - temporaries) / vectors;
    if rows < ROWS { rows } else { ROWS }
}

/// Pairs that are worked off together, of which rows are whole multiples.
const fn stretch<D: Dot>() -> usize {
    if <D::Simd as Simd>::F32_LANES < STRETCH {
        1
    } else {
        STRETCH
    }
}

/// Multiplies all rows with a panel of `V` vectors of columns. Blocks differ by one row at most.
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
    // Divided here, once for all blocks: each of them takes no more time than ten divisions or so.
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

/// One block.
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

/// The sums of a block, `U` pairs at a time, which is what the rows are whole multiples of: looking after bounds would
/// take a third of the time if it were done for each. Meanwhile these lines of the next panel are asked for, a few with
/// each stretch: more at once than a processor waits for would keep the inputs waiting.
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
    // Panels follow each other without a gap.
    let next = &panel[panel.len()..];
    let mut rows = [&numbers[..count]; R];
    for place in 0..R {
        rows[place] = &numbers[(row + place) * count..][..count];
    }
    let mut sums = [[simd.splat_i32s(0); V]; R];
    for stretch in 0..count {
        let weights = &weights[stretch];
        // A copy whose address nobody holds stays in registers.
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
