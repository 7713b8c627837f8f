//! Execution of packed programs.
//!
//! The three parts of a network ([`NetworkPart`]) run one after another. The features, which are the output of the first
//! part, are passed to the two heads in the memory layout of the executor.

use std::mem::take;

use pulp::bytemuck::cast_slice_mut;

use super::activations::OutputElement;
use super::aligned::AlignedBuffer;
use super::attention::{Attention, AttentionWorkspace};
use super::direct_layers::DirectLayer;
use super::frequency_maxima::FrequencyMaxima;
use super::gemm::epilogue::LayerOutput;
use super::isa::Isa;
use super::layout::{BoardLayout, LayoutRows};
use super::pack::{LayerStep, PackedProgram, Step, needs_ranges, storage_rules};
use super::peak_rate;
use super::pointwise::{Activate, NormAndActivate};
use super::pooling::{Pool, flatten};
use super::winograd::conv::WinogradConv;
use super::winograd::tiling::{TiledInput, Tiling};
use super::winograd::{self, NUM_FREQUENCIES};
use super::workspace::{Buffers, Scratch, Workspace};
use crate::net::calibration::CalibrationRanges;
use crate::net::dtype::DType;
use crate::net::error::NetError;
use crate::net::part::NetworkPart;
use crate::net::program::lower;
use crate::net::program::ops::{AttentionOp, BufferFormat, BufferId, Op, RowKind};
use crate::net::spec::NetSpec;
use crate::net::spec::PROFILE_LEN;

/// Maximum number of positions per minibatch. A minibatch consists of the positions that a thread evaluates together.
///
/// With several positions, each weight that is loaded from an outer cache or from memory is used several times. With
/// too many, the activations that are passed from step to step do not fit into the inner caches.
const MAX_MINIBATCH_SIZE: usize = 8;
/// Minimum number of positions per minibatch for networks with 3x3 convolutions.
const MIN_CONV_MINIBATCH_SIZE: usize = 2;
/// Number of positions per minibatch in bfloat16. It is small because direct convolutions read only a quarter of the
/// weights that Winograd's algorithm reads, and because each position needs more memory.
const BF16_MINIBATCH_SIZE: usize = 2;
/// Kernel size of most convolutions. The number of positions per minibatch depends on the number of channels of the
/// convolutions with this kernel size.
const COMMON_KERNEL_SIZE: (usize, usize) = (3, 3);
/// Number of 32-bit floats that are assumed to fit into the inner caches (1.5 MiB).
const CACHED_FLOATS: usize = 393_216;

/// A network packed for an instruction set and a number format. It can be shared by any number of threads.
#[derive(Debug)]
pub struct CpuExecutor {
    isa: Isa,
    dtype: DType,
    packed: PackedProgram,
}

impl CpuExecutor {
    /// Creates an executor for a checked network description. Returns `None` only in builds without the CPU kernels.
    ///
    /// The layers that are applied to every point use the number format `dtype`. [`DType::I16`] is replaced by
    /// [`DType::F32`] if integers are not faster for this network on this instruction set. The `ranges` are used only for
    /// [`DType::I16`].
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if `dtype` is [`DType::I16`], the network needs ranges, and `ranges` has the wrong
    /// length or contains a negative, infinite or NaN value. The ranges are checked even if they are not used.
    pub fn new(
        spec: &NetSpec,
        isa: Isa,
        dtype: DType,
        ranges: &CalibrationRanges,
    ) -> Result<Option<Self>, NetError> {
        let lanes = isa.lanes();
        let format = match dtype {
            DType::I16 if !isa.has_i16() => DType::F32,
            _ => dtype,
        };
        let program = lower(spec, storage_rules(format, lanes));
        let must_check = dtype == DType::I16 && needs_ranges(&program);
        let packed = PackedProgram::new(program, lanes, format, ranges);
        if must_check {
            ranges.check(packed.winograd_convs)?;
        }
        Ok(Some(Self {
            isa,
            dtype: match format {
                DType::I16 if !packed.uses_i16() => DType::F32,
                _ => format,
            },
            packed,
        }))
    }

    /// Returns true if the network needs [`CalibrationRanges`] to run in 16-bit integers.
    pub fn needs_ranges(spec: &NetSpec) -> bool {
        needs_ranges(&lower(spec, storage_rules(DType::F32, 1)))
    }

    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the number format of the layers that are applied to every point. Narrow layers may use 32-bit floats
    /// instead.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns true if a value can exceed the quantisation limit ([`Workspace::is_board_saturated`]).
    pub fn can_saturate(&self) -> bool {
        self.dtype == DType::I16 && self.packed.has_winograd()
    }

    /// Returns the number of multiply-adds per position that Winograd's algorithm saves on boards of this size, compared
    /// with direct convolution.
    pub fn saved_multiply_adds(&self, (height, width): (usize, usize)) -> usize {
        let layout = BoardLayout::new(1, height, width, 0);
        let saved = self.packed.steps().map(|step| match step {
            Step::Layer(layer) => layer.winograd_if_faster(&layout).map_or(0, |(_, side)| {
                let layer = &layer.op.layer;
                let direct = layout.area() * layer.kernel.0 * layer.kernel.1;
                (direct - winograd::products_per_channel_pair(&layout, side))
                    * layer.inputs
                    * layer.outputs
            }),
            _ => 0,
        });
        saved.sum()
    }

    /// Measures the peak rate of a single thread in the executor's number format, in multiply-adds per second.
    pub fn measure_peak_multiply_adds(&self) -> f64 {
        peak_rate::measure(self.isa, self.dtype)
    }

    /// Prepares a workspace for `count` boards with this height and width. Returns true if the workspace was
    /// reallocated. In that case, feature storage obtained earlier no longer fits.
    pub fn prepare(&self, count: usize, size: (usize, usize), workspace: &mut Workspace) -> bool {
        workspace.reallocate_if_needed(&self.packed, self.dtype, count, size)
    }

    /// Takes the feature buffer out of a prepared workspace and returns its storage. The content is opaque.
    pub fn take_feature_storage(&self, workspace: &mut Workspace) -> Vec<f32> {
        take(&mut workspace.buffers.contents[self.packed.program.features]).into_storage()
    }

    /// Computes the features of `count` boards.
    ///
    /// `planes` has the shape `[count, planes, height, width]`. `globals` has the shape `[count, globals + profile]`
    /// and contains the global inputs followed by the player profile. The caller must have prepared the workspace and
    /// checked the lengths of the inputs. `features` must come from [`take_feature_storage`](Self::take_feature_storage)
    /// for the same workspace.
    pub fn compute_features(
        &self,
        count: usize,
        inputs: (&[f32], &[f32]),
        features: &mut Vec<f32>,
        workspace: &mut Workspace,
    ) {
        let id = self.packed.program.features;
        workspace.buffers.contents[id] = AlignedBuffer::from_storage(take(features));
        self.store_inputs(count, inputs, workspace);
        self.run_part(NetworkPart::Features, count, None, workspace);
        *features = self.take_feature_storage(workspace);
    }

    /// Computes the outputs of a head for `count` boards from their features. `part` must be one of the two heads.
    ///
    /// For each board, the outputs of the policy head are the logits of the points in row-major order, followed by the
    /// pass logits. The value head has outputs for the game result, the score and the ownership, in this order. Outputs
    /// that the network does not have are omitted.
    pub fn compute_head(
        &self,
        part: NetworkPart,
        count: usize,
        features: &[f32],
        workspace: &mut Workspace,
    ) -> Vec<f32> {
        self.run_part(part, count, Some(features), workspace);
        let [policy, value] = &self.packed.program.outputs;
        let outputs = match part {
            NetworkPart::Policy => policy,
            NetworkPart::Value | NetworkPart::Features => value,
        };
        let layout = &workspace.buffers.layout;
        // The rows of a buffer, and their number per board.
        let rows_of = |buffer: BufferId| match self.packed.program.buffers[buffer].rows {
            RowKind::Point => (layout.points_as_rows(count).cells, layout.area()),
            RowKind::Board => (layout.boards_as_rows(count).cells, 1),
        };
        let lengths = outputs
            .iter()
            .map(|&(buffer, length)| rows_of(buffer).1 * length);
        let mut to = Vec::with_capacity(count * lengths.sum::<usize>());
        for board in 0..count {
            for &(buffer, length) in outputs {
                let (rows, per_board) = rows_of(buffer);
                for row in &rows[board * per_board..][..per_board] {
                    let first = row * self.packed.stride(buffer);
                    let content = &workspace.buffers.contents[buffer];
                    to.extend_from_slice(&content[first..][..length]);
                }
            }
        }
        to
    }

    /// Returns the number of positions that a thread should evaluate together on boards of this size (a minibatch).
    pub fn minibatch_size(&self, (height, width): (usize, usize)) -> usize {
        if self.dtype == DType::Bf16 {
            return BF16_MINIBATCH_SIZE;
        }
        let side = winograd::output_tile_side(COMMON_KERNEL_SIZE).unwrap_or(1);
        let tiles = height.div_ceil(side) * width.div_ceil(side);
        let channels = self.packed.steps().map(|step| match step {
            Step::Layer(layer) if layer.op.layer.kernel == COMMON_KERNEL_SIZE => {
                layer.op.layer.inputs + layer.op.layer.outputs
            }
            _ => 0,
        });
        let transformed = channels.max().unwrap_or(0) * NUM_FREQUENCIES * tiles;
        if let Some(fit) = CACHED_FLOATS.checked_div(transformed) {
            return fit.clamp(MIN_CONV_MINIBATCH_SIZE, MAX_MINIBATCH_SIZE);
        }
        // Linear layers read their weights once per several hundred rows, regardless of the number of positions.
        let buffers = self.packed.program.buffers.iter();
        let of_points = buffers.filter(|shape| shape.rows == RowKind::Point);
        let floats = of_points.map(|shape| shape.stride).max().unwrap_or(0) * height * width;
        (CACHED_FLOATS / floats.max(1)).clamp(1, MAX_MINIBATCH_SIZE)
    }

    /// Prepares the workspace for a run and stores the inputs, which have the same form as for
    /// [`compute_features`](Self::compute_features).
    fn store_inputs(&self, count: usize, (planes, globals): (&[f32], &[f32]), to: &mut Workspace) {
        to.scratch.winograd.reset();
        let program = &self.packed.program;
        match program.buffers[program.planes].format {
            BufferFormat::F32 => self.store_planes::<f32>(count, planes, &mut to.buffers),
            BufferFormat::Bf16 => self.store_planes::<u16>(count, planes, &mut to.buffers),
        }
        let profile = program.profile.map_or(0, |_| PROFILE_LEN);
        let length = globals.len() / count;
        for board in 0..count {
            let (globals, profile) = globals[board * length..][..length].split_at(length - profile);
            for (id, values) in [(program.globals, globals), (program.profile, profile)] {
                if let Some(id) = id {
                    let row = &mut to.buffers.contents[id][board * self.packed.stride(id)..];
                    row[..values.len()].copy_from_slice(values);
                }
            }
        }
    }

    fn store_planes<T: OutputElement>(&self, count: usize, planes: &[f32], buffers: &mut Buffers) {
        let layout = &buffers.input_layout;
        let area = layout.area();
        let id = self.packed.program.planes;
        let stride = self.packed.program.buffers[id].stride;
        let to: &mut [T] = cast_slice_mut(&mut buffers.contents[id]);
        let boards = planes.chunks_exact(planes.len() / count);
        let points = layout.points_as_rows(count).cells.chunks_exact(area);
        for (planes, cells) in boards.zip(points) {
            for (channel, plane) in planes.chunks_exact(area).enumerate() {
                for (cell, x) in cells.iter().zip(plane) {
                    to[cell * stride + channel] = T::from_f32(*x);
                }
            }
        }
    }

    /// Runs the network on one board and raises `ranges` to the magnitudes of the transformed inputs of all
    /// convolutions with kernel sizes that Winograd's algorithm supports. This includes convolutions that are computed
    /// directly on boards of this size.
    ///
    /// The executor must use 32-bit floats. `inputs` has the same form as for
    /// [`compute_features`](Self::compute_features).
    pub fn record_position_ranges(
        &self,
        size: (usize, usize),
        inputs: (&[f32], &[f32]),
        workspace: &mut Workspace,
        ranges: &mut CalibrationRanges,
    ) {
        self.prepare(1, size, workspace);
        self.store_inputs(1, inputs, workspace);
        let tile_side = |step: &Step| match step {
            Step::Layer(layer) => winograd::output_tile_side(layer.op.layer.kernel),
            _ => None,
        };
        // The ranges do not depend on the steps after the last recorded convolution.
        let steps: Vec<&Step> = self.packed.steps().collect();
        let last = steps.iter().rposition(|step| tile_side(step).is_some());
        let mut convolution = 0;
        let Workspace { buffers, scratch } = workspace;
        let mut run = Run {
            executor: self,
            count: 1,
            features: None,
            buffers,
        };
        for step in steps.iter().take(last.map_or(0, |last| last + 1)) {
            if let (Step::Layer(layer), Some(side)) = (step, tile_side(step)) {
                let source = run.tiles(layer, side);
                ranges.record(convolution, self.isa.run(FrequencyMaxima(source)));
                convolution += 1;
            }
            run.step(step, scratch);
        }
    }

    /// Runs one part of the network on `count` boards. The heads read `features`, or the feature buffer of the
    /// workspace if `features` is `None`.
    fn run_part(
        &self,
        part: NetworkPart,
        count: usize,
        features: Option<&[f32]>,
        workspace: &mut Workspace,
    ) {
        let Workspace { buffers, scratch } = workspace;
        let mut run = Run {
            executor: self,
            count,
            features,
            buffers,
        };
        for step in &self.packed.parts[part as usize] {
            run.step(step, scratch);
        }
    }
}

/// Execution of steps on the first `count` boards of a workspace.
struct Run<'a> {
    executor: &'a CpuExecutor,
    count: usize,
    /// Storage of the feature buffer if it is outside the workspace.
    features: Option<&'a [f32]>,
    buffers: &'a mut Buffers,
}

/// Content of a buffer that a step writes, and the stride of its rows.
type Output<'a> = (&'a mut [f32], usize);

impl Run<'_> {
    /// Returns the content of a buffer and the stride of its rows.
    fn content(&self, buffer: BufferId) -> (&[f32], usize) {
        let packed = &self.executor.packed;
        let values = match self.features {
            Some(store) if buffer == packed.program.features => {
                AlignedBuffer::storage_content(store)
            }
            _ => &self.buffers.contents[buffer],
        };
        (values, packed.stride(buffer))
    }

    /// Returns the layout of the boards in a buffer.
    fn layout(&self, buffer: BufferId) -> &BoardLayout {
        match buffer == self.executor.packed.program.planes {
            true => &self.buffers.input_layout,
            false => &self.buffers.layout,
        }
    }

    /// Returns the points or boards that the rows of a buffer represent, in a layout of the boards.
    fn rows<'b>(&self, buffer: BufferId, layout: &'b BoardLayout) -> LayoutRows<'b> {
        match self.executor.packed.program.buffers[buffer].rows {
            RowKind::Point => layout.points_as_rows(self.count),
            RowKind::Board => layout.boards_as_rows(self.count),
        }
    }

    /// Returns the index of each row of a buffer.
    fn cells(&self, buffer: BufferId) -> &[usize] {
        self.rows(buffer, self.layout(buffer)).cells
    }

    /// Returns the input of a convolution together with the division of its output into tiles of `side` by `side`
    /// points.
    fn tiles(&self, layer: &LayerStep, side: usize) -> TiledInput<'_> {
        let (from, stride) = self.content(layer.op.from);
        let layout = &self.buffers.layout;
        let tiles = &self.buffers.tiles[&side];
        TiledInput {
            tiling: Tiling {
                layout,
                count: self.count,
                side,
                tiles: &tiles[..tiles.len() / layout.capacity * self.count],
            },
            reach: layer.op.layer.kernel.0 / 2,
            from,
            stride,
        }
    }

    /// Takes the contents of two buffers, calls `work` with them, and puts them back. The content is empty where there is
    /// no buffer.
    fn write_both(
        &mut self,
        ids: [Option<BufferId>; 2],
        work: impl FnOnce(&Self, [Output<'_>; 2]),
    ) {
        let mut take_buffer = |id: BufferId| take(&mut self.buffers.contents[id]);
        let mut contents = ids.map(|id| id.map(&mut take_buffer).unwrap_or_default());
        let [first, second] = &mut contents;
        let stride = |id: Option<BufferId>| id.map_or(0, |id| self.executor.packed.stride(id));
        let outputs: [Output<'_>; 2] = [(first, stride(ids[0])), (second, stride(ids[1]))];
        work(self, outputs);
        for (id, content) in ids.into_iter().zip(contents) {
            if let Some(id) = id {
                self.buffers.contents[id] = content;
            }
        }
    }

    /// Like [`write_both`](Self::write_both), for a single buffer.
    fn write(&mut self, id: BufferId, work: impl FnOnce(&Self, Output<'_>)) {
        self.write_both([Some(id), None], |run, [to, _]| work(run, to));
    }

    fn step(&mut self, step: &Step, scratch: &mut Scratch) {
        let CpuExecutor { isa, packed, .. } = self.executor;
        let count = self.count;
        match step {
            Step::Layer(layer) => self.layer(layer, scratch),
            Step::Norm(from, to, norm, rms) => self.write(*to, |run, output| {
                isa.run(NormAndActivate {
                    cells: run.cells(*from),
                    from: run.content(*from),
                    to: output,
                    format: packed.program.buffers[*to].format,
                    norm,
                    rms: rms.as_ref(),
                    area: run.buffers.layout.area(),
                });
            }),
            Step::Other(Op::Attention(op)) => self.attention(op, &mut scratch.attention),
            Step::Other(Op::Activate(buffer, activation)) => self.write(*buffer, |run, values| {
                isa.run(Activate {
                    cells: run.cells(*buffer),
                    values,
                    activation: *activation,
                });
            }),
            Step::Other(Op::Pool(op)) => self.write(op.to, |run, to| {
                isa.run(Pool {
                    op,
                    layout: &run.buffers.layout,
                    count,
                    from: run.content(op.from),
                    to,
                });
            }),
            Step::Other(Op::Flatten(op)) => self.write(op.to, |run, to| {
                let layout = &run.buffers.layout;
                flatten(layout, count, run.content(op.from), op.channels, to);
            }),
            Step::Other(op) => unreachable!("the packed program has another step for {op:?}"),
        }
    }

    /// Runs a convolution or a linear layer, either with Winograd's algorithm or directly.
    fn layer(&mut self, layer: &LayerStep, scratch: &mut Scratch) {
        let (isa, op) = (self.executor.isa, &layer.op);
        let copied = op.copy.as_ref().map(|copy| copy.to);
        self.write_both([op.to, copied], |run, [to, copy]| {
            let layout = &run.buffers.layout;
            let output = LayerOutput {
                epilogue: &layer.epilogue,
                to,
                per_board: op.per_board.map_or((&[], 0), |id| run.content(id)),
                copy,
            };
            if let Some((weights, side)) = layer.winograd_if_faster(layout) {
                let conv = WinogradConv {
                    source: run.tiles(layer, side),
                    input_id: op.input_id,
                    weights,
                    workspace: &mut scratch.winograd,
                    output,
                };
                return isa.run_kernel(weights.packed.dtype, conv);
            }
            let direct = DirectLayer {
                weights: &layer.direct,
                gated: layer.gated,
                kernel: op.layer.kernel,
                row_stride: run.layout(op.from).row_stride,
                cells: run.cells(op.from),
                rows: run.rows(op.from, layout),
                from: run.content(op.from),
                output,
                workspace: &mut scratch.direct,
            };
            isa.run_kernel(layer.direct.dtype, direct);
        });
    }

    fn attention(&mut self, op: &AttentionOp, workspace: &mut Option<AttentionWorkspace>) {
        let CpuExecutor { isa, dtype, packed } = self.executor;
        self.write(op.to, |run, (values, stride)| {
            // Clear the padding after the last channel. Another layer may have left values there, and layers read whole
            // rows.
            let words = match packed.program.buffers[op.to].format {
                BufferFormat::F32 => op.heads * op.value_width,
                BufferFormat::Bf16 => op.heads * op.value_width / 2,
            };
            if words < stride {
                for cell in run.cells(op.to) {
                    values[cell * stride..][..stride][words..].fill(0.0);
                }
            }
            let attention = Attention {
                op,
                dtype: *dtype,
                layout: &run.buffers.layout,
                count: run.count,
                rotary: &run.buffers.rotary[op.rotary_table],
                query: run.content(op.query),
                key: run.content(op.key),
                value: run.content(op.value),
                to: (values, stride),
                workspace,
            };
            isa.run_kernel(*dtype, attention);
        });
    }
}
