//! Matrix product of rows and packed panels, the most expensive loop of every network.
//!
//! The output is computed in register blocks of a few rows by a few vectors of columns: the sums stay in registers
//! while the loop runs over the inputs. A row of inputs consists of one or more segments (the taps of a convolution)
//! at fixed offsets from the start of the row. A [`Sink`] supplied by the caller receives the sums of each block.
//!
//! Vocabulary: a panel holds the weights of the columns of a register block. A sheet is one of several matrices that
//! are packed together, for example one per Winograd frequency.

use pulp::Simd;

use super::aligned::Aligned;
use super::prefetch::fetch;

/// Maximum number of column vectors per block.
const VECTORS: usize = 2;
/// Maximum number of rows per block.
const ROWS: usize = 13;

/// One or more matrices of the same size, packed in the order in which the product reads them.
#[derive(Debug)]
pub struct Panels {
    /// For each matrix and each group of columns that forms a block: the weights, input by input, padded with zero
    /// columns.
    numbers: Aligned,
    /// Inputs per tap.
    pub inputs: usize,
    /// Number of taps.
    pub taps: usize,
    /// Column vectors per matrix.
    pub vectors: usize,
    /// Length of each packed matrix.
    sheet: usize,
}

impl Panels {
    /// Packs matrices of shape `[sheets, taps * inputs, outputs]` for vectors with `lanes` lanes.
    pub fn new(lanes: usize, weights: &[f32], sheets: usize, taps: usize, outputs: usize) -> Self {
        let rows = weights.len() / (sheets * outputs);
        let vectors = outputs.div_ceil(lanes);
        let sheet = rows * vectors * lanes;
        let mut numbers = Aligned::zeros(sheets * sheet);
        let mut at = 0;
        for matrix in weights.chunks_exact(rows * outputs) {
            for first in (0..outputs).step_by(VECTORS * lanes) {
                let last = (first + VECTORS * lanes).min(outputs);
                for row in matrix.chunks_exact(outputs) {
                    numbers[at..at + last - first].copy_from_slice(&row[first..last]);
                    at += (last - first).next_multiple_of(lanes);
                }
            }
        }
        Self {
            numbers,
            inputs: rows / taps,
            taps,
            vectors,
            sheet,
        }
    }

    /// Returns the packed matrix `index`.
    #[inline(always)]
    pub fn sheet<S: Simd>(&self, index: usize) -> Matrix<'_, S> {
        let numbers = &self.numbers[index * self.sheet..][..self.sheet];
        Matrix {
            panels: S::as_simd_f32s(numbers).0,
            inputs: self.inputs,
            taps: self.taps,
            vectors: self.vectors,
        }
    }
}

/// Returns the index of the weight of `input` and `column` in a packed matrix with one tap.
pub fn place(lanes: usize, inputs: usize, vectors: usize, input: usize, column: usize) -> usize {
    let whole = VECTORS * lanes;
    let first = column / whole * whole;
    let width = whole.min(vectors * lanes - first);
    first * inputs + input * width + column - first
}

/// A borrowed packed matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, S: Simd> {
    /// Weights in the layout of [`Panels`].
    pub panels: &'a [S::f32s],
    /// Inputs per tap.
    pub inputs: usize,
    /// Number of taps.
    pub taps: usize,
    /// Column vectors.
    pub vectors: usize,
}

/// Rows of inputs of a product.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, P> {
    /// Storage that contains all rows.
    pub numbers: &'a [f32],
    /// Number of rows.
    pub rows: usize,
    /// Function from the index of a row to its start in `numbers`.
    pub start: P,
    /// Offset of each tap's segment from the start of the row.
    pub taps: &'a [usize],
}

/// Receives the sums of a product.
pub trait Sink<S: Simd> {
    /// Enables prefetching of the next panel; set if each panel is used for only a few rows.
    const FETCH: bool;

    /// Receives the sums of `R` rows, starting at `row`, and `V` column vectors, starting at `vector`.
    fn take<const R: usize, const V: usize>(
        &mut self,
        simd: S,
        row: usize,
        vector: usize,
        sums: [[S::f32s; V]; R],
    );
}

/// [`Sink`] that stores the sums in consecutive rows.
pub struct Dense<'a, S: Simd> {
    /// Output, `[rows, vectors]`.
    pub to: &'a mut [S::f32s],
    /// Vectors per row.
    pub vectors: usize,
}

impl<S: Simd> Sink<S> for Dense<'_, S> {
    const FETCH: bool = true;

    #[inline(always)]
    fn take<const R: usize, const V: usize>(
        &mut self,
        _: S,
        row: usize,
        vector: usize,
        sums: [[S::f32s; V]; R],
    ) {
        for (row, sums) in (row..).zip(sums) {
            self.to[row * self.vectors + vector..][..V].copy_from_slice(&sums);
        }
    }
}

/// Returns the maximum number of rows per block. The registers must hold `vectors` sums per row, one row of weights,
/// one input, and one spare; without the spare register a sum is spilled to memory in every step.
const fn most_rows(registers: usize, vectors: usize) -> usize {
    let rows = (registers - vectors - 2) / vectors;
    if rows < ROWS { rows } else { ROWS }
}

/// Multiplies all rows by the matrix and passes the sums to `sink`.
#[inline(always)]
pub fn multiply<S: Simd, P: Fn(usize) -> usize + Copy, K: Sink<S>>(
    simd: S,
    inputs: Inputs<'_, P>,
    matrix: Matrix<'_, S>,
    sink: &mut K,
) {
    let depth = matrix.taps * matrix.inputs;
    let mut panels = matrix.panels;
    let mut vector = 0;
    while vector < matrix.vectors {
        let vectors = VECTORS.min(matrix.vectors - vector);
        let (panel, rest) = panels.split_at(depth * vectors);
        panels = rest;
        let block = Block {
            inputs,
            channels: matrix.inputs,
            panel,
            vector,
        };
        match vectors {
            1 => columns::<S, P, K, 1>(simd, &block, sink),
            _ => columns::<S, P, K, VECTORS>(simd, &block, sink),
        }
        vector += vectors;
    }
}

/// One panel, to be multiplied with all rows.
struct Block<'a, S: Simd, P> {
    inputs: Inputs<'a, P>,
    channels: usize,
    panel: &'a [S::f32s],
    vector: usize,
}

/// Splits the rows into blocks of nearly equal size (they differ by at most one row) and computes each of them.
#[inline(always)]
fn columns<S: Simd, P: Fn(usize) -> usize + Copy, K: Sink<S>, const V: usize>(
    simd: S,
    block: &Block<'_, S, P>,
    sink: &mut K,
) {
    let rows = block.inputs.rows;
    let count = rows.div_ceil(most_rows(S::REGISTER_COUNT, V));
    let mut row = 0;
    for left in (1..=count).rev() {
        let size = (rows - row).div_ceil(left);
        macro_rules! of_size {
            ($($size:literal)*) => {
                match size {
                    $($size => sums::<S, P, K, $size, V>(simd, block, row, sink),)*
                    _ => unreachable!("blocks have {ROWS} rows at most"),
                }
            };
        }
        of_size!(1 2 3 4 5 6 7 8 9 10 11 12 13);
        row += size;
    }
}

/// Computes the sums of a block of `R` rows and passes them to `sink`.
#[inline(always)]
fn sums<S: Simd, P: Fn(usize) -> usize + Copy, K: Sink<S>, const R: usize, const V: usize>(
    simd: S,
    block: &Block<'_, S, P>,
    row: usize,
    sink: &mut K,
) {
    if R > most_rows(S::REGISTER_COUNT, V) {
        return;
    }
    let Inputs {
        numbers,
        start,
        taps,
        ..
    } = block.inputs;
    let channels = block.channels;
    let (weights, _) = block.panel.as_chunks::<V>();
    // Panels are contiguous, across matrices too, so the next panel starts at the end of this one.
    let next = &block.panel[block.panel.len()..];
    let mut starts = [0; R];
    for (row, to) in (row..).zip(&mut starts) {
        *to = start(row);
    }
    let mut sums = [[simd.splat_f32s(0.0); V]; R];
    for (tap, weights) in taps.iter().zip(weights.chunks_exact(channels)) {
        let mut rows = [&numbers[..channels]; R];
        for place in 0..R {
            rows[place] = &numbers[starts[place] + tap..][..channels];
        }
        // A local copy, which is never borrowed as a whole, stays in registers.
        let mut local = sums;
        for channel in 0..channels {
            let weights = weights[channel];
            if K::FETCH && size_of::<S::f32s>() >= 32 {
                for vector in 0..V {
                    fetch(next, channel * V + vector);
                }
            }
            for place in 0..R {
                let input = simd.splat_f32s(rows[place][channel]);
                for vector in 0..V {
                    local[place][vector] =
                        simd.mul_add_e_f32s(input, weights[vector], local[place][vector]);
                }
            }
        }
        sums = local;
    }
    sink.take(simd, row, block.vector, sums);
}
