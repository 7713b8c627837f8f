//! Steps and buffers as they are added one by one.

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

/// What layers of points multiply.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// 32-bit floats.
    Full,
    /// Tiles of 16-bit floats.
    Tiles,
    /// 32-bit floats, but pairs of 16-bit integers where Winograd's scheme serves, in maps of points that are wide enough
    /// and in attention.
    Pairs(&'a Ranges),
}

/// What is done with a layer's results.
#[derive(Clone, Copy)]
pub struct Into {
    /// What they are added to, which also takes the sum; a new buffer takes them if there is none.
    pub sum: Option<Buffer>,
    /// Of the boards; added on all their points.
    pub added: Option<Buffer>,
    /// After the sum.
    pub activation: Activation,
}

impl Into {
    /// Nothing more.
    pub const PLAIN: Self = Self {
        sum: None,
        added: None,
        activation: Activation::Identity,
    };
}

/// The steps and buffers so far.
pub struct Compiler {
    /// Numbers of a vector.
    pub lanes: usize,
    /// Whether layers of points run in tiles.
    pub tiles: bool,
    /// Whether convolutions that Winograd's scheme serves get its weights too.
    transforms: bool,
    /// If layers of points run in pairs of integers.
    ranges: Option<Ranges>,
    /// Convolutions so far that Winograd's scheme serves.
    pub convolutions: usize,
    /// In the order in which they run.
    pub steps: Vec<Step>,
    /// Of the buffers, by number.
    pub shapes: Vec<Shape>,
    /// Buffers whose numbers nobody needs any more.
    idle: Vec<Buffer>,
    /// How far kernels reach beyond a point.
    pub border: usize,
}

impl Compiler {
    /// Nothing yet, for vectors of so many lanes.
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

    /// A buffer for so many channels.
    pub fn claim(&mut self, per: Per, channels: usize) -> Buffer {
        self.claim_but(per, channels, None)
    }

    /// The same, but not `but`, which a step still reads.
    fn claim_but(&mut self, per: Per, channels: usize, but: Option<Buffer>) -> Buffer {
        let shape = Shape {
            per,
            form: Form::Full,
            stride: channels.next_multiple_of(self.lanes),
        };
        self.claim_shape(shape, but)
    }

    /// A buffer of this shape, but not `but`.
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

    /// Gives a buffer back.
    pub fn free(&mut self, buffer: Buffer) {
        self.idle.push(buffer);
    }

    /// Adds a step.
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// A layer whose results go to a new buffer.
    pub fn map(&mut self, layer: &Layer, from: Buffer, activation: Activation) -> Buffer {
        let into = Into {
            activation,
            ..Into::PLAIN
        };
        self.conv(layer, from, into)
    }

    /// A layer whose results only go into other layers.
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

    /// A layer.
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

    /// Whether layers run in pairs of integers where that pays.
    pub const fn has_pairs(&self) -> bool {
        self.ranges.is_some()
    }

    /// Whether maps of points of so many channels run in pairs of integers.
    pub const fn pairs_pay(&self, inputs: usize, outputs: usize) -> bool {
        self.has_pairs() && pairs::rows::pays(inputs, outputs)
    }

    /// Maps of the same rows (`[sheets, inputs, outputs]`) in pairs of integers.
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

    /// The weights of a layer for the direct product.
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

    /// The weights of a layer that Winograd's scheme serves.
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

    /// What a floor does not do of an activation.
    fn finish(&mut self, buffer: Buffer, activation: Activation) {
        if let Some(rest) = rest(activation) {
            self.push(Step::Pointwise(Pointwise::Activate(buffer, rest)));
        }
    }

    /// Numbers of channels, filled up with zeros.
    pub fn filled(&self, numbers: &[f32]) -> Aligned {
        Aligned::filled(numbers, numbers.len().next_multiple_of(self.lanes))
    }

    /// A norm and an activation of `x` in a new buffer.
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

    /// A norm and an activation of `x` for other layers to read; written together with `x` where possible.
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

    /// A norm of `x` by the size of its numbers, in a new buffer.
    pub fn rms(&mut self, x: Buffer, norm: &layers::RmsNorm) -> Buffer {
        let to = self.claim(Per::Point, norm.channels);
        let rms = self.filled_rms(norm);
        self.push(Step::Pointwise(Pointwise::Rms(x, to, rms)));
        to
    }

    /// The same for other layers to read.
    pub fn rms_read(&mut self, x: Buffer, norm: &layers::RmsNorm) -> Buffer {
        if self.tiles {
            self.halved_rms(x, norm)
        } else {
            self.rms(x, norm)
        }
    }

    /// A norm whose numbers are filled up with zeros.
    pub fn filled_rms(&self, norm: &layers::RmsNorm) -> Rms {
        let mut shift = norm.shift.clone();
        shift.resize(norm.channels, 0.0);
        Rms {
            weight: self.filled(&norm.weight),
            shift: self.filled(&shift),
            norm: norm.clone(),
        }
    }

    /// A layer that reads what the convolution before it has read, whose transformed input it can use.
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

    /// Pooled features of the boards.
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

/// The number of a layer's table, where earlier layers have tables of these numbers, the same as its own or not.
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
