//! Epilogue of a layer: adds the bias, per-board values and a residual, applies a lower limit (ReLU), and optionally
//! stores a normalised copy.

use pulp::Simd;

use super::{Columns, Floats, Kernel, Sink};
use crate::net::cpu::activations::clamp_below;
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::layout::LayoutRows;
use crate::net::cpu::strided_view::StridedViewMut;
use crate::net::cpu::vectors::mul_add;
use crate::net::program::ops::BufferId;
use crate::net::spec::layers::Activation;

/// Operations applied to the sums of a layer, in the order of the fields.
///
/// In floats and 16-bit integers, layers apply only the lower limit of an activation ([`Activation::lower_bound`]), and a
/// separate step applies the rest.
#[derive(Debug)]
pub struct Epilogue {
    /// Bias per output channel.
    pub bias: AlignedBuffer,
    /// True if the previous content of the output is added (a residual connection).
    pub accumulate: bool,
    pub activation: Activation,
    /// Second output, or `None` if the layer has only one.
    pub copy: Option<NormedCopy>,
}

/// Second output of a layer: a normalised copy of the first.
#[derive(Debug)]
pub struct NormedCopy {
    pub to: BufferId,
    pub norm: ChannelNorm,
}

/// A norm with fixed statistics: `activation(scale * x + shift)` per channel.
#[derive(Debug)]
pub struct ChannelNorm {
    /// Scale per channel; zero in the padding channels.
    pub scale: AlignedBuffer,
    /// Shift per channel; zero in the padding channels.
    pub shift: AlignedBuffer,
    pub activation: Activation,
}

/// Output buffers of a layer, and its epilogue.
pub struct LayerOutput<'a> {
    pub epilogue: &'a Epilogue,
    /// First output, `[cells, channels]`.
    pub to: &'a mut [f32],
    /// Values added to all points of a board, `[boards, channels]`; empty if there are none.
    pub per_board: &'a [f32],
    /// Second output, `[cells, channels]`; empty for layers without a copy.
    pub copy: &'a mut [f32],
}

/// An [`LayerOutput`], viewed as SIMD vectors.
pub struct OutputVectors<'a, S: Simd> {
    to: &'a mut [S::f32s],
    bias: &'a [S::f32s],
    /// Values added to all points of a board; empty if there are none.
    per_board: &'a [S::f32s],
    accumulate: bool,
    floor: S::f32s,
    copy: Option<CopyVectors<'a, S>>,
}

/// Second output: `max(scale * result + shift, floor)`.
struct CopyVectors<'a, S: Simd> {
    to: &'a mut [S::f32s],
    scale: &'a [S::f32s],
    shift: &'a [S::f32s],
    floor: S::f32s,
}

/// Sums for one vector of channels of a full Winograd tile that lies entirely on the board, and the place where the
/// results are stored.
struct WholeTileSums<S: Simd, const T: usize> {
    /// Bias plus per-board value, if any.
    start: S::f32s,
    /// Index of the vector of channels.
    vector: usize,
    /// Index in the output of the vector for the tile's first point.
    first: usize,
    /// Distance between consecutive rows of the board, in vectors.
    row_stride: usize,
    sums: [[S::f32s; T]; T],
}

impl<'a, S: Simd> OutputVectors<'a, S> {
    #[inline(always)]
    pub fn new(simd: S, output: &'a mut LayerOutput<'_>) -> Self {
        let epilogue = output.epilogue;
        Self {
            to: S::as_mut_simd_f32s(output.to).0,
            bias: S::as_simd_f32s(&epilogue.bias).0,
            per_board: S::as_simd_f32s(output.per_board).0,
            accumulate: epilogue.accumulate,
            floor: simd.splat_f32s(epilogue.activation.lower_bound()),
            copy: epilogue.copy.as_ref().map(|copy| CopyVectors {
                to: S::as_mut_simd_f32s(output.copy).0,
                scale: S::as_simd_f32s(&copy.norm.scale).0,
                shift: S::as_simd_f32s(&copy.norm.shift).0,
                floor: simd.splat_f32s(copy.norm.activation.lower_bound()),
            }),
        }
    }

    /// Applies the epilogue to one vector of sums and stores the result in `cell`.
    #[inline(always)]
    pub fn store_vector(
        &mut self,
        simd: S,
        cell: usize,
        board: usize,
        vector: usize,
        sum: S::f32s,
    ) {
        let vectors = self.bias.len();
        let at = cell * vectors + vector;
        let mut y = simd.add_f32s(sum, self.bias[vector]);
        if !self.per_board.is_empty() {
            y = simd.add_f32s(y, self.per_board[board * vectors + vector]);
        }
        if self.accumulate {
            y = simd.add_f32s(y, self.to[at]);
        }
        y = clamp_below(simd, y, self.floor);
        self.to[at] = y;
        if let Some(copy) = &mut self.copy {
            let y = mul_add(simd, y, copy.scale[vector], copy.shift[vector]);
            copy.to[at] = clamp_below(simd, y, copy.floor);
        }
    }

    /// Applies the epilogue to one vector of channels of consecutive cells, starting at `cell`, and stores the results.
    #[inline(always)]
    pub fn store_cells(
        &mut self,
        simd: S,
        cell: usize,
        board: usize,
        vector: usize,
        sums: &[S::f32s],
    ) {
        let vectors = self.bias.len();
        let at = cell * vectors + vector;
        let start = self.start(simd, board, vector);
        let row = self.to[at..].iter_mut().step_by(vectors).zip(sums);
        if let Some(copy) = &mut self.copy {
            let (scale, shift) = (copy.scale[vector], copy.shift[vector]);
            let copies = copy.to[at..].iter_mut().step_by(vectors);
            for ((to, sum), copied) in row.zip(copies) {
                let mut y = simd.add_f32s(*sum, start);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                y = clamp_below(simd, y, self.floor);
                *to = y;
                let y = mul_add(simd, y, scale, shift);
                *copied = clamp_below(simd, y, copy.floor);
            }
        } else {
            for (to, sum) in row {
                let mut y = simd.add_f32s(*sum, start);
                if self.accumulate {
                    y = simd.add_f32s(y, *to);
                }
                *to = clamp_below(simd, y, self.floor);
            }
        }
    }

    /// Returns the sum of the bias and the per-board value of a vector of channels.
    #[inline(always)]
    fn start(&self, simd: S, board: usize, vector: usize) -> S::f32s {
        let bias = self.bias[vector];
        match self.per_board {
            [] => bias,
            values => simd.add_f32s(bias, values[board * self.bias.len() + vector]),
        }
    }

    /// Applies the epilogue to one vector of channels of a full Winograd tile that lies entirely on the board, and
    /// stores the results. The first point of the tile is `cell`, and its rows are `row_stride` cells apart.
    #[inline(always)]
    pub fn store_whole_tile<const T: usize>(
        &mut self,
        simd: S,
        (cell, row_stride): (usize, usize),
        board: usize,
        vector: usize,
        sums: [[S::f32s; T]; T],
    ) {
        let vectors = self.bias.len();
        let tile = WholeTileSums {
            start: self.start(simd, board, vector),
            vector,
            first: cell * vectors + vector,
            row_stride: row_stride * vectors,
            sums,
        };
        // Specialised loops, because most tiles of a 19x19 board are full.
        match (self.accumulate, self.copy.is_some()) {
            (false, false) => self.store_whole::<T, false, false>(simd, tile),
            (false, true) => self.store_whole::<T, false, true>(simd, tile),
            (true, false) => self.store_whole::<T, true, false>(simd, tile),
            (true, true) => self.store_whole::<T, true, true>(simd, tile),
        }
    }

    /// Applies the epilogue to a tile and stores the results. If `ACCUMULATE` is true, adds the previous content of the
    /// output. If `COPY` is true, also stores the normalised copy.
    #[inline(always)]
    fn store_whole<const T: usize, const ACCUMULATE: bool, const COPY: bool>(
        &mut self,
        simd: S,
        tile: WholeTileSums<S, T>,
    ) {
        let vectors = self.bias.len();
        let copy = self.copy.as_ref().filter(|_| COPY);
        let norm = copy.map(|copy| (copy.scale[tile.vector], copy.shift[tile.vector]));
        for (row, sums) in tile.sums.into_iter().enumerate() {
            let first = tile.first + row * tile.row_stride;
            let mut to = StridedViewMut::<_, T, 1>::new(self.to, vectors, [first]);
            let mut results = sums;
            for (column, y) in results.iter_mut().enumerate() {
                *y = simd.add_f32s(*y, tile.start);
                if ACCUMULATE {
                    *y = simd.add_f32s(*y, *to.get_mut(0, column));
                }
                *y = clamp_below(simd, *y, self.floor);
                *to.get_mut(0, column) = *y;
            }
            if let (Some(copy), Some((scale, shift))) = (&mut self.copy, norm) {
                let mut to = StridedViewMut::<_, T, 1>::new(copy.to, vectors, [first]);
                for (column, y) in results.into_iter().enumerate() {
                    let y = mul_add(simd, y, scale, shift);
                    *to.get_mut(0, column) = clamp_below(simd, y, copy.floor);
                }
            }
        }
    }
}

/// [`Sink`] that applies the epilogue to each row of a product and stores the result in the cell given by `rows`.
pub struct EpilogueSink<'a, S: Simd> {
    pub output: OutputVectors<'a, S>,
    pub rows: LayoutRows<'a>,
    /// Unit of each row; empty for float kernels.
    pub row_units: &'a [f32],
}

impl<K: Kernel> Sink<K> for EpilogueSink<'_, K::Simd> {
    const PREFETCH: bool = false;

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
            let (cell, board) = (self.rows.cells[row], self.rows.boards[row]);
            for (index, sum) in sums.into_iter().enumerate() {
                let mut sum = kernel.floats(sum);
                if const { K::CHANNELS > 1 } {
                    let row_unit = simd.splat_f32s(self.row_units[row]);
                    sum = simd.mul_f32s(sum, simd.mul_f32s(units[index], row_unit));
                }
                let vector = columns.vector + index;
                self.output.store_vector(simd, cell, board, vector, sum);
            }
        }
    }
}
