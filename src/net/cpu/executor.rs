//! Execution of packed programs.
//!
//! The three parts of a network ([`NetworkPart`]) run one after another. The features, which are the output of the first
//! part, are passed to the two heads in the memory layout of the executor.

use std::mem::take;
use std::ops::RangeInclusive;

use super::aligned::AlignedBuffer;
use super::attention::{Attention, AttentionInputs};
use super::bf16::attention::Bf16Attention;
use super::bf16::convert::to_bf16;
use super::bf16::layer::Bf16Layer;
use super::calibration::{CalibrationRanges, FrequencyMaxima};
use super::direct_layers::{F32DirectLayer, QuantizedLinear};
use super::gated_linear::QuantizedGatedLinear;
use super::gemm::epilogue::{ChannelNorm, LayerOutput};
use super::isa::Isa;
use super::layout::{BoardLayout, LayoutRows};
use super::pack::{NumberFormat, PackedProgram, needs_ranges};
use super::peak_rate;
use super::pointwise::{Activate, Multiply, NormAndActivate, RmsNorm};
use super::pooling::{Pool, flatten};
use super::steps::{Bf16LayerStep, DirectWeights, LayerStep, RmsWeights, Step, TransformedWeights};
use super::winograd::conv::WinogradConv;
use super::winograd::tiling::{TiledInput, Tiling};
use super::winograd::{self, NUM_FREQUENCIES};
use super::workspace::{Buffers, Scratch, Workspace};
use crate::net::error::NetError;
use crate::net::part::{FeatureStorage, FeaturesRef};
use crate::net::precision::DType;
use crate::net::program::ops::{AttentionOp, BufferFormat, BufferId, RowKind};
use crate::net::program::{NetworkPart, lower};
use crate::net::spec::NetSpec;
use crate::net::spec::PROFILE_LEN;

/// Minimum and maximum number of positions per minibatch, for networks with 3x3 convolutions. For other networks, the
/// minimum is 1. A minibatch consists of the positions that a thread evaluates together.
///
/// With several positions, each weight that is loaded from an outer cache or from memory is used several times. With
/// too many, the activations that are passed from step to step do not fit into the inner caches.
const CONV_MINIBATCH_SIZE_RANGE: RangeInclusive<usize> = 2..=8;
/// Number of positions per minibatch in bfloat16. It is small because direct convolutions read only a quarter as many
/// weights as Winograd's algorithm, and because each position needs more memory.
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
    program: PackedProgram,
}

impl CpuExecutor {
    /// Creates an executor for a checked network description.
    ///
    /// The layers that are applied to every point use the number format `numbers`. The ranges of [`NumberFormat::I16`]
    /// are not checked here; see [`with_i16_if_faster`](Self::with_i16_if_faster).
    pub fn new(spec: &NetSpec, isa: Isa, numbers: NumberFormat<'_>) -> Self {
        let lanes = isa.lanes();
        let program = lower(spec, numbers.storage_rules(lanes));
        let program = PackedProgram::new(program, lanes, numbers);
        Self {
            isa,
            dtype: match numbers {
                NumberFormat::F32 => DType::F32,
                NumberFormat::Bf16 => DType::Bf16,
                NumberFormat::I16(_) if program.steps().iter().any(Step::uses_i16) => DType::I16,
                NumberFormat::I16(_) => DType::F32,
            },
            program,
        }
    }

    /// Creates an executor that computes in 16-bit integers, or in 32-bit floats if integers are not faster on this
    /// instruction set. The description must have been checked.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if the network needs ranges, and `ranges` has the wrong length or contains a
    /// negative, infinite or NaN value. The ranges are checked even if the instruction set does not use them.
    pub fn with_i16_if_faster(
        spec: &NetSpec,
        ranges: &CalibrationRanges,
        isa: Isa,
    ) -> Result<Self, NetError> {
        let numbers = match isa.has_i16() {
            true => NumberFormat::I16(ranges),
            false => NumberFormat::F32,
        };
        let executor = Self::new(spec, isa, numbers);
        let convolutions = executor.program.winograd_convs;
        if !Self::needs_ranges(spec) || ranges.is_valid_for(convolutions) {
            Ok(executor)
        } else {
            Err(NetError::Ranges {
                expected: convolutions * NUM_FREQUENCIES,
                found: ranges.values().len(),
                invalid: ranges.count_invalid(),
            })
        }
    }

    /// Returns true if the network needs [`CalibrationRanges`] to run in 16-bit integers.
    pub fn needs_ranges(spec: &NetSpec) -> bool {
        needs_ranges(&lower(spec, NumberFormat::F32.storage_rules(1)))
    }

    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the number format of the layers that are applied to every point. Narrow layers may use 32-bit floats
    /// instead.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the number of multiply-adds per position that Winograd's algorithm saves on boards of this size, compared
    /// with direct convolution.
    pub fn saved_multiply_adds(&self, (height, width): (usize, usize)) -> usize {
        let layout = BoardLayout::new(1, height, width, 0);
        let saved = self.program.steps().iter().map(|step| match step {
            Step::Layer(layer) => layer.winograd_if_faster(&layout).map_or(0, |(_, side)| {
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
        match self.dtype {
            DType::Bf16 => peak_rate::measure_bf16(self.isa.matrix_unit_or_portable()),
            DType::I16 => peak_rate::measure_i16(self.isa),
            DType::F32 | DType::F16 => peak_rate::measure_f32(self.isa),
        }
    }

    /// Prepares a workspace for `count` boards with this height and width. Returns true if the workspace was
    /// reallocated. In that case, feature storage obtained earlier no longer fits.
    pub fn prepare(&self, count: usize, size: (usize, usize), workspace: &mut Workspace) -> bool {
        workspace.reallocate_if_needed(&self.program, self.dtype, count, size)
    }

    /// Takes the feature buffer out of a prepared workspace and returns its storage.
    pub fn take_feature_storage(&self, workspace: &mut Workspace) -> FeatureStorage {
        let id = self.program.features;
        let buffers = &mut workspace.buffers;
        match self.program.buffers[id].format {
            BufferFormat::F32 => FeatureStorage::F32(take(&mut buffers.f32[id]).into_storage()),
            BufferFormat::Bf16 => FeatureStorage::Bf16(take(&mut buffers.bf16[id]).into_storage()),
        }
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
        (planes, globals): (&[f32], &[f32]),
        features: &mut FeatureStorage,
        workspace: &mut Workspace,
    ) {
        let id = self.program.features;
        let buffers = &mut workspace.buffers;
        match features {
            FeatureStorage::F32(store) => {
                buffers.f32[id] = AlignedBuffer::from_storage(take(store))
            }
            FeatureStorage::Bf16(store) => {
                buffers.bf16[id] = AlignedBuffer::from_storage(take(store))
            }
        }
        workspace.reset();
        self.store_planes(count, planes, &mut workspace.buffers);
        self.store_globals(count, globals, &mut workspace.buffers);
        self.run_part(NetworkPart::Features, count, None, workspace);
        *features = self.take_feature_storage(workspace);
    }

    /// Computes the outputs of a head for `count` boards from their features. `part` must be one of the two heads.
    ///
    /// For each board, the outputs of the policy head are the logits of the points in row-major order, followed by the
    /// pass logits. Those of the value head are the outputs for the game result, the score and the ownership, in this
    /// order. Outputs that the network does not have are omitted.
    pub fn compute_head(
        &self,
        part: NetworkPart,
        count: usize,
        features: FeaturesRef<'_>,
        workspace: &mut Workspace,
    ) -> Vec<f32> {
        self.run_part(part, count, Some(features), workspace);
        let [policy, value] = &self.program.outputs;
        let parts = match part {
            NetworkPart::Policy => policy,
            NetworkPart::Value | NetworkPart::Features => value,
        };
        let mut outputs = Vec::new();
        for board in 0..count {
            for part in parts {
                self.read_output(board, &workspace.buffers, *part, &mut outputs);
            }
        }
        outputs
    }

    /// Returns the number of positions that a thread should evaluate together on boards of this size (a minibatch).
    pub fn minibatch_size(&self, (height, width): (usize, usize)) -> usize {
        if self.dtype == DType::Bf16 {
            return BF16_MINIBATCH_SIZE;
        }
        let side = winograd::output_tile_side(COMMON_KERNEL_SIZE).unwrap_or(1);
        let tiles = height.div_ceil(side) * width.div_ceil(side);
        let channels = self.program.steps().iter().map(|step| match step {
            Step::Layer(layer) if layer.kernel == COMMON_KERNEL_SIZE => {
                layer.inputs + layer.outputs
            }
            _ => 0,
        });
        let transformed = channels.max().unwrap_or(0) * NUM_FREQUENCIES * tiles;
        if let Some(fit) = CACHED_FLOATS.checked_div(transformed) {
            return fit.clamp(
                *CONV_MINIBATCH_SIZE_RANGE.start(),
                *CONV_MINIBATCH_SIZE_RANGE.end(),
            );
        }
        // Linear layers read their weights once per several hundred rows, regardless of the number of positions.
        let buffers = self.program.buffers.iter();
        let of_points = buffers.filter(|shape| shape.rows == RowKind::Point);
        let floats = of_points.map(|shape| shape.stride).max().unwrap_or(0) * height * width;
        (CACHED_FLOATS / floats.max(1)).clamp(1, *CONV_MINIBATCH_SIZE_RANGE.end())
    }

    fn store_planes(&self, count: usize, planes: &[f32], buffers: &mut Buffers) {
        let layout = &buffers.input_layout;
        let area = layout.area();
        let id = self.program.planes;
        let shape = self.program.buffers[id];
        let boards = planes.chunks_exact(planes.len() / count);
        let points = layout.points_as_rows(count).cells.chunks_exact(area);
        for (planes, cells) in boards.zip(points) {
            for (channel, plane) in planes.chunks_exact(area).enumerate() {
                let elements = cells.iter().map(|cell| cell * shape.stride + channel);
                let elements = elements.zip(plane);
                match shape.format {
                    BufferFormat::F32 => elements.for_each(|(at, x)| buffers.f32[id][at] = *x),
                    BufferFormat::Bf16 => {
                        elements.for_each(|(at, x)| buffers.bf16[id][at] = to_bf16(*x));
                    }
                }
            }
        }
    }

    fn store_globals(&self, count: usize, globals: &[f32], buffers: &mut Buffers) {
        let profile = self.program.profile.map_or(0, |_| PROFILE_LEN);
        let length = globals.len() / count;
        for board in 0..count {
            let (globals, profile) = globals[board * length..][..length].split_at(length - profile);
            for (id, values) in [
                (self.program.globals, globals),
                (self.program.profile, profile),
            ] {
                if let Some(id) = id {
                    let row = &mut buffers.f32[id][board * self.program.stride(id)..];
                    row[..values.len()].copy_from_slice(values);
                }
            }
        }
    }

    /// Appends the first `length` channels of all rows of a board to `to`.
    fn read_output(
        &self,
        board: usize,
        buffers: &Buffers,
        (buffer, length): (BufferId, usize),
        to: &mut Vec<f32>,
    ) {
        let mut read = |row: usize| {
            let first = row * self.program.stride(buffer);
            to.extend_from_slice(&buffers.f32[buffer][first..][..length]);
        };
        match self.program.buffers[buffer].rows {
            RowKind::Board => read(board),
            RowKind::Point => {
                let area = buffers.layout.area();
                let cells = buffers.layout.points_as_rows(board + 1).cells;
                cells[board * area..].iter().for_each(|cell| read(*cell));
            }
        }
    }

    /// Runs the network on one board and raises `ranges` to the magnitudes of the transformed inputs of all
    /// convolutions whose kernel size Winograd's algorithm supports. This includes convolutions that are computed
    /// directly on boards of this size.
    ///
    /// The executor must use 32-bit floats. `planes` and `globals` have the same form as for
    /// [`compute_features`](Self::compute_features).
    pub fn record_position_ranges(
        &self,
        size: (usize, usize),
        (planes, globals): (&[f32], &[f32]),
        workspace: &mut Workspace,
        ranges: &mut CalibrationRanges,
    ) {
        self.prepare(1, size, workspace);
        workspace.reset();
        self.store_planes(1, planes, &mut workspace.buffers);
        self.store_globals(1, globals, &mut workspace.buffers);
        let is_recorded = |step: &Step| match step {
            Step::Layer(layer) => winograd::output_tile_side(layer.kernel).is_some(),
            _ => false,
        };
        // The ranges do not depend on the steps after the last recorded convolution.
        let steps = self.program.steps();
        let count = steps
            .iter()
            .rposition(is_recorded)
            .map_or(0, |last| last + 1);
        let mut convolution = 0;
        let mut run = Run {
            executor: self,
            count: 1,
            features: None,
            workspace,
        };
        for step in &steps[..count] {
            if let Step::Layer(layer) = step
                && let Some(side) = winograd::output_tile_side(layer.kernel)
            {
                let source = run.split().0.tiles(layer, side);
                ranges.record(convolution, self.isa.run(FrequencyMaxima(source)));
                convolution += 1;
            }
            run.step(step);
        }
    }

    /// Runs one part of the network on `count` boards. The heads read `features`, or the feature buffer of the
    /// workspace if `features` is `None`.
    fn run_part(
        &self,
        part: NetworkPart,
        count: usize,
        features: Option<FeaturesRef<'_>>,
        workspace: &mut Workspace,
    ) {
        let mut run = Run {
            executor: self,
            count,
            features,
            workspace,
        };
        for step in self.program.part_steps(part) {
            run.step(step);
        }
    }
}

/// Read access to the buffers while a step runs, except for the buffers that the step writes.
#[derive(Clone, Copy)]
struct StepInputs<'a> {
    program: &'a PackedProgram,
    /// Number of boards.
    count: usize,
    /// Content of the feature buffer, if the features are stored outside the workspace.
    features: Option<FeaturesRef<'a>>,
    buffers: &'a Buffers,
}

impl<'a> StepInputs<'a> {
    /// Returns the content of a buffer of 32-bit floats and the stride of its rows.
    fn f32(&self, buffer: BufferId) -> (&'a [f32], usize) {
        let values = match self.features {
            Some(FeaturesRef::F32(store)) if buffer == self.program.features => {
                AlignedBuffer::storage_content(store)
            }
            _ => &self.buffers.f32[buffer],
        };
        (values, self.program.stride(buffer))
    }

    /// Returns the content of a bfloat16 buffer and the stride of its rows.
    fn bf16(&self, buffer: BufferId) -> (&'a [u16], usize) {
        let values = match self.features {
            Some(FeaturesRef::Bf16(store)) if buffer == self.program.features => {
                AlignedBuffer::storage_content(store)
            }
            _ => &self.buffers.bf16[buffer],
        };
        (values, self.program.stride(buffer))
    }

    /// Returns the rows with one value per channel of a whole board, and their stride. Both are empty without a buffer.
    fn per_board(&self, buffer: Option<BufferId>) -> (&'a [f32], usize) {
        buffer.map_or((&[], 0), |buffer| self.f32(buffer))
    }

    /// Returns the rows of a buffer.
    fn rows(&self, buffer: BufferId) -> LayoutRows<'a> {
        match self.program.buffers[buffer].rows {
            RowKind::Point => self.buffers.layout.points_as_rows(self.count),
            RowKind::Board => self.buffers.layout.boards_as_rows(self.count),
        }
    }

    /// Returns the input of a convolution together with the division of its output into tiles of `side` by `side`
    /// points.
    fn tiles(&self, layer: &LayerStep, side: usize) -> TiledInput<'a> {
        let (from, stride) = self.f32(layer.from);
        TiledInput {
            tiling: Tiling {
                layout: &self.buffers.layout,
                count: self.count,
                side,
            },
            reach: layer.kernel.0 / 2,
            from,
            stride,
        }
    }

    /// Returns a norm that reads the buffer `from` and writes the rows of `to`.
    fn norm<T>(
        &self,
        from: BufferId,
        to: (&'a mut [T], usize),
        norm: &'a ChannelNorm,
    ) -> NormAndActivate<'a, T> {
        NormAndActivate {
            cells: self.rows(from).cells,
            from: self.f32(from),
            to,
            norm,
        }
    }

    /// Returns an RMS norm that reads the buffer `from` and writes the rows of `to`.
    fn rms_norm<T>(
        &self,
        from: BufferId,
        to: (&'a mut [T], usize),
        rms: &'a RmsWeights,
    ) -> RmsNorm<'a, T> {
        RmsNorm {
            cells: self.rows(from).cells,
            area: self.buffers.layout.area(),
            from: self.f32(from),
            to,
            rms,
        }
    }

    fn attention(&self, op: &'a AttentionOp) -> AttentionInputs<'a> {
        AttentionInputs {
            op,
            layout: &self.buffers.layout,
            count: self.count,
            rotary: &self.buffers.rotary[op.rotary_table],
            query: self.f32(op.query),
            key: self.f32(op.key),
            value: self.f32(op.value),
        }
    }
}

/// Execution of steps on the first `count` boards of a workspace.
struct Run<'a> {
    executor: &'a CpuExecutor,
    count: usize,
    /// Content of the feature buffer if it is stored outside the workspace.
    features: Option<FeaturesRef<'a>>,
    workspace: &'a mut Workspace,
}

impl Run<'_> {
    /// Returns read access to the buffers, together with the memory of the steps.
    fn split(&mut self) -> (StepInputs<'_>, &mut Scratch) {
        let Workspace { buffers, scratch } = &mut *self.workspace;
        let inputs = StepInputs {
            program: &self.executor.program,
            count: self.count,
            features: self.features,
            buffers,
        };
        (inputs, scratch)
    }

    /// Takes the content of `buffer` out of the workspace, calls `work` with it and its stride, and puts it back.
    fn write(
        &mut self,
        buffer: BufferId,
        work: impl FnOnce(StepInputs<'_>, &mut Scratch, (&mut [f32], usize)),
    ) {
        let mut values = take(&mut self.workspace.buffers.f32[buffer]);
        let stride = self.executor.program.stride(buffer);
        let (inputs, scratch) = self.split();
        work(inputs, scratch, (&mut values, stride));
        self.workspace.buffers.f32[buffer] = values;
    }

    /// Like [`write`](Self::write), for a bfloat16 buffer.
    fn write_bf16(
        &mut self,
        buffer: BufferId,
        work: impl FnOnce(StepInputs<'_>, &mut Scratch, (&mut [u16], usize)),
    ) {
        let mut values = take(&mut self.workspace.buffers.bf16[buffer]);
        let stride = self.executor.program.stride(buffer);
        let (inputs, scratch) = self.split();
        work(inputs, scratch, (&mut values, stride));
        self.workspace.buffers.bf16[buffer] = values;
    }

    fn step(&mut self, step: &Step) {
        let isa = self.executor.isa;
        match step {
            Step::Layer(layer) => self.layer(layer),
            Step::Bf16Layer(layer) => self.bf16_layer(layer),
            Step::Gated(from, to, layer) => self.write(*to, |inputs, scratch, to| {
                isa.run_i16_or_default(QuantizedGatedLinear {
                    layer,
                    rows: inputs.rows(*from),
                    from: inputs.f32(*from),
                    to: to.0,
                    workspace: &mut scratch.quantized_rows,
                });
            }),
            Step::Attention(op) if self.is_bf16(op.to) => self.bf16_attention(op),
            Step::Attention(op) => self.attention(op),
            Step::Activate(buffer, activation) => self.write(*buffer, |inputs, _, values| {
                isa.run(Activate {
                    cells: inputs.rows(*buffer).cells,
                    values,
                    activation: *activation,
                });
            }),
            Step::Multiply(buffer, by) => self.write(*buffer, |inputs, _, values| {
                isa.run(Multiply {
                    cells: inputs.rows(*buffer).cells,
                    values,
                    by: inputs.f32(*by).0,
                });
            }),
            Step::Norm(from, to, norm) => self.norm(*from, *to, norm),
            Step::RmsNorm(from, to, rms) => self.rms_norm(*from, *to, rms),
            Step::Pool(from, to, channels, pooling) => self.write(*to, |inputs, _, to| {
                isa.run(Pool {
                    layout: &inputs.buffers.layout,
                    count: inputs.count,
                    from: inputs.f32(*from),
                    channels: *channels,
                    to,
                    pooling: *pooling,
                });
            }),
            Step::Flatten(from, to, channels) => self.write(*to, |inputs, _, to| {
                let layout = &inputs.buffers.layout;
                flatten(layout, inputs.count, inputs.f32(*from), *channels, to);
            }),
        }
    }

    fn norm(&mut self, from: BufferId, to: BufferId, norm: &ChannelNorm) {
        let isa = self.executor.isa;
        match self.is_bf16(to) {
            true => self.write_bf16(to, |inputs, _, to| isa.run(inputs.norm(from, to, norm))),
            false => self.write(to, |inputs, _, to| isa.run(inputs.norm(from, to, norm))),
        }
    }

    fn rms_norm(&mut self, from: BufferId, to: BufferId, rms: &RmsWeights) {
        let isa = self.executor.isa;
        match self.is_bf16(to) {
            true => self.write_bf16(to, |inputs, _, to| isa.run(inputs.rms_norm(from, to, rms))),
            false => self.write(to, |inputs, _, to| isa.run(inputs.rms_norm(from, to, rms))),
        }
    }

    fn is_bf16(&self, buffer: BufferId) -> bool {
        self.executor.program.buffers[buffer].format == BufferFormat::Bf16
    }

    /// Runs a convolution or a linear layer, either with Winograd's algorithm or directly.
    fn layer(&mut self, layer: &LayerStep) {
        let isa = self.executor.isa;
        let copied = layer.epilogue.copy.as_ref().map(|copy| copy.to);
        let f32 = &mut self.workspace.buffers.f32;
        let mut to = take(&mut f32[layer.to]);
        let mut copy = copied.map(|id| take(&mut f32[id]));
        let (inputs, scratch) = self.split();
        let layout = &inputs.buffers.layout;
        let output = LayerOutput {
            epilogue: &layer.epilogue,
            to: &mut to,
            per_board: inputs.per_board(layer.per_board).0,
            copy: copy.as_deref_mut().unwrap_or_default(),
        };
        match (layer.winograd_if_faster(layout), &layer.direct) {
            (Some((TransformedWeights::F32(weights), side)), _) => isa.run_f32(WinogradConv {
                source: inputs.tiles(layer, side),
                input_id: layer.input_id,
                weights,
                workspace: &mut scratch.winograd_f32,
                output,
            }),
            (Some((TransformedWeights::I16(weights), side)), _) => {
                isa.run_i16_or_default(WinogradConv {
                    source: inputs.tiles(layer, side),
                    input_id: layer.input_id,
                    weights,
                    workspace: &mut scratch.winograd_i16,
                    output,
                })
            }
            (None, DirectWeights::F32(weights)) => isa.run_f32(F32DirectLayer {
                weights,
                kernel: layer.kernel,
                row_stride: layout.row_stride,
                rows: inputs.rows(layer.from),
                from: inputs.f32(layer.from),
                output,
            }),
            (None, DirectWeights::I16(weights)) => isa.run_i16_or_default(QuantizedLinear {
                weights,
                rows: inputs.rows(layer.from),
                from: inputs.f32(layer.from),
                workspace: &mut scratch.quantized_rows,
                output,
            }),
        }
        let f32 = &mut self.workspace.buffers.f32;
        f32[layer.to] = to;
        for (id, values) in copied.into_iter().zip(copy) {
            f32[id] = values;
        }
    }

    fn bf16_layer(&mut self, layer: &Bf16LayerStep) {
        let CpuExecutor { isa, program, .. } = self.executor;
        let copied = layer.epilogue.copy.as_ref().map(|copy| copy.to);
        let Buffers { f32, bf16, .. } = &mut self.workspace.buffers;
        let mut to = layer.to.map(|id| take(&mut f32[id]));
        let mut copy = copied.map(|id| take(&mut bf16[id]));
        let (inputs, scratch) = self.split();
        let layout = &inputs.buffers.layout;
        let [planes_map, map] = &inputs.buffers.cell_maps;
        let (input_layout, cell_map) = match layer.from == program.planes {
            true => (&inputs.buffers.input_layout, planes_map),
            false => (layout, map),
        };
        let stride = |buffer: Option<BufferId>| buffer.map_or(0, |id| program.stride(id));
        isa.run(Bf16Layer {
            layer,
            unit: isa.matrix_unit_or_portable(),
            input: (input_layout, inputs.count),
            layout,
            cell_map,
            steps: &mut scratch.bf16_steps,
            from: inputs.bf16(layer.from),
            per_board: inputs.per_board(layer.per_board),
            to: (to.as_deref_mut().unwrap_or_default(), stride(layer.to)),
            copy: (copy.as_deref_mut().unwrap_or_default(), stride(copied)),
        });
        let Buffers { f32, bf16, .. } = &mut self.workspace.buffers;
        for (id, values) in layer.to.into_iter().zip(to) {
            f32[id] = values;
        }
        for (id, values) in copied.into_iter().zip(copy) {
            bf16[id] = values;
        }
    }

    fn attention(&mut self, op: &AttentionOp) {
        let CpuExecutor { isa, dtype, .. } = *self.executor;
        self.write(op.to, |inputs, scratch, (values, stride)| {
            // Clear the padding after the last channel. Another layer may have left values there, and quantisation reads
            // whole rows.
            for cell in inputs.rows(op.to).cells {
                values[cell * stride..][..stride][op.heads * op.value_width..].fill(0.0);
            }
            let (inputs, to) = (inputs.attention(op), (values, stride));
            match dtype {
                DType::I16 => isa.run_i16_or_default(Attention {
                    inputs,
                    to,
                    workspace: &mut scratch.attention_i16,
                }),
                _ => isa.run_f32(Attention {
                    inputs,
                    to,
                    workspace: &mut scratch.attention_f32,
                }),
            }
        });
    }

    fn bf16_attention(&mut self, op: &AttentionOp) {
        let isa = self.executor.isa;
        self.write_bf16(op.to, |inputs, scratch, to| {
            isa.run(Bf16Attention {
                inputs: inputs.attention(op),
                unit: isa.matrix_unit_or_portable(),
                to,
                workspace: &mut scratch.attention_bf16,
            });
        });
    }
}
