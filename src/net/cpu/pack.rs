//! Packing of a program for an instruction set and a number format, into steps that an executor runs.

use std::mem::take;

use super::aligned::AlignedBuffer;
use super::bf16::block::{STEP_INPUTS, TILE_SIDE};
use super::direct_layers::is_i16_linear_faster;
use super::gemm::epilogue::{ChannelNorm, Epilogue};
use super::gemm::packing::PackedMatrices;
use super::layout::BoardLayout;
use super::winograd;
use super::winograd::conv::WinogradWeights;
use crate::net::calibration::CalibrationRanges;
use crate::net::dtype::DType;
use crate::net::folded::Layer;
use crate::net::program::Program;
use crate::net::program::ops::{BufferFormat, BufferId, BufferShape, CopyOp, LayerOp, Op, RowKind};
use crate::net::program::storage::{Bf16Rules, StorageRules};
use crate::net::spec::layers::{Activation, RmsNorm};

/// Maximum total size of the Winograd weights in bytes.
///
/// The Winograd form of a 3x3 kernel has four times the number of weights. To save memory, networks above the limit use
/// only direct convolution.
const MAX_WINOGRAD_BYTES: usize = 128 << 20;

/// Returns the rules by which an executor for vectors with `lanes` lanes stores activations.
pub fn storage_rules(dtype: DType, lanes: usize) -> StorageRules {
    StorageRules {
        channel_multiple: lanes,
        bf16: (dtype == DType::Bf16).then_some(Bf16Rules {
            input_multiple: STEP_INPUTS,
            value_multiple: TILE_SIDE,
        }),
    }
}

/// An operation with its packed weights.
#[derive(Debug)]
pub enum Step {
    Layer(Box<LayerStep>),
    /// Norm and activation: input, output, parameters. It is an RMS norm if the last field is `Some`, and otherwise a
    /// norm with fixed statistics.
    Norm(BufferId, BufferId, ChannelNorm, Option<RmsNorm>),
    Other(Op),
}

/// A convolution or a linear layer.
#[derive(Debug)]
pub struct LayerStep {
    /// The layer without its weights and bias.
    pub op: LayerOp,
    /// Weights for the direct computation, without Winograd's algorithm: two matrices for a gated layer.
    pub direct: PackedMatrices,
    /// Weights for Winograd's algorithm. `None` if the algorithm does not support the kernel size or the number format,
    /// or if the Winograd weights of the network would take too much memory.
    pub winograd: Option<WinogradWeights>,
    /// True for a gated layer. Its result is only stored as the second output.
    pub gated: bool,
    pub epilogue: Epilogue,
}

impl LayerStep {
    /// Returns the transformed weights and the tile side, or `None` if the layer is computed directly on boards of this
    /// size.
    pub fn winograd_if_faster(&self, layout: &BoardLayout) -> Option<(&WinogradWeights, usize)> {
        let weights = self.winograd.as_ref()?;
        let Layer {
            kernel,
            inputs,
            outputs,
            ..
        } = self.op.layer;
        let side = winograd::output_tile_side(kernel)?;
        winograd::is_faster_than_direct(layout, kernel.0, side, inputs, outputs)
            .then_some((weights, side))
    }
}

/// A program packed for an instruction set and a number format.
#[derive(Debug)]
pub struct PackedProgram {
    /// Steps of each [`NetworkPart`](crate::net::part::NetworkPart), in execution order.
    pub parts: [Vec<Step>; 3],
    /// The program without its operations.
    pub program: Program,
    /// Number of convolutions with kernel sizes that Winograd's algorithm supports. The algorithm is used only on
    /// sufficiently large boards.
    pub winograd_convs: usize,
}

impl PackedProgram {
    /// Packs a program for vectors with `lanes` lanes.
    ///
    /// With [`DType::I16`], Winograd convolutions, sufficiently wide linear layers and attention use 16-bit integers, and
    /// all other layers 32-bit floats. The ranges are used only for this format.
    pub fn new(
        mut program: Program,
        lanes: usize,
        dtype: DType,
        ranges: &CalibrationRanges,
    ) -> Self {
        let bytes = match dtype {
            DType::I16 => size_of::<i16>(),
            _ => size_of::<f32>(),
        };
        let mut packer = Packer {
            lanes,
            winograd: bytes * winograd_weight_count(&program) <= MAX_WINOGRAD_BYTES,
            ranges: (dtype == DType::I16).then_some(ranges),
            winograd_convs: 0,
            steps: Vec::new(),
            buffers: &program.buffers,
        };
        let parts = take(&mut program.parts).map(|ops| {
            ops.into_iter().for_each(|op| packer.pack(op));
            take(&mut packer.steps)
        });
        Self {
            parts,
            winograd_convs: packer.winograd_convs,
            program,
        }
    }

    /// Returns the steps of all parts, in execution order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().flatten()
    }

    /// Returns the number of words per row of a buffer, padding included.
    pub fn stride(&self, buffer: BufferId) -> usize {
        let shape = self.program.buffers[buffer];
        match shape.format {
            BufferFormat::F32 => shape.stride,
            BufferFormat::Bf16 => shape.stride / 2,
        }
    }

    /// Returns true if a step computes in 16-bit integers. Call this only for programs that were packed for them.
    pub fn uses_i16(&self) -> bool {
        let is_i16 = |step: &Step| match step {
            Step::Layer(layer) => layer.direct.dtype == DType::I16,
            Step::Other(op) => matches!(op, Op::Attention(_)),
            Step::Norm(..) => false,
        };
        self.has_winograd() || self.steps().any(is_i16)
    }

    /// Returns true if a convolution has Winograd weights.
    pub fn has_winograd(&self) -> bool {
        self.steps()
            .any(|step| matches!(step, Step::Layer(layer) if layer.winograd.is_some()))
    }
}

/// Returns true if an executor for 16-bit integers uses Winograd convolutions for this program, and therefore needs the
/// ranges of their inputs.
pub fn needs_ranges(program: &Program) -> bool {
    let weights = winograd_weight_count(program);
    weights > 0 && size_of::<i16>() * weights <= MAX_WINOGRAD_BYTES
}

/// Returns the number of weights in Winograd form of all layers that Winograd's algorithm supports.
fn winograd_weight_count(program: &Program) -> usize {
    let count = |op: &Op| match op {
        Op::Layer(op) if winograd::output_tile_side(op.layer.kernel).is_some() => {
            winograd::NUM_FREQUENCIES * op.layer.inputs * op.layer.outputs
        }
        _ => 0,
    };
    program.parts.iter().flatten().map(count).sum()
}

struct Packer<'a> {
    lanes: usize,
    /// True if convolutions are also packed in Winograd form where the algorithm supports their kernel size.
    winograd: bool,
    /// Input ranges for 16-bit integers, or `None` if the executor uses another number format.
    ranges: Option<&'a CalibrationRanges>,
    /// Value of [`PackedProgram::winograd_convs`] for the convolutions packed so far.
    winograd_convs: usize,
    steps: Vec<Step>,
    buffers: &'a [BufferShape],
}

impl Packer<'_> {
    fn pack(&mut self, op: Op) {
        let step = match op {
            Op::Layer(op) => return self.layer(*op),
            Op::Copy { from, copy } => {
                let norm = copy_norm(&copy, self.buffers[from].stride, self.lanes);
                Step::Norm(from, copy.to, norm, None)
            }
            Op::RmsNorm { from, to, norm } => {
                let parameters = (&*norm.weight, &*norm.shift);
                let weights = channel_norm(parameters, self.lanes, Activation::Identity);
                Step::Norm(from, to, weights, Some(norm))
            }
            other => Step::Other(other),
        };
        self.steps.push(step);
    }

    fn layer(&mut self, mut op: LayerOp) {
        let from = self.buffers[op.from];
        let layer = &mut op.layer;
        let winograd = match from.format {
            BufferFormat::F32 => self.winograd_form(layer),
            BufferFormat::Bf16 => None,
        };
        let (gated, outputs) = (op.gate.is_some(), layer.outputs);
        let multiple = match from.format {
            BufferFormat::F32 => self.lanes,
            BufferFormat::Bf16 => TILE_SIDE,
        };
        let mut weights = take(&mut layer.weights);
        let mut bias = take(&mut layer.bias);
        if let Some(gate) = op.gate.take() {
            weights.extend(gate.weights);
            bias.resize(bias.len().next_multiple_of(multiple), 0.0);
            bias.extend(gate.bias);
        }
        let direct = self.direct_form(from, layer, &weights, 1 + usize::from(gated));
        let copy = op.copy.as_ref();
        let epilogue = Epilogue {
            bias: AlignedBuffer::zero_padded(&bias, bias.len().next_multiple_of(multiple)),
            accumulate: op.accumulate,
            activation: op.activation,
            copy: copy.map(|copy| copy_norm(copy, outputs, multiple)),
        };
        let results = [
            op.to.map(|to| (to, op.activation)),
            copy.map(|copy| (copy.to, copy.activation)),
        ];
        self.steps.push(Step::Layer(Box::new(LayerStep {
            op,
            direct,
            winograd,
            gated,
            epilogue,
        })));
        for (buffer, activation) in results.into_iter().flatten() {
            // The epilogues of floats and integers apply only the lower limit.
            if from.format == BufferFormat::F32 && !activation.is_clamp() {
                let step = Step::Other(Op::Activate(buffer, activation));
                self.steps.push(step);
            }
        }
    }

    /// Packs `weights`, one matrix or the two of a gated layer, for the direct computation of `layer` from a buffer of
    /// this shape.
    fn direct_form(
        &self,
        from: BufferShape,
        layer: &Layer,
        weights: &[f32],
        matrices: usize,
    ) -> PackedMatrices {
        let Layer {
            kernel,
            inputs,
            outputs,
            ..
        } = *layer;
        let is_i16 = self.ranges.is_some()
            && kernel == (1, 1)
            && from.rows == RowKind::Point
            && is_i16_linear_faster(inputs, outputs);
        match from.format {
            BufferFormat::Bf16 => {
                PackedMatrices::pack_bf16(weights, matrices, kernel.0 * kernel.1, outputs)
            }
            BufferFormat::F32 if is_i16 => {
                let units = vec![1.0; matrices];
                PackedMatrices::quantize_and_pack(self.lanes, weights, outputs, &units)
            }
            BufferFormat::F32 => {
                PackedMatrices::pack_f32(self.lanes, weights, matrices, outputs, false)
            }
        }
    }

    /// Packs the weights of a convolution in Winograd form. Returns `None` if the algorithm does not support the kernel
    /// size or if Winograd weights are disabled.
    ///
    /// Convolutions with a supported kernel size are numbered even if Winograd weights are disabled, because the input
    /// ranges are indexed by this number.
    fn winograd_form(&mut self, layer: &Layer) -> Option<WinogradWeights> {
        winograd::output_tile_side(layer.kernel)?;
        let index = self.winograd_convs;
        self.winograd_convs += 1;
        if !self.winograd {
            return None;
        }
        let weights = winograd::transform_weights(&layer.weights, layer.kernel.0);
        let ranges = self.ranges.map(|ranges| ranges.of_convolution(index));
        Some(WinogradWeights::new(
            self.lanes,
            &weights,
            layer.outputs,
            ranges,
        ))
    }
}

/// Packs the norm and the activation of a copy of `channels` channels. A copy without a norm has the scale 1.
fn copy_norm(copy: &CopyOp, channels: usize, multiple: usize) -> ChannelNorm {
    match &copy.norm {
        Some(norm) => channel_norm((&norm.scale, &norm.shift), multiple, copy.activation),
        None => channel_norm((&vec![1.0; channels], &[]), multiple, copy.activation),
    }
}

/// Packs a norm, given its scale and its shift, which may be empty. Both are padded with zeros to a length that is a
/// multiple of `multiple`.
fn channel_norm(
    (scale, shift): (&[f32], &[f32]),
    multiple: usize,
    activation: Activation,
) -> ChannelNorm {
    let length = scale.len().next_multiple_of(multiple);
    ChannelNorm {
        scale: AlignedBuffer::zero_padded(scale, length),
        shift: AlignedBuffer::zero_padded(shift, length),
        activation,
    }
}
