//! Convolutions and maps of rows, each by the scheme that its weights and the boards are for.

use std::mem::take;

use super::super::conv::Direct;
use super::super::pairs::rows::Map;
use super::super::pairs::winograd::Convolution;
use super::super::scratch::scheme;
use super::super::steps::{Conv, Plain, Transformed};
use super::super::winograd::{Transform, Winograd};
use super::{Plan, Scratch};

impl Plan {
    /// Runs a convolution or a map of rows.
    pub(super) fn conv(&self, conv: &Conv, count: usize, scratch: &mut Scratch) {
        let copied = conv.finish.copy.as_ref().map(|copy| copy.to);
        let mut to = take(&mut scratch.buffers[conv.to]);
        let mut copy = match copied {
            Some(buffer) => take(&mut scratch.buffers[buffer]),
            None => take(&mut scratch.none),
        };
        let boards = &scratch.boards;
        let from = &scratch.buffers[conv.from];
        let added = conv.added.map(|buffer| &scratch.buffers[buffer]);
        let stride = self.stride(conv.from);
        match scheme(conv, boards) {
            Some((Transformed::Pairs(sheets), tile)) => self.run_pairs(Convolution {
                boards,
                count,
                tile,
                reach: conv.kernel.0 / 2,
                sheets,
                finish: &conv.finish,
                input: conv.input,
                from,
                stride,
                room: &mut scratch.pairs,
                to: &mut to,
                added,
                copy: &mut copy,
            }),
            Some((Transformed::Full(panels), tile)) => {
                let input = Some((conv.input, tile));
                if scratch.transformed_of != input {
                    self.vocabulary.run(Transform {
                        boards,
                        count,
                        tile,
                        reach: conv.kernel.0 / 2,
                        from,
                        stride,
                        to: &mut scratch.transformed,
                    });
                    scratch.transformed_of = input;
                }
                self.vocabulary.run(Winograd {
                    boards,
                    count,
                    tile,
                    panels,
                    finish: &conv.finish,
                    inputs: &scratch.transformed,
                    stride,
                    products: &mut scratch.products,
                    to: &mut to,
                    added,
                    copy: &mut copy,
                });
            }
            None => match &conv.plain {
                Plain::Full(panels) => self.vocabulary.run(Direct {
                    panels,
                    finish: &conv.finish,
                    kernel: conv.kernel,
                    line: boards.line,
                    rows: self.rows(conv.from, boards, count),
                    from,
                    stride,
                    to: &mut to,
                    added,
                    copy: &mut copy,
                }),
                Plain::Pairs(panels) => self.run_pairs(Map {
                    panels,
                    finish: &conv.finish,
                    rows: self.rows(conv.from, boards, count),
                    from,
                    stride,
                    room: &mut scratch.rows,
                    to: &mut to,
                    added,
                    copy: &mut copy,
                }),
            },
        }
        scratch.buffers[conv.to] = to;
        match copied {
            Some(buffer) => scratch.buffers[buffer] = copy,
            None => scratch.none = copy,
        }
    }
}
