//! Epilogue of a layer: adds the bias, per-board values and a residual, applies the activation, and optionally stores a
//! normalised copy.

use std::cell::Cell;

use pulp::Simd;
use pulp::bytemuck::cast_slice_mut;

use super::kernel::{Floats, Kernel, Sink, sum_units};
use super::packing::Panel;
use crate::net::cpu::activations::{OutputElement, activate, clamp_below};
use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::layout::LayoutRows;
use crate::net::cpu::strided_view::StridedView;
use crate::net::cpu::vectors::mul_add;
use crate::net::spec::layers::Activation;

/// Operations applied to the sums of a layer, in the order of the fields.
#[derive(Debug)]
pub struct Epilogue {
    pub bias: AlignedBuffer,
    /// True if the previous content of the output is added (a residual connection).
    pub accumulate: bool,
    /// Applied as a whole only by some layers; see [`OutputElement::FUSES_ACTIVATIONS`].
    pub activation: Activation,
    /// Norm of the second output, a copy of the first; `None` if the layer has only one output.
    pub copy: Option<ChannelNorm>,
}

/// A norm: `activation(scale * x + shift)` per channel.
#[derive(Debug)]
pub struct ChannelNorm {
    /// Scale per channel; zero in the padding channels.
    pub scale: AlignedBuffer,
    /// Shift per channel; zero in the padding channels.
    pub shift: AlignedBuffer,
    pub activation: Activation,
}

pub struct LayerOutput<'a> {
    pub epilogue: &'a Epilogue,
    /// First output, `[cells, stride]`, and the stride; empty if the layer has only a copy.
    pub to: (&'a mut [f32], usize),
    /// Values added to all points of a board, `[boards, stride]`, and the stride; empty if there are none.
    pub per_board: (&'a [f32], usize),
    /// Second output, `[cells, stride]` with elements of type [`Kernel::Output`], and the stride in words. Empty for
    /// layers without a copy.
    pub copy: (&'a mut [f32], usize),
}

/// A [`LayerOutput`], viewed as SIMD vectors.
pub struct OutputVectors<'a, K: Kernel> {
    simd: K::Simd,
    to: &'a mut [Floats<K>],
    /// Number of vectors per row of `to`.
    stride: usize,
    bias: &'a [Floats<K>],
    /// Values added to all points of a board, and the number of vectors per board.
    per_board: (&'a [Floats<K>], usize),
    accumulate: bool,
    curve: Curve<K>,
    copy: Option<CopyVectors<'a, K>>,
}

/// Second output: `curve(scale * result + shift)`.
struct CopyVectors<'a, K: Kernel> {
    to: &'a mut [K::Output],
    /// Number of elements per row of `to`.
    stride: usize,
    scale: &'a [Floats<K>],
    shift: &'a [Floats<K>],
    curve: Curve<K>,
}

/// The part of an activation that layers apply.
#[derive(Clone, Copy)]
struct Curve<K: Kernel> {
    floor: Floats<K>,
    /// The activation if it is not just `max(x, floor)`.
    rest: Option<Activation>,
}

impl<K: Kernel> Curve<K> {
    #[inline(always)]
    fn new(simd: K::Simd, activation: Activation) -> Self {
        Self {
            floor: simd.splat_f32s(activation.lower_bound()),
            rest: (!activation.is_clamp()).then_some(activation),
        }
    }

    #[inline(always)]
    fn of(self, simd: K::Simd, x: Floats<K>) -> Floats<K> {
        match self.rest {
            Some(activation) if K::Output::FUSES_ACTIVATIONS => {
                activate::<K::Output, _>(simd, activation, x)
            }
            _ => clamp_below(simd, x, self.floor),
        }
    }
}

impl<'a, K: Kernel> OutputVectors<'a, K> {
    #[inline(always)]
    pub fn new(kernel: K, output: &'a mut LayerOutput<'_>) -> Self {
        let simd = kernel.simd();
        let lanes = K::Simd::F32_LANES;
        let vectors = K::Simd::as_simd_f32s;
        let epilogue = output.epilogue;
        Self {
            simd,
            to: K::Simd::as_mut_simd_f32s(output.to.0).0,
            stride: output.to.1 / lanes,
            bias: vectors(&epilogue.bias).0,
            per_board: (vectors(output.per_board.0).0, output.per_board.1 / lanes),
            accumulate: epilogue.accumulate,
            curve: Curve::new(simd, epilogue.activation),
            copy: epilogue.copy.as_ref().map(|copy| CopyVectors {
                to: cast_slice_mut(output.copy.0),
                stride: output.copy.1 * size_of::<f32>() / size_of::<K::Output>(),
                scale: vectors(&copy.scale).0,
                shift: vectors(&copy.shift).0,
                curve: Curve::new(simd, copy.activation),
            }),
        }
    }

    /// Applies the epilogue to one vector of sums and stores the result in `cell`. Vectors past the end of a row of an
    /// output are not stored there.
    #[inline(always)]
    pub fn store_vector(&mut self, cell: usize, board: usize, vector: usize, sum: Floats<K>) {
        let simd = self.simd;
        let mut y = simd.add_f32s(sum, self.bias[vector]);
        if vector < self.per_board.1 {
            y = simd.add_f32s(y, self.per_board.0[board * self.per_board.1 + vector]);
        }
        let at = cell * self.stride + vector;
        if self.accumulate && vector < self.stride {
            y = simd.add_f32s(y, self.to[at]);
        }
        y = self.curve.of(simd, y);
        if vector < self.stride {
            self.to[at] = y;
        }
        if let Some(copy) = &mut self.copy {
            let channel = vector * K::Simd::F32_LANES;
            if channel < copy.stride {
                y = mul_add(simd, y, copy.scale[vector], copy.shift[vector]);
                let to = &mut copy.to[cell * copy.stride + channel..];
                K::Output::store(simd, to, copy.curve.of(simd, y));
            }
        }
    }

    /// Like calls of [`store_vector`](Self::store_vector) for several cells, each with its board and its sum.
    #[inline(always)]
    pub fn store_column(
        &mut self,
        vector: usize,
        cells: impl Iterator<Item = ((usize, usize), Floats<K>)>,
    ) {
        let has_output = vector < self.stride;
        let channel = vector * K::Simd::F32_LANES;
        let has_copy = self.copy.as_ref().is_some_and(|copy| channel < copy.stride);
        match (has_output, has_output && self.accumulate, has_copy) {
            (true, true, true) => self.store_outputs::<true, true, true>(vector, cells),
            (true, true, false) => self.store_outputs::<true, true, false>(vector, cells),
            (true, false, true) => self.store_outputs::<true, false, true>(vector, cells),
            (true, false, false) => self.store_outputs::<true, false, false>(vector, cells),
            (false, _, true) => self.store_outputs::<false, false, true>(vector, cells),
            (false, _, false) => {}
        }
    }

    /// Implements [`store_column`](Self::store_column) for vectors that are stored in the first output if `TO` and in the
    /// second if `COPY`, and to which the previous content of the first output is added if `ADD`.
    #[inline(always)]
    fn store_outputs<const TO: bool, const ADD: bool, const COPY: bool>(
        &mut self,
        vector: usize,
        cells: impl Iterator<Item = ((usize, usize), Floats<K>)>,
    ) {
        let (simd, stride, curve) = (self.simd, self.stride, self.curve);
        let bias = self.bias[vector];
        let (per_board, board_stride) = self.per_board;
        let to = &mut *self.to;
        let mut copy = self.copy.as_mut().filter(|_| COPY).map(|copy| {
            let channel = vector * K::Simd::F32_LANES;
            let norm = (copy.scale[vector], copy.shift[vector], copy.curve);
            (&mut copy.to[channel..], copy.stride, norm)
        });
        for ((cell, board), sum) in cells {
            let mut y = simd.add_f32s(sum, bias);
            if vector < board_stride {
                y = simd.add_f32s(y, per_board[board * board_stride + vector]);
            }
            let at = cell * stride + vector;
            if ADD {
                y = simd.add_f32s(y, to[at]);
            }
            y = curve.of(simd, y);
            if TO {
                to[at] = y;
            }
            if let Some((to, stride, (scale, shift, curve))) = &mut copy {
                y = mul_add(simd, y, *scale, *shift);
                K::Output::store(simd, &mut to[cell * *stride..], curve.of(simd, y));
            }
        }
    }

    /// Applies the epilogue to one vector of channels of a Winograd tile and stores the results for the first `columns`
    /// points of each of the first `rows` rows. The first point of the tile is `cell`, and its rows are `row_stride`
    /// cells apart. All outputs must be floats.
    #[inline(always)]
    pub fn store_tile<const T: usize>(
        &mut self,
        (cell, row_stride): (usize, usize),
        board: usize,
        vector: usize,
        (rows, columns): (usize, usize),
        sums: &[[Floats<K>; T]; T],
    ) {
        let mut start = self.bias[vector];
        if !self.per_board.0.is_empty() {
            let values = self.per_board.0[board * self.per_board.1 + vector];
            start = self.simd.add_f32s(start, values);
        }
        let first = cell * self.stride + vector;
        for (row, sums) in sums.iter().enumerate().take(rows) {
            let first = first + row * row_stride * self.stride;
            // A constant number of columns lets the compiler unroll the loops and keep the results in registers.
            macro_rules! store_columns {
                ($($columns:literal)*) => {
                    match columns {
                        $($columns => {
                            let sums = sums.first_chunk::<$columns>().expect("at most T columns");
                            self.store_row(first, vector, start, *sums);
                        })*
                        _ => unreachable!("a tile has at most 4 columns"),
                    }
                };
            }
            store_columns!(1 2 3 4);
        }
    }

    /// Applies the epilogue to one vector of channels of `N` consecutive cells and stores the results. `first` is the
    /// index of the first vector in the output, and `start` is the sum of the bias and the per-board value.
    #[inline(always)]
    fn store_row<const N: usize>(
        &mut self,
        first: usize,
        vector: usize,
        start: Floats<K>,
        sums: [Floats<K>; N],
    ) {
        let simd = self.simd;
        let to = Cell::from_mut(&mut *self.to).as_slice_of_cells();
        let to = StridedView::<_, N, 1>::new(to, self.stride, [first]);
        let mut results = sums;
        for (column, y) in results.iter_mut().enumerate() {
            let to = to.get(0, column);
            *y = simd.add_f32s(*y, start);
            if self.accumulate {
                *y = simd.add_f32s(*y, to.get());
            }
            *y = self.curve.of(simd, *y);
            to.set(*y);
        }
        if let Some(copy) = &mut self.copy {
            let (scale, shift) = (copy.scale[vector], copy.shift[vector]);
            let to = K::Simd::as_mut_simd_f32s(cast_slice_mut(copy.to)).0;
            let to = Cell::from_mut(to).as_slice_of_cells();
            let to = StridedView::<_, N, 1>::new(to, self.stride, [first]);
            for (column, y) in results.into_iter().enumerate() {
                let y = mul_add(simd, y, scale, shift);
                to.get(0, column).set(copy.curve.of(simd, y));
            }
        }
    }
}

/// [`Sink`] that applies the epilogue to each row of a product and stores the result in the cell given by `rows`.
pub struct EpilogueSink<'a, K: Kernel> {
    pub output: OutputVectors<'a, K>,
    pub rows: LayoutRows<'a>,
    /// Unit of each row; empty unless the kernel is quantised.
    pub row_units: &'a [f32],
}

impl<K: Kernel> Sink<K> for EpilogueSink<'_, K> {
    const PREFETCH: bool = false;

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
        let row_unit = const { K::QUANTIZED }.then(|| self.row_units[row]);
        let units: [Floats<K>; V] = sum_units(kernel, panel, first, row_unit);
        let (cell, board) = (self.rows.cells[row], self.rows.boards[row]);
        for (index, mut sum) in sums.into_iter().enumerate() {
            if const { K::QUANTIZED } {
                sum = simd.mul_f32s(sum, units[index]);
            }
            let vector = panel.vector + first + index;
            self.output.store_vector(cell, board, vector, sum);
        }
    }

    #[inline(always)]
    fn take_column(
        &mut self,
        _: K,
        row: usize,
        panel: &Panel<'_>,
        vector: usize,
        sums: impl Iterator<Item = Floats<K>>,
    ) {
        let LayoutRows { cells, boards } = self.rows;
        let places = cells[row..].iter().zip(&boards[row..]);
        let places = places.map(|(cell, board)| (*cell, *board));
        self.output
            .store_column(panel.vector + vector, places.zip(sums));
    }
}
