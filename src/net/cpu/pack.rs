//! Packing of a program for an instruction set and a number format.

use super::aligned::AlignedBuffer;
use super::bf16::block::{STEP_INPUTS, TILE_SIDE};
use super::bf16::packing::Bf16Weights;
use super::calibration::CalibrationRanges;
use super::direct_layers::{QuantizedWeights, is_i16_linear_faster};
use super::gated_linear::QuantizedGatedWeights;
use super::gemm::epilogue::{ChannelNorm, Epilogue, NormedCopy};
use super::gemm::packing::PackedMatrices;
use super::steps::{Bf16LayerStep, DirectWeights, LayerStep, RmsWeights, Step, TransformedWeights};
use super::winograd;
use super::winograd::conv::WinogradWeights;
use crate::net::folded::Layer;
use crate::net::program::ops::{
    BufferFormat, BufferId, BufferShape, CopyOp, GatedOp, HeadOutputs, LayerOp, Op, RowKind,
};
use crate::net::program::storage::{Bf16Rules, StorageRules};
use crate::net::program::{NetworkPart, Program};
use crate::net::spec::layers::{Activation, RmsNorm};

/// Maximum total size of the Winograd weights in bytes.
///
/// The Winograd form has four times as many weights as the original 3x3 kernels. To save memory, networks above the
/// limit use only direct convolution.
const MAX_WINOGRAD_BYTES: usize = 128 << 20;

/// Number format of the layers that are applied to each point.
#[derive(Clone, Copy, Debug)]
pub enum NumberFormat<'a> {
    F32,
    Bf16,
    /// 16-bit integers for Winograd convolutions, for sufficiently wide linear layers and for attention; 32-bit floats
    /// for all other layers.
    I16(&'a CalibrationRanges),
}

impl NumberFormat<'_> {
    /// Returns the rules by which an executor for vectors with `lanes` lanes stores activations.
    pub fn storage_rules(self, lanes: usize) -> StorageRules {
        StorageRules {
            channel_multiple: lanes,
            bf16: matches!(self, NumberFormat::Bf16).then_some(Bf16Rules {
                input_multiple: STEP_INPUTS,
                value_multiple: TILE_SIDE,
            }),
        }
    }
}

/// A program packed for an instruction set and a number format.
#[derive(Debug)]
pub struct PackedProgram {
    /// All steps in execution order.
    steps: Vec<Step>,
    /// Number of steps up to the end of each part: feature extractor, policy head, value head.
    part_ends: [usize; 3],
    pub buffers: Vec<BufferShape>,
    /// Number of convolutions whose kernel size Winograd's algorithm supports. The algorithm is used only on
    /// sufficiently large boards.
    pub winograd_convs: usize,
    pub planes: BufferId,
    pub globals: Option<BufferId>,
    pub profile: Option<BufferId>,
    pub features: BufferId,
    pub outputs: [HeadOutputs; 2],
    /// Border around each board in the buffer of the input planes, in points.
    pub input_border: usize,
    /// Border around each board in all other buffers, in points.
    pub border: usize,
}

impl PackedProgram {
    /// Packs a program for vectors with `lanes` lanes.
    pub fn new(program: Program, lanes: usize, numbers: NumberFormat<'_>) -> Self {
        let bytes = match numbers {
            NumberFormat::F32 | NumberFormat::Bf16 => size_of::<f32>(),
            NumberFormat::I16(_) => size_of::<i16>(),
        };
        let weights: usize = program.ops.iter().map(winograd_weight_count).sum();
        let mut packer = Packer {
            lanes,
            winograd: bytes * weights <= MAX_WINOGRAD_BYTES,
            ranges: match numbers {
                NumberFormat::I16(ranges) => Some(ranges),
                NumberFormat::F32 | NumberFormat::Bf16 => None,
            },
            winograd_convs: 0,
            steps: Vec::new(),
            buffers: program.buffers,
            gate: None,
        };
        let mut part_ends = program.part_ends;
        let mut ops = program.ops.into_iter();
        let mut packed = 0;
        for end in &mut part_ends {
            ops.by_ref()
                .take(*end - packed)
                .for_each(|op| packer.pack(op));
            packed = *end;
            *end = packer.steps.len();
        }
        // Only bfloat16 kernels use another layout for the input planes.
        let border = program
            .max_input_kernel_radius
            .max(program.max_kernel_radius);
        let (input_border, border) = match numbers {
            NumberFormat::Bf16 => (program.max_input_kernel_radius, program.max_kernel_radius),
            NumberFormat::F32 | NumberFormat::I16(_) => (border, border),
        };
        Self {
            steps: packer.steps,
            part_ends,
            buffers: packer.buffers,
            winograd_convs: packer.winograd_convs,
            planes: program.planes,
            globals: program.globals,
            profile: program.profile,
            features: program.features,
            outputs: program.outputs,
            input_border,
            border,
        }
    }

    /// Returns all steps in execution order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the number of elements per row of a buffer, padding included.
    pub fn stride(&self, buffer: BufferId) -> usize {
        self.buffers[buffer].stride
    }

    /// Returns the steps of one part, in execution order.
    pub fn part_steps(&self, part: NetworkPart) -> &[Step] {
        &self.steps[part.range(self.part_ends)]
    }
}

/// Returns true if an executor for 16-bit integers uses Winograd convolutions for this program, and therefore needs the
/// ranges of their inputs.
pub fn needs_ranges(program: &Program) -> bool {
    let weights: usize = program.ops.iter().map(winograd_weight_count).sum();
    weights > 0 && size_of::<i16>() * weights <= MAX_WINOGRAD_BYTES
}

/// Returns the number of weights that an operation has in Winograd form, or 0 if Winograd's algorithm does not support
/// the operation.
fn winograd_weight_count(op: &Op) -> usize {
    match op {
        Op::Layer(op) if winograd::output_tile_side(op.layer.kernel).is_some() => {
            winograd::NUM_FREQUENCIES * op.layer.inputs * op.layer.outputs
        }
        _ => 0,
    }
}

struct Packer<'a> {
    lanes: usize,
    /// True if convolutions are also packed in Winograd form where the algorithm supports their kernel size.
    winograd: bool,
    /// Input ranges for 16-bit integers, or `None` if the executor uses another number format.
    ranges: Option<&'a CalibrationRanges>,
    /// Number of convolutions packed so far whose kernel size Winograd's algorithm supports.
    winograd_convs: usize,
    steps: Vec<Step>,
    buffers: Vec<BufferShape>,
    /// Buffer for the gates of gated layers that run in floats. `None` until such a layer is packed.
    gate: Option<BufferId>,
}

impl Packer<'_> {
    fn pack(&mut self, op: Op) {
        match op {
            Op::Layer(op) if self.is_bf16(op.from) => self.bf16_layer(&op, false),
            Op::Layer(op) => self.layer(&op),
            Op::Gated(op) if self.is_bf16(op.from) => self.bf16_gated(&op),
            Op::Gated(op) => self.gated(*op),
            Op::Attention(op) => self.steps.push(Step::Attention(op)),
            Op::Copy { from, copy } => {
                let norm = channel_norm(&copy, self.buffers[from].stride, self.lanes);
                self.steps.push(Step::Norm(from, copy.to, norm));
            }
            Op::RmsNorm { from, to, norm } => {
                let weights = self.rms_weights(norm);
                self.steps.push(Step::RmsNorm(from, to, weights));
            }
            Op::Activate(buffer, activation) => {
                self.steps.push(Step::Activate(buffer, activation));
            }
            Op::Pool {
                from,
                to,
                channels,
                pooling,
            } => self.steps.push(Step::Pool(from, to, channels, pooling)),
            Op::Flatten { from, to, channels } => {
                self.steps.push(Step::Flatten(from, to, channels));
            }
        }
    }

    fn is_bf16(&self, buffer: BufferId) -> bool {
        self.buffers[buffer].format == BufferFormat::Bf16
    }

    fn layer(&mut self, op: &LayerOp) {
        let to = op.to.expect("layers in floats store their result");
        let per_point = self.buffers[op.from].rows == RowKind::Point;
        let step = LayerStep {
            winograd: self.winograd_form(&op.layer),
            direct: self.direct_weights(&op.layer, per_point),
            kernel: op.layer.kernel,
            inputs: op.layer.inputs,
            outputs: op.layer.outputs,
            epilogue: epilogue(op, self.lanes),
            from: op.from,
            to,
            per_board: op.per_board,
            input_id: op.input_id,
        };
        self.steps.push(Step::Layer(Box::new(step)));
        self.activate_rest(to, op.activation);
        if let Some(copy) = &op.copy {
            self.activate_rest(copy.to, copy.activation);
        }
    }

    /// Adds a step for the part of the activation that the epilogue's `max(x, floor)` does not cover.
    fn activate_rest(&mut self, buffer: BufferId, activation: Activation) {
        if !activation.is_clamp() {
            self.steps.push(Step::Activate(buffer, activation));
        }
    }

    fn direct_weights(&self, layer: &Layer, per_point: bool) -> DirectWeights {
        let Layer {
            kernel,
            inputs,
            outputs,
            ref weights,
            ..
        } = *layer;
        match kernel == (1, 1) && per_point && self.uses_i16(inputs, outputs) {
            true => {
                let weights = QuantizedWeights::new(self.lanes, weights, inputs, outputs, 1);
                DirectWeights::I16(Box::new(weights))
            }
            false => DirectWeights::F32(PackedMatrices::pack_f32(self.lanes, weights, 1, outputs)),
        }
    }

    /// Returns true if linear layers of this size run in 16-bit integers.
    const fn uses_i16(&self, inputs: usize, outputs: usize) -> bool {
        self.ranges.is_some() && is_i16_linear_faster(inputs, outputs)
    }

    /// Packs the weights of a convolution in Winograd form. Returns `None` if the algorithm does not support the kernel
    /// size or if Winograd weights are disabled.
    ///
    /// Convolutions with a supported kernel size are numbered even if Winograd weights are disabled, because the input
    /// ranges are indexed by this number.
    fn winograd_form(&mut self, layer: &Layer) -> Option<TransformedWeights> {
        winograd::output_tile_side(layer.kernel)?;
        let index = self.winograd_convs;
        self.winograd_convs += 1;
        if !self.winograd {
            return None;
        }
        let weights = winograd::transform_weights(&layer.weights, layer.kernel.0);
        let (lanes, outputs) = (self.lanes, layer.outputs);
        Some(match self.ranges {
            None => {
                let weights = WinogradWeights::pack_f32(lanes, &weights, outputs);
                TransformedWeights::F32(Box::new(weights))
            }
            Some(ranges) => {
                let weights = WinogradWeights::quantize_and_pack(
                    lanes,
                    &weights,
                    outputs,
                    ranges.of_convolution(index),
                );
                TransformedWeights::I16(Box::new(weights))
            }
        })
    }

    /// Packs a gated layer, either in 16-bit integers, or in floats as two layers and a product.
    fn gated(&mut self, op: GatedOp) {
        let GatedOp {
            wide,
            gate,
            from,
            to,
        } = op;
        let (inputs, outputs) = (wide.inputs, wide.outputs);
        if self.uses_i16(inputs, outputs) {
            let weights = [&*wide.weights, &*gate.weights].concat();
            let weights = QuantizedGatedWeights {
                weights: QuantizedWeights::new(self.lanes, &weights, inputs, outputs, 2),
                bias: [wide, gate].map(|layer| pad_to_multiple(&layer.bias, self.lanes)),
            };
            return self.steps.push(Step::Gated(from, to, Box::new(weights)));
        }
        let gates = self.gate_buffer(to);
        for (layer, to, activation) in [
            (wide, to, Activation::Silu),
            (gate, gates, Activation::Identity),
        ] {
            self.layer(&LayerOp {
                to: Some(to),
                activation,
                ..LayerOp::new(layer, from)
            });
        }
        self.steps.push(Step::Multiply(to, gates));
    }

    /// Returns a buffer for gates that has the same shape as `like`.
    fn gate_buffer(&mut self, like: BufferId) -> BufferId {
        let shape = self.buffers[like];
        match self.gate {
            Some(gate) if self.buffers[gate] == shape => gate,
            _ => {
                self.buffers.push(shape);
                *self.gate.insert(self.buffers.len() - 1)
            }
        }
    }

    fn rms_weights(&self, norm: RmsNorm) -> RmsWeights {
        let mut shift = norm.shift.clone();
        shift.resize(norm.channels, 0.0);
        RmsWeights {
            weight: pad_to_multiple(&norm.weight, self.lanes),
            shift: pad_to_multiple(&shift, self.lanes),
            norm,
        }
    }

    fn bf16_gated(&mut self, op: &GatedOp) {
        let layer = op.wide.interleave_outputs(&op.gate, TILE_SIDE);
        let op = LayerOp {
            activation: Activation::Silu,
            copy: Some(CopyOp::unchanged(op.to)),
            ..LayerOp::new(layer, op.from)
        };
        self.bf16_layer(&op, true);
    }

    fn bf16_layer(&mut self, op: &LayerOp, gated: bool) {
        let step = Bf16LayerStep {
            weights: Bf16Weights::new(&op.layer.weights, op.layer.kernel, op.layer.outputs),
            epilogue: epilogue(op, TILE_SIDE),
            gated,
            from: op.from,
            to: op.to,
            per_board: op.per_board,
        };
        self.steps.push(Step::Bf16Layer(Box::new(step)));
    }
}

/// Pads per-channel values with zeros to a multiple of `multiple`.
fn pad_to_multiple(values: &[f32], multiple: usize) -> AlignedBuffer {
    AlignedBuffer::zero_padded(values, values.len().next_multiple_of(multiple))
}

/// Packs the epilogue of a layer. Each array with one value per channel is padded with zeros to a length that is a
/// multiple of `multiple`.
fn epilogue(op: &LayerOp, multiple: usize) -> Epilogue {
    Epilogue {
        bias: pad_to_multiple(&op.layer.bias, multiple),
        accumulate: op.accumulate,
        activation: op.activation,
        copy: op.copy.as_ref().map(|copy| NormedCopy {
            to: copy.to,
            norm: channel_norm(copy, op.layer.outputs, multiple),
        }),
    }
}

/// Packs the norm and the activation of a copy of `channels` channels. Each array is padded with zeros to a length
/// that is a multiple of `multiple`. A copy without a norm has the scale 1 and the shift 0.
fn channel_norm(copy: &CopyOp, channels: usize, multiple: usize) -> ChannelNorm {
    let (scale, shift) = match &copy.norm {
        Some(norm) => (
            pad_to_multiple(&norm.scale, multiple),
            pad_to_multiple(&norm.shift, multiple),
        ),
        None => (
            pad_to_multiple(&vec![1.0; channels], multiple),
            pad_to_multiple(&vec![0.0; channels], multiple),
        ),
    };
    ChannelNorm {
        scale,
        shift,
        activation: copy.activation,
    }
}
