//! Matrix multiplication in bfloat16 with a matrix unit.

use std::cell::RefCell;
use std::hint::black_box;
use std::ops::Range;

use pulp::bytemuck::cast_slice;

use super::block::{
    BLOCK_ROWS, COLUMN_TILES_PER_BLOCK, Rows as BlockRows, STEP_INPUTS, STEP_WEIGHTS, Sums,
    TILE_SIDE,
};
use super::matrix_unit::Session;
use crate::net::cpu::activations::{exp2_bf16, softmax_numerators};
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::gemm::kernel::{Kernel, Rows, Sink, zero};
use crate::net::cpu::gemm::packing::{PackedMatrices, Panel};
use crate::net::cpu::vectors::Vectors;

/// Kernel for bfloat16, with the vectors of `S` for everything but the products.
#[derive(Clone, Copy, Debug)]
pub struct Bf16Kernel<'a, S> {
    pub simd: S,
    pub session: &'a Session,
    /// Memory for the offsets of the steps of a product.
    pub steps: &'a RefCell<Vec<usize>>,
}

impl<S: Vectors> Kernel for Bf16Kernel<'_, S> {
    type Simd = S;
    type Vector = S::u32s;
    type Output = u16;
    const CHANNELS: usize = 2;
    const QUANTIZED: bool = false;
    const LANES: usize = TILE_SIDE;
    const QUERIES_PER_BLOCK: usize = BLOCK_ROWS;

    #[inline(always)]
    fn simd(self) -> S {
        self.simd
    }

    /// Rounds like [`to_bf16`](crate::net::cpu::vectors::to_bf16).
    #[inline(always)]
    fn quantize(self, [low, high]: [S::f32s; 2], _: S::f32s) -> S::u32s {
        let simd = self.simd;
        let half = simd.splat_u32s(0x8000);
        let low = simd.add_u32s(simd.transmute_u32s_f32s(low), half);
        let high = simd.add_u32s(simd.transmute_u32s_f32s(high), half);
        simd.or_u32s(
            simd.wrapping_dyn_shr_u32s(low, simd.splat_u32s(16)),
            simd.and_u32s(high, simd.splat_u32s(0xffff_0000)),
        )
    }

    /// Ignores the temperature, because the layer that computes the queries already scales them, so that the softmax can
    /// use powers of two.
    #[inline(always)]
    fn softmax<const ROWS: usize>(
        self,
        scores: &mut [S::f32s],
        _: usize,
        _: f32,
        to: &mut [S::u32s],
    ) -> [f32; ROWS] {
        let sums = softmax_numerators(self.simd, scores, 1.0, |x| exp2_bf16(self.simd, x));
        let scores = scores.chunks_exact(scores.len() / ROWS);
        for (scores, to) in scores.zip(to.chunks_exact_mut(to.len() / ROWS)) {
            for (to, from) in to.iter_mut().zip(scores.chunks(2)) {
                *to = self.quantize([from[0], *from.get(1).unwrap_or(&zero())], zero());
            }
        }
        sums.map(f32::recip)
    }

    /// Multiplies blocks of consecutive cells, so that rows need not be gathered. The sums for other cells in between,
    /// for example on the border of a board, are discarded. `rows.data` must extend to the end of the last block.
    #[inline(always)]
    fn multiply<T: Sink<Self>>(
        self,
        rows: Rows<'_>,
        packed: &PackedMatrices,
        panels: Range<usize>,
        sink: &mut T,
    ) {
        let vectors = TILE_SIDE / S::F32_LANES;
        let mut steps = self.steps.borrow_mut();
        steps.clear();
        for tap in rows.taps {
            let words = (0..packed.depth / rows.taps.len()).step_by(STEP_INPUTS / 2);
            steps.extend(words.map(|word| 2 * (tap + word)));
        }
        let mut sums = Sums::ZERO;
        for first in panels.clone().step_by(COLUMN_TILES_PER_BLOCK) {
            let one = packed.panel(first);
            let two = (first + 1 < panels.end).then(|| packed.panel(first + 1));
            let mut row = 0;
            while row < rows.count {
                let cell = rows.cell(row);
                let inputs = BlockRows {
                    data: cast_slice(rows.data),
                    first: 2 * rows.start(row),
                    stride: 2 * rows.stride,
                    steps: &steps,
                };
                let weights = cast_slice(one.weights);
                match &two {
                    Some(two) => {
                        let both = [weights, cast_slice(two.weights)];
                        self.session.multiply(inputs, both, &mut sums);
                    }
                    None => self.session.multiply(inputs, [weights], &mut sums),
                }
                // Most cells are rows, so the last row of the block is found faster from the end of the block.
                let mut end = rows.count.min(row + BLOCK_ROWS);
                while rows.cell(end - 1) >= cell + BLOCK_ROWS {
                    end -= 1;
                }
                for (panel, sums) in [Some(one), two].into_iter().flatten().zip(&sums.0) {
                    // The sink counts in vectors of `S` instead of tiles.
                    let panel = Panel {
                        vector: panel.vector * vectors,
                        width: vectors,
                        ..panel
                    };
                    let sums = S::as_simd_f32s(sums.as_flattened()).0;
                    for vector in 0..vectors {
                        let sum = |row| sums[(rows.cell(row) - cell) * vectors + vector];
                        sink.take_column(self, row, &panel, vector, (row..end).map(sum));
                    }
                }
                row = end;
            }
        }
    }

    /// Multiplies a block of zeros repeatedly.
    fn multiply_adds(self) -> usize {
        /// Number of steps per multiplication: large enough for storing the sums to cost little, and small enough for
        /// the weights to stay in the cache.
        const STEPS: usize = 32;
        let zeros = AlignedBuffer::zeros(STEPS * STEP_WEIGHTS / 2);
        let zeros: &[u16] = cast_slice(&zeros);
        let rows = BlockRows {
            data: zeros,
            first: 0,
            stride: STEP_INPUTS,
            steps: &[0; STEPS],
        };
        // The portable implementation is slow and used only by tests.
        let rounds = if self.session.is_portable() { 1 } else { 2_000 };
        let mut sums = Sums::ZERO;
        for _ in 0..rounds {
            let weights = [zeros; COLUMN_TILES_PER_BLOCK];
            self.session.multiply(rows, weights, &mut sums);
        }
        black_box(&sums);
        rounds * STEPS * STEP_INPUTS * BLOCK_ROWS * COLUMN_TILES_PER_BLOCK * TILE_SIDE
    }
}
