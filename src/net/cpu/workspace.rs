//! Memory of a run: buffers for boards of the same size, reused from run to run.

use super::aligned::AlignedBuffer;
use super::attention::AttentionWorkspace;
use super::bf16::attention::Bf16AttentionWorkspace;
use super::bf16::layer::{BLOCK_CELLS, OutputCellMap};
use super::direct_layers::QuantizedLinearWorkspace;
use super::layout::BoardLayout;
use super::pack::PackedProgram;
use super::rotary::RotaryTables;
use super::steps::Step;
use super::winograd::conv::WinogradWorkspace;
use crate::net::precision::DType;
use crate::net::program::ops::{BufferFormat, RowKind};

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
    /// Content of the 32-bit buffers, by buffer ID. The elements for bfloat16 buffers are empty. The borders of the
    /// boards are zero and are never written.
    pub f32: Vec<AlignedBuffer>,
    /// Content of the bfloat16 buffers, by buffer ID. The elements for 32-bit buffers are empty.
    pub bf16: Vec<AlignedBuffer<u16>>,
    /// Rotary tables, indexed by the `rotary_table` of an attention layer.
    pub rotary: Vec<RotaryTables>,
    /// Maps to the cells of `layout`: the first from the cells of `input_layout`, the second from the cells of `layout`
    /// itself. Both are empty unless the number format is bfloat16.
    pub cell_maps: [OutputCellMap; 2],
}

/// Memory that a step uses while it runs. The steps share it, because they run one after another, and allocate it on
/// first use.
#[derive(Debug, Default)]
pub struct Scratch {
    pub winograd_f32: WinogradWorkspace<f32>,
    pub winograd_i16: WinogradWorkspace<u32>,
    pub quantized_rows: QuantizedLinearWorkspace,
    pub attention_f32: AttentionWorkspace<f32>,
    pub attention_i16: AttentionWorkspace<u32>,
    pub attention_bf16: Bf16AttentionWorkspace,
    /// Offsets of the steps of a bfloat16 layer.
    pub bf16_steps: Vec<usize>,
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

    /// Marks all transformed inputs as stale and clears the record of saturated boards. Must be called before the first
    /// step of a run.
    pub fn reset(&mut self) {
        self.scratch.winograd_f32.reset();
        self.scratch.winograd_i16.reset();
    }

    /// Returns true if a transformed input of this board has exceeded the quantisation limit since the last call of
    /// [`reset`](Self::reset). In that case, all results for the board are meaningless.
    pub fn is_board_saturated(&self, board: usize) -> bool {
        self.scratch.winograd_i16.is_board_saturated(board)
    }
}

impl Buffers {
    fn new(
        program: &PackedProgram,
        dtype: DType,
        capacity: usize,
        (height, width): (usize, usize),
    ) -> Self {
        let in_bf16 = dtype == DType::Bf16;
        let [layout, input_layout] =
            [program.border, program.input_border].map(|border| match in_bf16 {
                true => {
                    BoardLayout::with_shared_borders(capacity, height, width, border, BLOCK_CELLS)
                }
                false => BoardLayout::new(capacity, height, width, border),
            });
        let length = |id: usize, format: BufferFormat| {
            let shape = program.buffers[id];
            let rows = match shape.rows {
                _ if shape.format != format => 0,
                RowKind::Board => capacity,
                RowKind::Point if id == program.planes => input_layout.cells,
                RowKind::Point => layout.cells,
            };
            rows * shape.stride
        };
        let ids = || 0..program.buffers.len();
        let mut rotary = Vec::new();
        for step in program.steps() {
            if let Step::Attention(op) = step
                && op.rotary_table == rotary.len()
            {
                rotary.push(RotaryTables::new(op, &layout));
            }
        }
        Self {
            f32: ids()
                .map(|id| AlignedBuffer::zeros(length(id, BufferFormat::F32)))
                .collect(),
            bf16: ids()
                .map(|id| AlignedBuffer::zeros(length(id, BufferFormat::Bf16)))
                .collect(),
            rotary,
            cell_maps: match in_bf16 {
                true => [
                    OutputCellMap::new(&input_layout, &layout),
                    OutputCellMap::new(&layout, &layout),
                ],
                false => Default::default(),
            },
            layout,
            input_layout,
        }
    }
}
