//! Layers in tiles: which results are kept as 32-bit floats, which as 16-bit floats, and which as both.

use super::compiler::{Compiler, Into};
use super::layer::Layer;
use crate::net::desc::layers::{Activation, Affine};
use crate::net::kernels::aligned::Aligned;
use crate::net::kernels::steps::{Buffer, Form, Half, Per, Shape, Step, TileLayer};
use crate::net::kernels::tiles::panels::Panels;
use crate::net::kernels::tiles::unit::{DEPTH, SIDE};

impl Compiler {
    /// A buffer of halves for so many channels of points.
    pub fn claim_half(&mut self, channels: usize, but: Option<Buffer>) -> Buffer {
        let shape = Shape {
            per: Per::Point,
            form: Form::Half,
            stride: channels.next_multiple_of(DEPTH),
        };
        self.claim_shape(shape, but)
    }

    /// A layer of points whose results are kept in this form.
    pub fn tile_layer(&mut self, layer: &Layer, from: Buffer, into: Into, form: Form) -> Buffer {
        let (height, width) = layer.kernel;
        self.border = self.border.max(height / 2).max(width / 2);
        let from = self.readable(from);
        let (to, half, result) = match (into.sum, form) {
            (None, Form::Half) => {
                let to = self.claim_half(layer.outputs, None);
                (None, Some(Half::plain(to)), to)
            }
            (sum, _) => {
                let to = sum.unwrap_or_else(|| self.claim(Per::Point, layer.outputs));
                (Some(to), None, to)
            }
        };
        self.push(Step::Tiles(Box::new(TileLayer {
            panels: Panels::new(&layer.weights, layer.kernel, layer.outputs),
            bias: Aligned::filled(&layer.bias, layer.outputs.next_multiple_of(SIDE)),
            added: into.added,
            accumulate: into.sum.is_some(),
            activation: into.activation,
            from,
            to,
            half,
        })));
        result
    }

    /// A buffer that layers of points can read with the numbers of this one.
    pub fn readable(&mut self, buffer: Buffer) -> Buffer {
        let shape = self.shapes[buffer];
        if self.tiles && shape.per == Per::Point && shape.form == Form::Full {
            self.halved(buffer, None, Activation::Identity)
        } else {
            buffer
        }
    }

    /// The numbers of `x`, normed if there is a norm, in a new buffer of halves; written together with `x` where possible.
    pub fn halved(&mut self, x: Buffer, norm: Option<&Affine>, activation: Activation) -> Buffer {
        let beside = match self.steps.last() {
            Some(Step::Tiles(layer)) if layer.to == Some(x) && layer.half.is_none() => {
                Some(layer.from)
            }
            _ => None,
        };
        let channels = self.shapes[x].stride;
        let to = self.claim_half(norm.map_or(channels, |norm| norm.channels), beside);
        let numbers =
            |numbers: &[f32]| Aligned::filled(numbers, numbers.len().next_multiple_of(SIDE));
        let half = Half {
            to,
            norm: norm.map(|norm| (numbers(&norm.scale), numbers(&norm.shift))),
            activation,
        };
        match self.steps.last_mut() {
            Some(Step::Tiles(layer)) if beside.is_some() => layer.half = Some(half),
            _ => self.push(Step::Halve(x, half)),
        }
        to
    }
}
