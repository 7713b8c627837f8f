//! Memory of a run: buffers for boards of the same size, reused from run to run.

use super::aligned::Aligned;
use super::attention::AttentionWorkspace;
use super::bf16;
use super::bf16::layer::{BLOCK, CellMap};
use super::gemm::kernel::I16_PANEL_VECTORS;
use super::layout::BoardLayout;
use super::linear::QuantizedRows;
use super::pack::PackedProgram;
use super::rotary::RotaryTables;
use super::steps::{LayerStep, Step, TransformedWeights};
use super::winograd;
use super::winograd::conv::WinogradWorkspace;
use crate::net::precision::DType;
use crate::net::program::ops::{Format, RowKind};

/// Buffers, tables and temporary memory of the steps. Used by one run at a time.
#[derive(Debug, Default)]
pub struct Workspace {
    pub layout: BoardLayout,
    /// Layout of the boards in the buffer of the input planes.
    pub input_layout: BoardLayout,
    /// Content of the 32-bit buffers, by buffer ID. The elements for bfloat16 buffers are empty. The borders of the
    /// boards are zero and are never written.
    pub f32: Vec<Aligned>,
    /// Content of the bfloat16 buffers, by buffer ID. The elements for 32-bit buffers are empty.
    pub bf16: Vec<Aligned<u16>>,
    /// Empty buffer, used as the normalised copy of layers that store none.
    pub no_copy: Aligned,
    pub winograd_f32: WinogradWorkspace<f32>,
    pub winograd_i16: WinogradWorkspace<u32>,
    pub quantized_rows: QuantizedRows,
    pub attention_f32: AttentionWorkspace<f32>,
    pub attention_i16: AttentionWorkspace<u32>,
    pub attention_bf16: bf16::attention::Bf16AttentionWorkspace,
    /// Rotary tables, indexed by the `rotary_table` of an attention layer.
    pub rotary: Vec<RotaryTables>,
    /// Maps to the cells of `layout`: the first from the cells of `input_layout`, the second from the cells of `layout`
    /// itself. Both are empty unless the number format is bfloat16.
    pub cell_maps: [CellMap; 2],
    /// Offsets of the steps of a bfloat16 layer, kept to reuse the memory.
    pub bf16_steps: Vec<usize>,
}

impl Workspace {
    /// Reallocates the workspace if it does not fit `count` boards of this size. Returns true if it was reallocated.
    pub fn reallocate_if_needed(
        &mut self,
        program: &PackedProgram,
        dtype: DType,
        lanes: usize,
        count: usize,
        (height, width): (usize, usize),
    ) -> bool {
        let BoardLayout {
            capacity,
            height: rows,
            width: columns,
            ..
        } = self.layout;
        let fits = (rows, columns) == (height, width) && capacity >= count;
        if !fits {
            *self = Self::new(program, dtype, lanes, count, (height, width));
        }
        !fits
    }

    fn new(
        program: &PackedProgram,
        dtype: DType,
        lanes: usize,
        capacity: usize,
        (height, width): (usize, usize),
    ) -> Self {
        let in_bf16 = dtype == DType::Bf16;
        let [layout, input_layout] =
            [program.border, program.input_border].map(|border| match in_bf16 {
                true => BoardLayout::packed(capacity, height, width, border, BLOCK),
                false => BoardLayout::new(capacity, height, width, border),
            });
        let length = |id: usize, format: Format| {
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
        let sizes = Sizes::of(program, lanes, &layout);
        Self {
            f32: ids()
                .map(|id| Aligned::zeros(length(id, Format::F32)))
                .collect(),
            bf16: ids()
                .map(|id| Aligned::zeros(length(id, Format::Bf16)))
                .collect(),
            winograd_f32: WinogradWorkspace::new(
                sizes.f32.tiles,
                sizes.f32.inputs,
                sizes.f32.outputs,
            ),
            winograd_i16: WinogradWorkspace::new(
                sizes.i16.tiles,
                sizes.i16.inputs.div_ceil(2),
                I16_PANEL_VECTORS * lanes,
            ),
            attention_bf16: match in_bf16 && !sizes.rotary.is_empty() {
                true => bf16::attention::Bf16AttentionWorkspace::new(
                    layout.area(),
                    sizes.width,
                    sizes.value_width,
                ),
                false => Default::default(),
            },
            rotary: sizes.rotary,
            cell_maps: match in_bf16 {
                true => [
                    CellMap::new(&input_layout, &layout),
                    CellMap::new(&layout, &layout),
                ],
                false => Default::default(),
            },
            layout,
            input_layout,
            ..Self::default()
        }
    }

    /// Marks all transformed inputs as stale and clears the record of saturated boards. Must be called before the first
    /// step of a run.
    pub fn reset(&mut self) {
        self.winograd_f32.reset();
        self.winograd_i16.reset();
    }

    /// Returns true if a transformed input of this board has exceeded the quantisation limit since the last call of
    /// [`reset`](Self::reset). In that case, all results for the board are meaningless.
    pub fn is_saturated(&self, board: usize) -> bool {
        self.winograd_i16.is_saturated(board)
    }
}

/// Sizes of the workspaces, and the rotary tables. The steps run one after another and share the workspaces, so each
/// size is the maximum over all steps.
#[derive(Default)]
struct Sizes {
    f32: WinogradSizes,
    i16: WinogradSizes,
    /// Rotary tables, indexed by the `rotary_table` of an attention layer.
    rotary: Vec<RotaryTables>,
    /// Maximum number of channels per query and head.
    width: usize,
    /// Maximum number of channels per value and head.
    value_width: usize,
}

/// Sizes of the workspace for Winograd convolutions.
#[derive(Default)]
struct WinogradSizes {
    /// Number of tiles on all boards.
    tiles: usize,
    /// Number of input channels, padded to an even number of vectors.
    inputs: usize,
    /// Number of output channels, padded to whole vectors.
    outputs: usize,
}

impl Sizes {
    fn of(program: &PackedProgram, lanes: usize, layout: &BoardLayout) -> Self {
        let mut sizes = Self::default();
        for step in program.steps() {
            match step {
                Step::Layer(layer) => sizes.add_layer(layer, lanes, layout),
                Step::Attention(op) => {
                    if op.rotary_table == sizes.rotary.len() {
                        let half = op.width / 2;
                        let tables =
                            RotaryTables::new(&op.rotation, op.kv_heads, op.pairs, half, layout);
                        sizes.rotary.push(tables);
                    }
                    sizes.width = sizes.width.max(op.width);
                    sizes.value_width = sizes.value_width.max(op.value_width);
                }
                _ => {}
            }
        }
        sizes
    }

    fn add_layer(&mut self, layer: &LayerStep, lanes: usize, layout: &BoardLayout) {
        let Some((weights, side)) = winograd_if_faster(layer, layout) else {
            return;
        };
        let (rows, columns) = layout.tiles(side);
        let sizes = match weights {
            TransformedWeights::F32(_) => &mut self.f32,
            TransformedWeights::I16(_) => &mut self.i16,
        };
        sizes.tiles = sizes.tiles.max(layout.capacity * rows * columns);
        let inputs = layer.inputs.next_multiple_of(2 * lanes);
        sizes.inputs = sizes.inputs.max(inputs);
        let outputs = layer.outputs.next_multiple_of(lanes);
        sizes.outputs = sizes.outputs.max(outputs);
    }
}

/// Returns the transformed weights and the tile side of a layer, or `None` if the layer is computed directly on boards
/// of this size.
pub fn winograd_if_faster<'a>(
    layer: &'a LayerStep,
    layout: &BoardLayout,
) -> Option<(&'a TransformedWeights, usize)> {
    let weights = layer.winograd.as_ref()?;
    let side = winograd::tile_side(layer.kernel)?;
    winograd::pays(layout, layer.kernel.0, side, layer.inputs, layer.outputs)
        .then_some((weights, side))
}
