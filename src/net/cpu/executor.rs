//! Execution of packed programs.
//!
//! The three parts of a network ([`Part`]) run one after another. The features, which are the output of the first part,
//! are passed to the two heads in the memory layout of the executor.

use std::mem::take;
use std::ops::RangeInclusive;

use super::aligned::Aligned;
use super::attention::Attention;
use super::bf16::attention::Bf16Attention;
use super::bf16::convert::{ConvertToBf16, RmsNormToBf16};
use super::bf16::layer::Bf16Layer;
use super::bf16::simd::to_bf16;
use super::calibration::{CalibrationRanges, MaxMagnitudes};
use super::gated::{GatedLinear, GatedWeights};
use super::gemm::epilogue::Output;
use super::isa::Isa;
use super::layout::LayoutRows;
use super::linear::{DirectConv, QuantizedLinear};
use super::pack::{Numbers, PackedProgram, needs_ranges};
use super::peak;
use super::pointwise::{Activate, Multiply, Norm, RmsNorm};
use super::pooling::{Pool, flatten};
use super::steps::{
    Bf16Copy, Bf16LayerStep, DirectWeights, LayerStep, RmsWeights, Step, TransformedWeights,
};
use super::winograd::conv::WinogradConv;
use super::winograd::tiling::{Source, Tiling};
use super::winograd::{self, FREQUENCIES};
use super::workspace::{Workspace, winograd_if_faster};
use crate::net::error::NetError;
use crate::net::precision::DType;
use crate::net::program::ops::{AttentionOp, BufferId, Format, PointLogits, RowKind};
use crate::net::program::{Part, lower};
use crate::net::spec::NetSpec;
use crate::net::spec::PROFILE_LEN;

/// Minimum and maximum number of positions per minibatch, for networks with 3x3 convolutions. For other networks, the
/// minimum is 1. A minibatch consists of the positions that a thread evaluates together.
///
/// With several positions, each weight that is loaded from an outer cache or from memory is used several times. With
/// too many, the activations that are passed from step to step do not fit into the inner caches.
const MINIBATCH: RangeInclusive<usize> = 2..=8;
/// Number of positions per minibatch in bfloat16. It is small because direct convolutions read only a quarter as many
/// weights as Winograd's algorithm, and because each position needs more memory.
const BF16_MINIBATCH: usize = 2;
/// Kernel size of most convolutions. The number of positions per minibatch depends on the number of channels of the
/// convolutions with this kernel size.
const COMMON_KERNEL: (usize, usize) = (3, 3);
/// Number of 32-bit floats that are assumed to fit into the inner caches (1.5 MiB).
const CACHED_FLOATS: usize = 393_216;

/// A network packed for an instruction set and a number format. It can be shared by any number of threads.
#[derive(Debug)]
pub struct CpuExecutor {
    isa: Isa,
    dtype: DType,
    lanes: usize,
    program: PackedProgram,
}

/// Features of one or more boards in the layout of the executor. The vector also contains unused elements, so that the
/// features can be aligned to a cache line.
#[derive(Debug)]
pub enum FeatureStorage {
    F32(Vec<f32>),
    Bf16(Vec<u16>),
}

/// Borrowed [`FeatureStorage`].
#[derive(Clone, Copy, Debug)]
pub enum FeaturesRef<'a> {
    F32(&'a [f32]),
    Bf16(&'a [u16]),
}

impl CpuExecutor {
    /// Creates an executor for a checked network description.
    ///
    /// The layers that are applied to every point use the number format `numbers`. The ranges of [`Numbers::I16`] are
    /// not checked here; see [`with_i16`](Self::with_i16).
    pub fn new(spec: &NetSpec, isa: Isa, numbers: Numbers<'_>) -> Self {
        let lanes = isa.lanes();
        let program = lower(spec, numbers.storage_rules(lanes));
        let program = PackedProgram::new(program, lanes, numbers);
        Self {
            isa,
            dtype: match numbers {
                Numbers::F32 => DType::F32,
                Numbers::Bf16 => DType::Bf16,
                Numbers::I16(_) if program.steps().iter().any(Step::uses_i16) => DType::I16,
                Numbers::I16(_) => DType::F32,
            },
            lanes,
            program,
        }
    }

    /// Creates an executor that computes in 16-bit integers, or in 32-bit floats if integers are not faster on this
    /// instruction set. The description must have been checked.
    ///
    /// # Errors
    /// Returns [`NetError::Ranges`] if the network needs ranges, and `ranges` has the wrong length or contains a
    /// negative, infinite or NaN value. The ranges are checked even if the instruction set does not use them.
    pub fn with_i16(
        spec: &NetSpec,
        ranges: &CalibrationRanges,
        isa: Isa,
    ) -> Result<Self, NetError> {
        let numbers = match isa.has_i16() {
            true => Numbers::I16(ranges),
            false => Numbers::F32,
        };
        let executor = Self::new(spec, isa, numbers);
        let convolutions = executor.program.winograd_convs;
        if !Self::needs_ranges(spec) || ranges.is_valid_for(convolutions) {
            Ok(executor)
        } else {
            Err(NetError::Ranges {
                expected: convolutions * FREQUENCIES,
                found: ranges.values().len(),
                invalid: ranges.count_invalid(),
            })
        }
    }

    /// Returns true if the network needs [`CalibrationRanges`] to run in 16-bit integers.
    pub fn needs_ranges(spec: &NetSpec) -> bool {
        needs_ranges(&lower(spec, Numbers::F32.storage_rules(1)))
    }

    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the number format of the layers that are applied to every point. Narrow layers may use 32-bit floats
    /// instead.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// Measures the peak rate of a single thread in the executor's number format, in multiply-adds per second.
    pub fn peak_multiply_adds(&self) -> f64 {
        match (self.dtype, self.isa.i16()) {
            (DType::Bf16, _) => peak::bf16(self.isa.matrix_unit()),
            (DType::I16, Some(isa)) => peak::i16(isa),
            _ => peak::f32(self.isa),
        }
    }

    /// Prepares a workspace for `count` boards with this height and width. Returns true if the workspace was
    /// reallocated. In that case, feature storage obtained earlier no longer fits.
    pub fn prepare(&self, count: usize, size: (usize, usize), workspace: &mut Workspace) -> bool {
        workspace.reallocate_if_needed(&self.program, self.dtype, self.lanes, count, size)
    }

    /// Takes the feature buffer out of a prepared workspace and returns its storage.
    pub fn take_features(&self, workspace: &mut Workspace) -> FeatureStorage {
        let id = self.program.features;
        match self.program.buffers[id].format {
            Format::F32 => FeatureStorage::F32(take(&mut workspace.f32[id]).into_vec()),
            Format::Bf16 => FeatureStorage::Bf16(take(&mut workspace.bf16[id]).into_vec()),
        }
    }

    /// Computes the features of `count` boards.
    ///
    /// `planes` has the shape `[count, planes, height, width]`. `globals` has the shape `[count, globals + profile]`
    /// and contains the global inputs followed by the player profile. The caller must have prepared the workspace and
    /// checked the lengths of the inputs. `features` must come from [`take_features`](Self::take_features) for the same
    /// workspace.
    pub fn compute_features(
        &self,
        count: usize,
        (planes, globals): (&[f32], &[f32]),
        features: &mut FeatureStorage,
        workspace: &mut Workspace,
    ) {
        let id = self.program.features;
        match features {
            FeatureStorage::F32(store) => workspace.f32[id] = Aligned::from_vec(take(store)),
            FeatureStorage::Bf16(store) => workspace.bf16[id] = Aligned::from_vec(take(store)),
        }
        workspace.reset();
        self.store_planes(count, planes, workspace);
        self.store_globals(count, globals, workspace);
        self.run_part(Part::Features, count, None, workspace);
        *features = self.take_features(workspace);
    }

    /// Computes the outputs of a head for `count` boards from their features. `part` must be one of the two heads.
    ///
    /// For each board, the outputs of the policy head are the logits of the points in row-major order, followed by the
    /// pass logits. Those of the value head are the outputs for the game result, the score and the ownership, in this
    /// order. Outputs that the network does not have are omitted.
    pub fn compute_head(
        &self,
        part: Part,
        count: usize,
        features: FeaturesRef<'_>,
        workspace: &mut Workspace,
    ) -> Vec<f32> {
        self.run_part(part, count, Some(features), workspace);
        let mut outputs = Vec::new();
        for board in 0..count {
            match part {
                Part::Policy => self.read_policy(board, workspace, &mut outputs),
                Part::Value | Part::Features => self.read_value(board, workspace, &mut outputs),
            }
        }
        outputs
    }

    /// Returns the number of positions that a thread should evaluate together on boards of this size (a minibatch).
    pub fn minibatch(&self, (height, width): (usize, usize)) -> usize {
        if self.dtype == DType::Bf16 {
            return BF16_MINIBATCH;
        }
        let side = winograd::tile_side(COMMON_KERNEL).unwrap_or(1);
        let tiles = height.div_ceil(side) * width.div_ceil(side);
        let channels = self.program.steps().iter().map(|step| match step {
            Step::Layer(layer) if layer.kernel == COMMON_KERNEL => layer.inputs + layer.outputs,
            _ => 0,
        });
        let transformed = channels.max().unwrap_or(0) * FREQUENCIES * tiles;
        if let Some(fit) = CACHED_FLOATS.checked_div(transformed) {
            return fit.clamp(*MINIBATCH.start(), *MINIBATCH.end());
        }
        // Linear layers read their weights once per several hundred rows, regardless of the number of positions.
        let buffers = self.program.buffers.iter();
        let of_points = buffers.filter(|shape| shape.rows == RowKind::Point);
        let floats = of_points.map(|shape| shape.stride).max().unwrap_or(0) * height * width;
        (CACHED_FLOATS / floats.max(1)).clamp(1, *MINIBATCH.end())
    }

    fn store_planes(&self, count: usize, planes: &[f32], workspace: &mut Workspace) {
        let layout = &workspace.input_layout;
        let area = layout.area();
        let id = self.program.planes;
        let shape = self.program.buffers[id];
        let boards = planes.chunks_exact(planes.len() / count);
        let points = layout.points(count).cells.chunks_exact(area);
        for (planes, cells) in boards.zip(points) {
            for (channel, plane) in planes.chunks_exact(area).enumerate() {
                let elements = cells.iter().map(|cell| cell * shape.stride + channel);
                let elements = elements.zip(plane);
                match shape.format {
                    Format::F32 => elements.for_each(|(at, x)| workspace.f32[id][at] = *x),
                    Format::Bf16 => {
                        elements.for_each(|(at, x)| workspace.bf16[id][at] = to_bf16(*x));
                    }
                }
            }
        }
    }

    fn store_globals(&self, count: usize, globals: &[f32], workspace: &mut Workspace) {
        let profile = self.program.profile.map_or(0, |_| PROFILE_LEN);
        let length = globals.len() / count;
        for board in 0..count {
            let (globals, profile) = globals[board * length..][..length].split_at(length - profile);
            for (id, values) in [
                (self.program.globals, globals),
                (self.program.profile, profile),
            ] {
                if let Some(id) = id {
                    let row = &mut workspace.f32[id][board * self.stride(id)..];
                    row[..values.len()].copy_from_slice(values);
                }
            }
        }
    }

    fn read_policy(&self, board: usize, workspace: &Workspace, to: &mut Vec<f32>) {
        let outputs = &self.program.outputs.policy;
        match outputs.points {
            PointLogits::PerPoint(buffer, count) => {
                self.read_points(board, workspace, (buffer, count), to);
            }
            PointLogits::Flat(buffer) => {
                let length = workspace.layout.area() + 1;
                self.read_row(board, workspace, (buffer, length), to);
            }
        }
        if let Some(pass) = outputs.pass {
            self.read_row(board, workspace, pass, to);
        }
    }

    fn read_value(&self, board: usize, workspace: &Workspace, to: &mut Vec<f32>) {
        let outputs = &self.program.outputs.value;
        self.read_row(board, workspace, outputs.result, to);
        if let Some(score) = outputs.score {
            self.read_row(board, workspace, score, to);
        }
        if let Some(ownership) = outputs.ownership {
            self.read_points(board, workspace, (ownership, 1), to);
        }
    }

    fn read_row(
        &self,
        board: usize,
        workspace: &Workspace,
        (buffer, length): (BufferId, usize),
        to: &mut Vec<f32>,
    ) {
        let first = board * self.stride(buffer);
        to.extend_from_slice(&workspace.f32[buffer][first..][..length]);
    }

    fn read_points(
        &self,
        board: usize,
        workspace: &Workspace,
        (buffer, length): (BufferId, usize),
        to: &mut Vec<f32>,
    ) {
        let (stride, area) = (self.stride(buffer), workspace.layout.area());
        for cell in &workspace.layout.points(board + 1).cells[board * area..] {
            to.extend_from_slice(&workspace.f32[buffer][cell * stride..][..length]);
        }
    }

    /// Runs the network on one board and raises `ranges` to the magnitudes of the transformed inputs of all
    /// convolutions whose kernel size Winograd's algorithm supports. This includes convolutions that are computed
    /// directly on boards of this size.
    ///
    /// The executor must use 32-bit floats. `planes` and `globals` have the same form as for
    /// [`compute_features`](Self::compute_features).
    pub fn calibrate(
        &self,
        size: (usize, usize),
        (planes, globals): (&[f32], &[f32]),
        workspace: &mut Workspace,
        ranges: &mut CalibrationRanges,
    ) {
        self.prepare(1, size, workspace);
        workspace.reset();
        self.store_planes(1, planes, workspace);
        self.store_globals(1, globals, workspace);
        let is_recorded = |step: &Step| match step {
            Step::Layer(layer) => winograd::tile_side(layer.kernel).is_some(),
            _ => false,
        };
        // The ranges do not depend on the steps after the last recorded convolution.
        let steps = self.program.steps();
        let count = steps
            .iter()
            .rposition(is_recorded)
            .map_or(0, |last| last + 1);
        let mut convolution = 0;
        for step in &steps[..count] {
            let mut run = Run::new(self, 1, None, workspace);
            if let Step::Layer(layer) = step
                && let Some(side) = winograd::tile_side(layer.kernel)
            {
                let source = run.source(layer, side);
                ranges.record(convolution, self.isa.run(MaxMagnitudes(source)));
                convolution += 1;
            }
            run.step(step);
        }
    }

    /// Runs one part of the network on `count` boards. The heads read `features`, or the feature buffer of the
    /// workspace if `features` is `None`.
    fn run_part(
        &self,
        part: Part,
        count: usize,
        features: Option<FeaturesRef<'_>>,
        workspace: &mut Workspace,
    ) {
        let mut run = Run::new(self, count, features, workspace);
        for step in self.program.part(part) {
            run.step(step);
        }
    }

    fn stride(&self, buffer: BufferId) -> usize {
        self.program.buffers[buffer].stride
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

impl<'a> Run<'a> {
    fn new(
        executor: &'a CpuExecutor,
        count: usize,
        features: Option<FeaturesRef<'a>>,
        workspace: &'a mut Workspace,
    ) -> Self {
        Self {
            executor,
            count,
            features,
            workspace,
        }
    }

    fn stride(&self, buffer: BufferId) -> usize {
        self.executor.stride(buffer)
    }

    /// Returns the content of a buffer of 32-bit floats and the stride of its rows.
    fn input(&self, buffer: BufferId) -> (&[f32], usize) {
        let values = match self.features {
            Some(FeaturesRef::F32(store)) if buffer == self.executor.program.features => {
                Aligned::view(store)
            }
            _ => &self.workspace.f32[buffer],
        };
        (values, self.stride(buffer))
    }

    /// Returns the content of a bfloat16 buffer and the stride of its rows.
    fn bf16_input(&self, buffer: BufferId) -> (&[u16], usize) {
        let values = match self.features {
            Some(FeaturesRef::Bf16(store)) if buffer == self.executor.program.features => {
                Aligned::view(store)
            }
            _ => &self.workspace.bf16[buffer],
        };
        (values, self.stride(buffer))
    }

    fn rows(&self, buffer: BufferId) -> LayoutRows<'_> {
        match self.executor.program.buffers[buffer].rows {
            RowKind::Point => self.workspace.layout.points(self.count),
            RowKind::Board => self.workspace.layout.whole_boards(self.count),
        }
    }

    /// Takes the content of `buffer` out of the workspace, calls `work` with it, and puts it back.
    fn write(&mut self, buffer: BufferId, work: impl FnOnce(&Self, &mut Aligned)) {
        let mut values = take(&mut self.workspace.f32[buffer]);
        work(self, &mut values);
        self.workspace.f32[buffer] = values;
    }

    fn write_bf16(&mut self, buffer: BufferId, work: impl FnOnce(&Self, &mut Aligned<u16>)) {
        let mut values = take(&mut self.workspace.bf16[buffer]);
        work(self, &mut values);
        self.workspace.bf16[buffer] = values;
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Layer(layer) => self.layer(layer),
            Step::Bf16Layer(layer) => self.bf16_layer(layer),
            Step::Gated(from, to, layer) => self.gated(*from, *to, layer),
            Step::Attention(op) if self.executor.dtype == DType::Bf16 => self.bf16_attention(op),
            Step::Attention(op) => self.attention(op),
            Step::Activate(buffer, activation) => self.write(*buffer, |run, values| {
                run.executor.isa.run(Activate {
                    rows: run.rows(*buffer),
                    values,
                    stride: run.stride(*buffer),
                    activation: *activation,
                });
            }),
            Step::Multiply(buffer, by) => self.write(*buffer, |run, values| {
                run.executor.isa.run(Multiply {
                    rows: run.rows(*buffer),
                    values,
                    by: run.input(*by).0,
                    stride: run.stride(*buffer),
                });
            }),
            Step::Norm(from, to, norm) => self.write(*to, |run, values| {
                run.executor.isa.run(Norm {
                    rows: run.rows(*to),
                    from: run.input(*from).0,
                    to: values,
                    norm,
                });
            }),
            Step::RmsNorm(from, to, rms) => self.rms_norm(*from, *to, rms),
            Step::ToBf16(from, copy) => self.convert_to_bf16(*from, copy),
            Step::RmsNormToBf16(from, to, rms) => self.rms_norm_to_bf16(*from, *to, rms),
            Step::Pool(from, to, channels, pooling) => self.write(*to, |run, values| {
                run.executor.isa.run(Pool {
                    layout: &run.workspace.layout,
                    count: run.count,
                    from: run.input(*from).0,
                    stride: run.stride(*from),
                    channels: *channels,
                    to: values,
                    to_stride: run.stride(*to),
                    pooling: *pooling,
                });
            }),
            Step::Flatten(from, to, channels) => self.write(*to, |run, values| {
                let to = (values, run.stride(*to));
                let layout = &run.workspace.layout;
                flatten(layout, run.count, run.input(*from), *channels, to);
            }),
        }
    }

    fn gated(&mut self, from: BufferId, to: BufferId, layer: &GatedWeights) {
        let mut quantized_rows = take(&mut self.workspace.quantized_rows);
        self.write(to, |run, values| {
            run.executor.isa.run_i16(GatedLinear {
                layer,
                rows: run.rows(from),
                from: run.input(from),
                to: values,
                workspace: &mut quantized_rows,
            });
        });
        self.workspace.quantized_rows = quantized_rows;
    }

    fn rms_norm(&mut self, from: BufferId, to: BufferId, rms: &RmsWeights) {
        self.write(to, |run, values| {
            run.executor.isa.run(RmsNorm {
                rows: run.rows(to),
                area: run.workspace.layout.area(),
                from: run.input(from).0,
                to: values,
                rms,
            });
        });
    }

    fn rms_norm_to_bf16(&mut self, from: BufferId, to: BufferId, rms: &RmsWeights) {
        self.write_bf16(to, |run, values| {
            run.executor.isa.run_bf16(RmsNormToBf16 {
                rms,
                cells: run.rows(from).cells,
                area: run.workspace.layout.area(),
                from: run.input(from),
                to: (values, run.stride(to)),
            });
        });
    }

    fn convert_to_bf16(&mut self, from: BufferId, copy: &Bf16Copy) {
        self.write_bf16(copy.to, |run, values| {
            run.executor.isa.run_bf16(ConvertToBf16 {
                copy,
                cells: run.rows(from).cells,
                from: run.input(from),
                to: (values, run.stride(copy.to)),
            });
        });
    }

    /// Runs a convolution or a linear layer, either with Winograd's algorithm or directly.
    fn layer(&mut self, layer: &LayerStep) {
        let copied = layer.epilogue.copy.as_ref().map(|copy| copy.to);
        let mut to = take(&mut self.workspace.f32[layer.to]);
        let mut copy = match copied {
            Some(buffer) => take(&mut self.workspace.f32[buffer]),
            None => take(&mut self.workspace.no_copy),
        };
        self.compute_layer(layer, &mut to, &mut copy);
        self.workspace.f32[layer.to] = to;
        match copied {
            Some(buffer) => self.workspace.f32[buffer] = copy,
            None => self.workspace.no_copy = copy,
        }
    }

    fn compute_layer(&mut self, layer: &LayerStep, to: &mut Aligned, copy: &mut Aligned) {
        let isa = self.executor.isa;
        // These workspaces are taken out so that the other fields can be borrowed while a layer writes to one of them.
        let mut winograd_f32 = take(&mut self.workspace.winograd_f32);
        let mut winograd_i16 = take(&mut self.workspace.winograd_i16);
        let mut quantized_rows = take(&mut self.workspace.quantized_rows);
        let output = Output {
            epilogue: &layer.epilogue,
            to,
            per_board: layer.per_board.map(|id| &self.workspace.f32[id]),
            copy,
        };
        let layout = &self.workspace.layout;
        match (winograd_if_faster(layer, layout), &layer.direct) {
            (Some((TransformedWeights::F32(weights), side)), _) => isa.run_f32(WinogradConv {
                source: self.source(layer, side),
                input_id: layer.input_id,
                weights,
                workspace: &mut winograd_f32,
                output,
            }),
            (Some((TransformedWeights::I16(weights), side)), _) => isa.run_i16(WinogradConv {
                source: self.source(layer, side),
                input_id: layer.input_id,
                weights,
                workspace: &mut winograd_i16,
                output,
            }),
            (None, DirectWeights::F32(weights)) => isa.run_f32(DirectConv {
                weights,
                kernel: layer.kernel,
                row_stride: layout.row_stride,
                rows: self.rows(layer.from),
                from: self.input(layer.from),
                output,
            }),
            (None, DirectWeights::I16(weights)) => isa.run_i16(QuantizedLinear {
                weights,
                rows: self.rows(layer.from),
                from: self.input(layer.from),
                workspace: &mut quantized_rows,
                output,
            }),
        }
        self.workspace.winograd_f32 = winograd_f32;
        self.workspace.winograd_i16 = winograd_i16;
        self.workspace.quantized_rows = quantized_rows;
    }

    /// Returns the input of a convolution together with the division of its output into tiles of `side` by `side`
    /// points.
    fn source(&self, layer: &LayerStep, side: usize) -> Source<'_> {
        let (from, stride) = self.input(layer.from);
        Source {
            tiling: Tiling {
                layout: &self.workspace.layout,
                count: self.count,
                side,
            },
            reach: layer.kernel.0 / 2,
            from,
            stride,
        }
    }

    fn bf16_layer(&mut self, layer: &Bf16LayerStep) {
        let reads_planes = layer.from == self.executor.program.planes;
        let copied = layer.copy.as_ref().map(|copy| copy.to);
        let mut to = layer.to.map(|id| take(&mut self.workspace.f32[id]));
        let mut copy = copied.map(|id| take(&mut self.workspace.bf16[id]));
        let mut steps = take(&mut self.workspace.bf16_steps);
        let stride = |buffer: Option<BufferId>| buffer.map_or(0, |buffer| self.stride(buffer));
        let workspace = &*self.workspace;
        let layout = &workspace.layout;
        let input_layout = match reads_planes {
            true => &workspace.input_layout,
            false => layout,
        };
        self.executor.isa.run_bf16(Bf16Layer {
            layer,
            unit: self.executor.isa.matrix_unit(),
            input: (input_layout, self.count),
            layout,
            cell_map: &workspace.cell_maps[usize::from(!reads_planes)],
            steps: &mut steps,
            from: self.bf16_input(layer.from),
            per_board: layer
                .per_board
                .map(|id| (&*workspace.f32[id], self.stride(id))),
            to: (to.as_deref_mut().unwrap_or(&mut []), stride(layer.to)),
            copy: (copy.as_deref_mut().unwrap_or(&mut []), stride(copied)),
        });
        self.workspace.bf16_steps = steps;
        for (id, values) in layer.to.into_iter().zip(to) {
            self.workspace.f32[id] = values;
        }
        for (id, values) in copied.into_iter().zip(copy) {
            self.workspace.bf16[id] = values;
        }
    }

    fn attention(&mut self, op: &AttentionOp) {
        let isa = self.executor.isa;
        let stride = self.stride(op.to);
        let mut to = take(&mut self.workspace.f32[op.to]);
        // Clear the padding after the last channel. Another layer may have left values there, and quantisation reads
        // whole rows.
        for cell in self.workspace.layout.points(self.count).cells {
            to[cell * stride..][..stride][op.heads * op.value_width..].fill(0.0);
        }
        let mut attention_f32 = take(&mut self.workspace.attention_f32);
        let mut attention_i16 = take(&mut self.workspace.attention_i16);
        macro_rules! attention {
            ($workspace:expr) => {
                Attention {
                    op,
                    layout: &self.workspace.layout,
                    count: self.count,
                    rotary: &self.workspace.rotary[op.rotary_table],
                    query: self.input(op.query),
                    key: self.input(op.key),
                    value: self.input(op.value),
                    to: (&mut to, stride),
                    workspace: $workspace,
                }
            };
        }
        match self.executor.dtype {
            DType::I16 => isa.run_i16(attention!(&mut attention_i16)),
            _ => isa.run_f32(attention!(&mut attention_f32)),
        }
        self.workspace.attention_f32 = attention_f32;
        self.workspace.attention_i16 = attention_i16;
        self.workspace.f32[op.to] = to;
    }

    fn bf16_attention(&mut self, op: &AttentionOp) {
        let mut attention = take(&mut self.workspace.attention_bf16);
        self.write_bf16(op.to, |run, values| {
            run.executor.isa.run_bf16(Bf16Attention {
                op,
                unit: run.executor.isa.matrix_unit(),
                layout: &run.workspace.layout,
                count: run.count,
                rotary: &run.workspace.rotary[op.rotary_table],
                query: run.input(op.query),
                key: run.input(op.key),
                value: run.input(op.value),
                to: (values, run.stride(op.to)),
                workspace: &mut attention,
            });
        });
        self.workspace.attention_bf16 = attention;
    }
}
