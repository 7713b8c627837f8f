//! Builder for the list of steps and buffers of a plan.

use super::layer::Layer;
use crate::net::desc::layers::{self, Activation, Affine, Pooling};
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::buffers::{Buffer, Form, Per, Shape};
use crate::net::kernels::finish::{Copied, Finish, Scale};
use crate::net::kernels::pairs;
use crate::net::kernels::pairs::winograd::Sheets;
use crate::net::kernels::product::Panels;
use crate::net::kernels::ranges::Ranges;
use crate::net::kernels::steps::{Conv, Plain, Pointwise, Rms, Step, Transformed, rest};
use crate::net::kernels::winograd;

/// Number type used by the layers that are applied to each point.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    Full,
    /// Bfloat16 tiles.
    Tiles,
    /// 16-bit integers for Winograd convolutions, for sufficiently wide 1x1 layers and for attention; 32-bit floats
    /// for all other layers.
    Pairs(&'a Ranges),
}

/// Destination of a layer's result, and the operations applied before it is stored.
#[derive(Clone, Copy)]
pub struct Into {
    /// Buffer to which the result is added in place. If `None`, the result is stored in a new buffer.
    pub sum: Option<Buffer>,
    /// Buffer with one row per board, added to all points of the board.
    pub added: Option<Buffer>,
    /// Applied after the additions.
    pub activation: Activation,
}

impl Into {
    /// Stores the result in a new buffer, without additions or activation.
    pub const PLAIN: Self = Self {
        sum: None,
        added: None,
        activation: Activation::Identity,
    };
}

/// Steps and buffers compiled so far.
pub struct Compiler {
    /// Number of `f32` lanes in a SIMD vector.
    pub lanes: usize,
    /// True if layers of points run in bfloat16 tiles.
    pub tiles: bool,
    /// True if convolutions with a Winograd scheme are also packed in Winograd form.
    transforms: bool,
    /// Input ranges for 16-bit integers. `None` if the plan uses no integers.
    ranges: Option<Ranges>,
    /// Number of convolutions so far that have a Winograd scheme.
    pub convolutions: usize,
    /// Steps in execution order.
    pub steps: Vec<Step>,
    /// Buffer shapes, indexed by buffer.
    pub shapes: Vec<Shape>,
    /// Buffers available for reuse.
    idle: Vec<Buffer>,
    /// Largest kernel radius so far, in points.
    pub border: usize,
}

impl Compiler {
    /// Creates an empty compiler for SIMD vectors with `lanes` lanes.
    pub fn new(lanes: usize, transforms: bool, numbers: Numbers<'_>) -> Self {
        Self {
            lanes,
            tiles: matches!(numbers, Numbers::Tiles),
            transforms,
            ranges: match numbers {
                Numbers::Pairs(ranges) => Some(ranges.clone()),
                Numbers::Full | Numbers::Tiles => None,
            },
            convolutions: 0,
            steps: Vec::new(),
            shapes: Vec::new(),
            idle: Vec::new(),
            border: 0,
        }
    }

    /// Returns a free or new 32-bit buffer with `channels` channels.
    pub fn claim(&mut self, per: Per, channels: usize) -> Buffer {
        self.claim_but(per, channels, None)
    }

    /// Same as [`claim`](Self::claim), but never returns `but`, which a step still reads.
    fn claim_but(&mut self, per: Per, channels: usize, but: Option<Buffer>) -> Buffer {
        let shape = Shape {
            per,
            form: Form::Full,
            stride: channels.next_multiple_of(self.lanes),
        };
        self.claim_shape(shape, but)
    }

    /// Returns a free or new buffer with the given shape, other than `but`.
    pub fn claim_shape(&mut self, shape: Shape, but: Option<Buffer>) -> Buffer {
        let fits = |buffer: &Buffer| self.shapes[*buffer] == shape && Some(*buffer) != but;
        match self.idle.iter().position(fits) {
            Some(index) => self.idle.swap_remove(index),
            None => {
                self.shapes.push(shape);
                self.shapes.len() - 1
            }
        }
    }

    /// Marks a buffer as available for reuse.
    pub fn free(&mut self, buffer: Buffer) {
        self.idle.push(buffer);
    }

    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Adds a layer and returns a new buffer with its result.
    pub fn map(&mut self, layer: &Layer, from: Buffer, activation: Activation) -> Buffer {
        let into = Into {
            activation,
            ..Into::PLAIN
        };
        self.conv(layer, from, into)
    }

    /// Adds a layer that is read only by other layers. In tiles, the result is stored only in bfloat16.
    pub fn inner(&mut self, layer: &Layer, from: Buffer, activation: Activation) -> Buffer {
        let into = Into {
            activation,
            ..Into::PLAIN
        };
        self.inner_into(layer, from, into)
    }

    fn inner_into(&mut self, layer: &Layer, from: Buffer, into: Into) -> Buffer {
        if self.tiles {
            self.tile_layer(layer, from, into, Form::Half)
        } else {
            self.conv(layer, from, into)
        }
    }

    /// Adds a layer and returns the buffer with its result.
    pub fn conv(&mut self, layer: &Layer, from: Buffer, into: Into) -> Buffer {
        if self.tiles && self.shapes[from].per == Per::Point {
            return self.tile_layer(layer, from, into, Form::Full);
        }
        let (height, width) = layer.kernel;
        self.border = self.border.max(height / 2).max(width / 2);
        let to = match into.sum {
            Some(sum) => sum,
            None => self.claim(self.shapes[from].per, layer.outputs),
        };
        let transformed = self.transformed(layer);
        let conv = Conv {
            plain: self.untransformed(layer, self.shapes[from].per),
            transformed,
            kernel: layer.kernel,
            inputs: layer.inputs,
            outputs: layer.outputs,
            finish: Finish {
                bias: self.filled(&layer.bias),
                accumulate: into.sum.is_some(),
                floor: into.activation.floor(),
                copy: None,
            },
            from,
            to,
            added: into.added,
            input: self.steps.len(),
        };
        self.push(Step::Conv(Box::new(conv)));
        self.finish(to, into.activation);
        to
    }

    /// Returns true if the plan uses 16-bit integers where they are faster.
    pub const fn has_pairs(&self) -> bool {
        self.ranges.is_some()
    }

    /// Returns true if 1x1 layers of this size run in 16-bit integers.
    pub const fn pairs_pay(&self, inputs: usize, outputs: usize) -> bool {
        self.has_pairs() && pairs::rows::pays(inputs, outputs)
    }

    /// Packs weights (`[sheets, inputs, outputs]`) in 16-bit integers. All `sheets` matrices multiply the same rows.
    pub fn paired(
        &self,
        weights: &[f32],
        inputs: usize,
        outputs: usize,
        sheets: usize,
    ) -> pairs::panels::Panels {
        let largest = pairs::panels::largest_input(inputs);
        pairs::panels::Panels::new(self.lanes, weights, outputs, &vec![1.0; sheets], largest)
    }

    /// Packs the weights of a layer for the direct product.
    fn untransformed(&self, layer: &Layer, per: Per) -> Plain {
        let &Layer {
            kernel: (height, width),
            inputs,
            outputs,
            ref weights,
            ..
        } = layer;
        let many = per == Per::Point && self.pairs_pay(inputs, outputs);
        if (height, width) == (1, 1) && many {
            Plain::Pairs(Box::new(self.paired(weights, inputs, outputs, 1)))
        } else {
            let taps = height * width;
            Plain::Full(Panels::new(self.lanes, weights, 1, taps, outputs))
        }
    }

    /// Packs the weights of a convolution for its Winograd scheme.
    ///
    /// Returns `None` if the kernel has no such scheme or if Winograd weights are disabled. Convolutions with a
    /// scheme are numbered in either case, because the input ranges are stored by this number.
    fn transformed(&mut self, layer: &Layer) -> Option<Transformed> {
        winograd::tile(layer.kernel)?;
        let convolution = self.convolutions;
        self.convolutions += 1;
        if !self.transforms {
            return None;
        }
        let weights = winograd::transformed(&layer.weights, layer.kernel.0);
        let (lanes, outputs) = (self.lanes, layer.outputs);
        Some(match &self.ranges {
            None => {
                let sheets = winograd::FREQUENCIES;
                Transformed::Full(Panels::new(lanes, &weights, sheets, 1, outputs))
            }
            Some(ranges) => {
                let ranges = ranges.of(convolution);
                Transformed::Pairs(Box::new(Sheets::new(lanes, &weights, outputs, ranges)))
            }
        })
    }

    /// Adds a step for the part of the activation that the epilogue's `max(x, floor)` does not cover.
    fn finish(&mut self, buffer: Buffer, activation: Activation) {
        if let Some(rest) = rest(activation) {
            self.push(Step::Pointwise(Pointwise::Activate(buffer, rest)));
        }
    }

    /// Pads per-channel values with zeros to whole vectors.
    pub fn filled(&self, numbers: &[f32]) -> Aligned {
        Aligned::filled(numbers, numbers.len().next_multiple_of(self.lanes))
    }

    /// Adds a norm and an activation of `x` as a separate step. Returns a new buffer with the result.
    pub fn apart(&mut self, x: Buffer, norm: &Affine, activation: Activation) -> Buffer {
        let scale = Scale {
            scale: self.filled(&norm.scale),
            shift: self.filled(&norm.shift),
            floor: activation.floor(),
        };
        let to = self.claim(Per::Point, norm.channels);
        self.push(Step::Pointwise(Pointwise::Norm(x, to, scale)));
        self.finish(to, activation);
        to
    }

    /// Adds a norm and an activation of `x` as input for other layers. Returns a new buffer with the result.
    ///
    /// If the last step is a convolution with output `x`, its epilogue also stores the normalised copy.
    pub fn normed(&mut self, x: Buffer, norm: &Affine, activation: Activation) -> Buffer {
        if self.tiles {
            return self.halved(x, Some(norm), activation);
        }
        let scale = Scale {
            scale: self.filled(&norm.scale),
            shift: self.filled(&norm.shift),
            floor: activation.floor(),
        };
        let beside = |step: Option<&Step>| match step {
            Some(Step::Conv(conv)) if conv.to == x && conv.finish.copy.is_none() => Some(conv.from),
            _ => None,
        };
        let but = beside(self.steps.last());
        let to = self.claim_but(Per::Point, norm.channels, but);
        match self.steps.last_mut() {
            Some(Step::Conv(conv)) if but.is_some() => {
                conv.finish.copy = Some(Copied { to, norm: scale });
            }
            _ => self.push(Step::Pointwise(Pointwise::Norm(x, to, scale))),
        }
        self.finish(to, activation);
        to
    }

    /// Adds an RMS norm of `x`. Returns a new buffer with the result.
    pub fn rms(&mut self, x: Buffer, norm: &layers::RmsNorm) -> Buffer {
        let to = self.claim(Per::Point, norm.channels);
        let rms = self.filled_rms(norm);
        self.push(Step::Pointwise(Pointwise::Rms(x, to, rms)));
        to
    }

    /// Adds an RMS norm of `x` as input for other layers. In tiles, the result is stored in bfloat16.
    pub fn rms_read(&mut self, x: Buffer, norm: &layers::RmsNorm) -> Buffer {
        if self.tiles {
            self.halved_rms(x, norm)
        } else {
            self.rms(x, norm)
        }
    }

    /// Pads the weight and the shift of an RMS norm with zeros to whole vectors.
    pub fn filled_rms(&self, norm: &layers::RmsNorm) -> Rms {
        let mut shift = norm.shift.clone();
        shift.resize(norm.channels, 0.0);
        Rms {
            weight: self.filled(&norm.weight),
            shift: self.filled(&shift),
            norm: norm.clone(),
        }
    }

    /// Adds a layer with the same input as an earlier convolution, so that both can share one transformed input.
    pub fn shared(
        &mut self,
        layer: &Layer,
        from: Buffer,
        added: Buffer,
        activation: Activation,
    ) -> Buffer {
        let into = Into {
            sum: None,
            added: Some(added),
            activation,
        };
        let before = self.steps.iter().rev().find_map(|step| match step {
            Step::Conv(conv) if conv.from == from => Some(conv.input),
            _ => None,
        });
        let at = self.steps.len();
        let to = self.inner_into(layer, from, into);
        if let (Some(Step::Conv(conv)), Some(before)) = (self.steps.get_mut(at), before) {
            conv.input = before;
        }
        to
    }

    /// Adds global pooling. Returns a new buffer with one row per board.
    pub fn pool(&mut self, from: Buffer, channels: usize, pooling: Pooling) -> Buffer {
        let to = self.claim(Per::Board, 3 * channels);
        self.push(Step::Pool {
            from,
            to,
            channels,
            pooling,
        });
        to
    }
}

/// Returns the index of a layer's table: that of an earlier layer with an identical table, or the next unused index.
///
/// `earlier` contains the table index of each earlier layer, and true if its table is identical.
pub fn table(earlier: impl Iterator<Item = (usize, bool)>) -> usize {
    let mut next = 0;
    for (number, is_same) in earlier {
        if is_same {
            return number;
        }
        next = next.max(number + 1);
    }
    next
}
