//! Convolutions and linear layers with bfloat16 matrix products: the loop over the blocks, and the epilogue.

use super::block::{
    COLUMN_TILES_PER_BLOCK, ROW_TILES_PER_BLOCK, Rows, STEP_INPUTS, Sums, TILE_SIDE,
};
use super::matrix_unit::MatrixUnit;
use crate::net::cpu::activations::{ForBf16, activate, clamp_below};
use crate::net::cpu::layout::BoardLayout;
use crate::net::cpu::steps::Bf16LayerStep;
use crate::net::cpu::vectors::{Vectors, WithVectors, mul_add};
use crate::net::spec::layers::Activation;

/// Number of cells in a block.
pub const BLOCK_CELLS: usize = ROW_TILES_PER_BLOCK * TILE_SIDE;
/// Row of a block that corresponds to a point of a board rather than to a border cell.
#[derive(Clone, Copy, Debug)]
struct BlockPoint {
    /// Row of the block.
    row: u32,
    /// Cell in which the point's result is stored, relative to the cell of the board's first point.
    cell: u32,
}

/// Mapping from the rows of a board's blocks to the cells in which their results are stored.
#[derive(Debug, Default)]
pub struct OutputCellMap {
    /// All points in row-major order.
    points: Vec<BlockPoint>,
    /// For each block, the end index of its points in `points`.
    ends: Vec<usize>,
}

impl OutputCellMap {
    /// Creates the mapping from the blocks of the layout `from` to the cells of the layout `to`. Both layouts must have
    /// the same board size.
    pub fn new(from: &BoardLayout, to: &BoardLayout) -> Self {
        let mut map = Self::default();
        for row in 0..from.height {
            for column in 0..from.width {
                let at = row * from.row_stride + column;
                map.ends.resize(at / BLOCK_CELLS + 1, map.points.len());
                map.points.push(BlockPoint {
                    row: (at % BLOCK_CELLS) as u32,
                    cell: (row * to.row_stride + column) as u32,
                });
                map.ends[at / BLOCK_CELLS] = map.points.len();
            }
        }
        map
    }

    /// Returns the points of a block.
    #[inline(always)]
    fn block(&self, block: usize) -> &[BlockPoint] {
        let start = match block {
            0 => 0,
            _ => self.ends[block - 1],
        };
        &self.points[start..self.ends[block]]
    }
}

/// Arguments for running a layer.
pub struct Bf16Layer<'a> {
    pub layer: &'a Bf16LayerStep,
    /// Implementation of tile multiplications.
    pub unit: MatrixUnit,
    /// Layout of the input boards, and the number of boards.
    pub input: (&'a BoardLayout, usize),
    /// Layout of the output boards.
    pub layout: &'a BoardLayout,
    /// Mapping from the input layout to the output layout.
    pub cell_map: &'a OutputCellMap,
    /// Buffer for the offsets of the steps, reused between runs.
    pub steps: &'a mut Vec<usize>,
    /// Input, `[cells, stride]`, and the stride.
    pub from: (&'a [u16], usize),
    /// Values added to all points of a board, `[boards, stride]`, and the stride; empty if there are none.
    pub per_board: (&'a [f32], usize),
    /// 32-bit output, `[cells, stride]`, and the stride. Empty if the layer has no such output.
    pub to: (&'a mut [f32], usize),
    /// bfloat16 output, `[cells, stride]`, and the stride. Empty if the layer has no such output.
    pub copy: (&'a mut [u16], usize),
}

impl WithVectors for Bf16Layer<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<S: Vectors>(mut self, simd: S) {
        let weights = &self.layer.weights;
        let (height, width) = weights.kernel;
        let (layout, count) = self.input;
        let stride = self.from.1;
        self.steps.clear();
        for tap in 0..height * width {
            let cell = tap / width * layout.row_stride + tap % width;
            let depths = (0..weights.depth).map(|depth| cell * stride + depth * STEP_INPUTS);
            self.steps.extend(depths);
        }
        // Distance from the cell of the kernel's first tap to the cell of the output point.
        let corner = height / 2 * layout.row_stride + width / 2;
        let mut sums = Sums::ZERO;
        let session = self.unit.session();
        for column in (0..weights.columns).step_by(COLUMN_TILES_PER_BLOCK) {
            for board in 0..count {
                let first = layout.cell(board, 0, 0) - corner;
                for block in 0..self.cell_map.ends.len() {
                    let rows = Rows {
                        data: self.from.0,
                        first: (first + block * BLOCK_CELLS) * stride,
                        stride,
                        steps: self.steps,
                    };
                    let one = weights.column_tile(column);
                    if column + 1 < weights.columns {
                        let both = [one, weights.column_tile(column + 1)];
                        session.multiply(rows, both, &mut sums);
                        self.finish::<S, 2>(simd, board, block, column, &sums);
                    } else {
                        session.multiply(rows, [one], &mut sums);
                        self.finish::<S, 1>(simd, board, block, column, &sums);
                    }
                }
            }
        }
    }
}

impl Bf16Layer<'_> {
    /// Applies the epilogue to the sums of a block and stores the results, one vector of channels at a time.
    #[inline(always)]
    fn finish<S: Vectors, const C: usize>(
        &mut self,
        simd: S,
        board: usize,
        block: usize,
        column: usize,
        sums: &Sums,
    ) {
        let (layout, map) = (self.layout, self.cell_map);
        let points = BlockPoints {
            first: layout.cell(board, 0, 0),
            points: map.block(block),
        };
        if self.layer.gated {
            return self.store_gated(simd, points, column, sums);
        }
        let layer = self.layer;
        let (to, copy) = (layer.to.is_some(), layer.epilogue.copy.is_some());
        for (column, sums) in (column..column + C).zip(&sums.0) {
            for vector in 0..TILE_SIDE / S::F32_LANES {
                let channel = column * TILE_SIDE + vector * S::F32_LANES;
                // Vectors past the last output are not stored.
                let (to, copy) = (to && channel < self.to.1, copy && channel < self.copy.1);
                let epilogue =
                    ChannelVectorEpilogue::new(simd, layer, self.per_board, board, channel);
                let sums = &S::as_simd_f32s(sums.as_flattened()).0[vector..];
                match (to, layer.epilogue.accumulate, copy) {
                    (true, true, true) => {
                        self.store::<S, true, true, true>(simd, points, epilogue, sums)
                    }
                    (true, true, _) => {
                        self.store::<S, true, true, false>(simd, points, epilogue, sums)
                    }
                    (true, _, true) => {
                        self.store::<S, true, false, true>(simd, points, epilogue, sums)
                    }
                    (true, ..) => self.store::<S, true, false, false>(simd, points, epilogue, sums),
                    (_, _, true) => {
                        self.store::<S, false, false, true>(simd, points, epilogue, sums)
                    }
                    _ => {}
                }
            }
        }
    }

    /// Applies the epilogue to a vector of channels of each point and stores the results.
    ///
    /// If `TO` is true, stores the results as 32-bit floats. If `COPY` is true, applies the norm and the activation of
    /// the copy to the results and stores them as bfloat16. If `ACCUMULATE` is true, adds the previous content of the
    /// 32-bit output before the activation.
    #[inline(always)]
    fn store<S: Vectors, const TO: bool, const ACCUMULATE: bool, const COPY: bool>(
        &mut self,
        simd: S,
        points: BlockPoints<'_>,
        epilogue: ChannelVectorEpilogue<S>,
        sums: &[S::f32s],
    ) {
        let vectors = self.to.1 / S::F32_LANES;
        let (to, copy) = (S::as_mut_simd_f32s(self.to.0).0, &mut *self.copy.0);
        for BlockPoint { row, cell } in points.points {
            let cell = points.first + *cell as usize;
            let mut y = simd.add_f32s(
                sums[*row as usize * (TILE_SIDE / S::F32_LANES)],
                epilogue.start,
            );
            let at = cell * vectors + epilogue.channel / S::F32_LANES;
            if ACCUMULATE {
                y = simd.add_f32s(y, to[at]);
            }
            y = epilogue.first.of(simd, y);
            if TO {
                to[at] = y;
            }
            if COPY {
                y = mul_add(simd, y, epilogue.scale, epilogue.shift);
                y = epilogue.second.of(simd, y);
                simd.store_bf16(&mut copy[cell * self.copy.1 + epilogue.channel..], y);
            }
        }
    }

    /// Stores the results of a gated layer: the activated first tile of columns multiplied by the second, the gates.
    #[inline(always)]
    fn store_gated<S: Vectors>(
        &mut self,
        simd: S,
        points: BlockPoints<'_>,
        column: usize,
        sums: &Sums,
    ) {
        let vectors = TILE_SIDE / S::F32_LANES;
        let bias = S::as_simd_f32s(&self.layer.epilogue.bias[column * TILE_SIDE..]).0;
        let wide = S::as_simd_f32s(sums.0[0].as_flattened()).0;
        let gate = S::as_simd_f32s(sums.0[1].as_flattened()).0;
        let activation = Curve::new(simd, self.layer.epilogue.activation);
        for vector in 0..vectors {
            let channel = column / COLUMN_TILES_PER_BLOCK * TILE_SIDE + vector * S::F32_LANES;
            for BlockPoint { row, cell } in points.points {
                let at = *row as usize * vectors + vector;
                let x = activation.of(simd, simd.add_f32s(wide[at], bias[vector]));
                let gate = simd.add_f32s(gate[at], bias[vectors + vector]);
                let cell = points.first + *cell as usize;
                let to = &mut self.copy.0[cell * self.copy.1 + channel..];
                simd.store_bf16(to, simd.mul_f32s(x, gate));
            }
        }
    }
}

/// Points of a block.
#[derive(Clone, Copy)]
struct BlockPoints<'a> {
    /// Cell of the first point of the board.
    first: usize,
    points: &'a [BlockPoint],
}

/// Activation function: `rest` if it is `Some`, otherwise `max(x, floor)`.
#[derive(Clone, Copy)]
struct Curve<S: Vectors> {
    floor: S::f32s,
    rest: Option<Activation>,
}

impl<S: Vectors> Curve<S> {
    #[inline(always)]
    fn new(simd: S, activation: Activation) -> Self {
        Self {
            floor: simd.splat_f32s(activation.lower_bound()),
            rest: (!activation.is_clamp()).then_some(activation),
        }
    }

    #[inline(always)]
    fn of(self, simd: S, x: S::f32s) -> S::f32s {
        match self.rest {
            None => clamp_below(simd, x, self.floor),
            Some(activation) => activate::<ForBf16, S>(simd, activation, x),
        }
    }
}

/// Epilogue parameters of a vector of channels.
#[derive(Clone, Copy)]
struct ChannelVectorEpilogue<S: Vectors> {
    /// First channel of the vector.
    channel: usize,
    /// Bias, plus the values added to all points of the board, if there are any.
    start: S::f32s,
    /// Activation of the layer.
    first: Curve<S>,
    /// Scale of the bfloat16 copy.
    scale: S::f32s,
    /// Shift of the bfloat16 copy.
    shift: S::f32s,
    /// Activation of the bfloat16 copy.
    second: Curve<S>,
}

impl<S: Vectors> ChannelVectorEpilogue<S> {
    #[inline(always)]
    fn new(
        simd: S,
        layer: &Bf16LayerStep,
        per_board: (&[f32], usize),
        board: usize,
        channel: usize,
    ) -> Self {
        let epilogue = &layer.epilogue;
        let mut start = S::as_simd_f32s(&epilogue.bias[channel..]).0[0];
        let (values, stride) = per_board;
        if channel < stride {
            let values = S::as_simd_f32s(&values[board * stride + channel..]).0[0];
            start = simd.add_f32s(start, values);
        }
        let (mut scale, mut shift) = (simd.splat_f32s(1.0), simd.splat_f32s(0.0));
        let mut second = Activation::Identity;
        if let Some(copy) = &epilogue.copy {
            scale = S::as_simd_f32s(&copy.norm.scale[channel..]).0[0];
            shift = S::as_simd_f32s(&copy.norm.shift[channel..]).0[0];
            second = copy.norm.activation;
        }
        Self {
            channel,
            start,
            first: Curve::new(simd, epilogue.activation),
            scale,
            shift,
            second: Curve::new(simd, second),
        }
    }
}
