//! Execution of convolutions and fully connected layers, by a Winograd scheme or the direct product.

use std::mem::take;

use super::super::aligned::Aligned;
use super::super::boards::Boards;
use super::super::conv::Direct;
use super::super::finish::Target;
use super::super::pairs::rows::Map;
use super::super::pairs::winograd::Convolution;
use super::super::scratch::scheme;
use super::super::steps::{Conv, Plain, Transformed};
use super::super::tiling::{Source, Tiling};
use super::super::winograd::{Transform, Winograd};
use super::{Plan, Scratch};

impl Plan {
    /// Runs a convolution or a fully connected layer.
    pub(super) fn conv(&self, conv: &Conv, count: usize, scratch: &mut Scratch) {
        let copied = conv.finish.copy.as_ref().map(|copy| copy.to);
        let mut to = take(&mut scratch.buffers[conv.to]);
        let mut copy = match copied {
            Some(buffer) => take(&mut scratch.buffers[buffer]),
            None => take(&mut scratch.none),
        };
        let (boards, buffers) = (&scratch.boards, &scratch.buffers);
        let source = |tile| self.source(conv, tile, count, boards, buffers);
        let rows = || self.rows(conv.from, boards, count);
        let (from, stride) = (&buffers[conv.from], self.stride(conv.from));
        let target = Target {
            finish: &conv.finish,
            to: &mut to,
            added: conv.added.map(|buffer| &buffers[buffer]),
            copy: &mut copy,
        };
        match (scheme(conv, boards), &conv.plain) {
            (Some((Transformed::Pairs(sheets), tile)), _) => self.run_pairs(Convolution {
                source: source(tile),
                input: conv.input,
                sheets,
                room: &mut scratch.pairs,
                target,
            }),
            (Some((Transformed::Full(panels), tile)), _) => {
                let source = source(tile);
                let inputs = &mut scratch.transformed;
                self.transform(source, conv.input, (inputs, &mut scratch.transformed_of));
                self.vocabulary.run(Winograd {
                    tiling: source.tiling,
                    panels,
                    inputs,
                    stride,
                    products: &mut scratch.products,
                    target,
                });
            }
            (None, Plain::Full(panels)) => self.vocabulary.run(Direct {
                panels,
                kernel: conv.kernel,
                line: boards.line,
                rows: rows(),
                from,
                stride,
                target,
            }),
            (None, Plain::Pairs(panels)) => self.run_pairs(Map {
                panels,
                rows: rows(),
                from: (from, stride),
                room: &mut scratch.rows,
                target,
            }),
        }
        scratch.buffers[conv.to] = to;
        match copied {
            Some(buffer) => scratch.buffers[buffer] = copy,
            None => scratch.none = copy,
        }
    }

    /// Transforms the input of a convolution, unless `held` shows that `to` already contains it.
    ///
    /// `held` is the input ID and the tile size of the transformed input in `to`.
    fn transform(
        &self,
        source: Source<'_>,
        input: usize,
        (to, held): (&mut Aligned, &mut Option<(usize, usize)>),
    ) {
        let wanted = Some((input, source.tiling.side));
        if *held != wanted {
            self.vocabulary.run(Transform { source, to });
            *held = wanted;
        }
    }

    /// Returns the input of a convolution, divided into tiles of `tile` rows and columns.
    pub(super) fn source<'a>(
        &self,
        conv: &Conv,
        tile: usize,
        count: usize,
        boards: &'a Boards,
        buffers: &'a [Aligned],
    ) -> Source<'a> {
        Source {
            tiling: Tiling {
                boards,
                count,
                side: tile,
            },
            reach: conv.kernel.0 / 2,
            from: &buffers[conv.from],
            stride: self.stride(conv.from),
        }
    }
}
