//! Memory of a run: buffers for boards of the same size, reused from run to run.

use std::collections::BTreeMap;

use super::aligned::AlignedBuffer;
use super::attention::AttentionWorkspace;
use super::bf16::block::BLOCK_ROWS;
use super::direct_layers::DirectWorkspace;
use super::layout::BoardLayout;
use super::pack::{PackedProgram, Step};
use super::rotary::RotaryTables;
use super::winograd::conv::WinogradWorkspace;
use super::winograd::output_tile_side;
use super::winograd::tiling::{self, Tile};
use crate::net::dtype::DType;
use crate::net::program::ops::{Op, RowKind};

/// Buffers, tables and temporary memory of the steps. Used by one run at a time.
#[derive(Debug, Default)]
pub struct Workspace {
    pub buffers: Buffers,
    pub scratch: Scratch,
}

/// Buffers between the steps, and tables for their board size.
#[derive(Debug, Default)]
pub struct Buffers {
    pub layout: BoardLayout,
    /// Layout of the boards in the buffer of the input planes.
    pub input_layout: BoardLayout,
    /// Content of the buffers, by buffer ID: floats or pairs of bfloat16 numbers. The borders of the boards are zero and
    /// are never written.
    pub contents: Vec<AlignedBuffer>,
    /// Tiles of the boards for each side of a tile that a convolution uses.
    pub tiles: BTreeMap<usize, Vec<Tile>>,
    /// Rotary tables, indexed by the `rotary_table` of an attention layer.
    pub rotary: Vec<RotaryTables>,
}

/// Memory that a step uses while it runs. The steps share it, because they run one after another, and allocate it on
/// first use.
#[derive(Debug, Default)]
pub struct Scratch {
    pub winograd: WinogradWorkspace,
    pub direct: DirectWorkspace,
    pub attention: Option<AttentionWorkspace>,
}

impl Workspace {
    /// Reallocates the workspace if it does not fit `count` boards of this size. Returns true if it was reallocated.
    pub fn reallocate_if_needed(
        &mut self,
        program: &PackedProgram,
        dtype: DType,
        count: usize,
        (height, width): (usize, usize),
    ) -> bool {
        let layout = &self.buffers.layout;
        let fits = (layout.height, layout.width) == (height, width) && layout.capacity >= count;
        if !fits {
            *self = Self {
                buffers: Buffers::new(program, dtype, count, (height, width)),
                scratch: Scratch::default(),
            };
        }
        !fits
    }

    /// Returns true if a transformed input of this board has exceeded the quantisation limit in the last run. In that
    /// case, all results for the board are meaningless.
    pub fn is_board_saturated(&self, board: usize) -> bool {
        self.scratch.winograd.is_board_saturated(board)
    }
}

impl Buffers {
    fn new(
        packed: &PackedProgram,
        dtype: DType,
        capacity: usize,
        (height, width): (usize, usize),
    ) -> Self {
        let program = &packed.program;
        let (mut input_border, mut border) =
            (program.max_input_kernel_radius, program.max_kernel_radius);
        let in_bf16 = dtype == DType::Bf16;
        if !in_bf16 {
            // Only bfloat16 kernels use another layout for the input planes.
            border = border.max(input_border);
            input_border = border;
        }
        let [layout, input_layout] = [border, input_border].map(|border| match in_bf16 {
            true => BoardLayout::with_shared_borders(capacity, height, width, border, BLOCK_ROWS),
            false => BoardLayout::new(capacity, height, width, border),
        });
        let content = |id: usize| {
            let rows = match program.buffers[id].rows {
                RowKind::Board => capacity,
                RowKind::Point if id == program.planes => input_layout.cells,
                RowKind::Point => layout.cells,
            };
            AlignedBuffer::zeros(rows * packed.stride(id))
        };
        let contents = (0..program.buffers.len()).map(content).collect();
        let (mut tiles, mut rotary) = (BTreeMap::new(), Vec::new());
        for step in packed.steps() {
            match step {
                Step::Layer(layer) => {
                    if let Some(side) = output_tile_side(layer.op.layer.kernel) {
                        let of_side = tiles.entry(side);
                        of_side.or_insert_with(|| tiling::tiles(&layout, side));
                    }
                }
                Step::Other(Op::Attention(op)) if op.rotary_table == rotary.len() => {
                    rotary.push(RotaryTables::new(op, &layout));
                }
                _ => {}
            }
        }
        Self {
            contents,
            tiles,
            rotary,
            layout,
            input_layout,
        }
    }
}
