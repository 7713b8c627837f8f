//! Compiled network and its execution.
//!
//! A plan is a list of steps on numbered buffers. A run evaluates the positions in minibatches, here called passes,
//! and executes all steps for each pass.
//!
//! Terms used in this module: the vocabulary is the SIMD instruction set selected at run time. Tiles are bfloat16
//! kernels (AMX), halves are bfloat16 values, and pairs are 16-bit integer kernels. A place is the row index of a
//! point in a buffer.

mod answer;
mod conv;
mod paired;
mod tiled;

use std::mem::take;
use std::ops::RangeInclusive;

use super::aligned::Aligned;
use super::attention::Mixing;
use super::boards::{Boards, Rows};
use super::buffers::{Buffer, Form, Per, Shape};
use super::compile::{Compiled, Numbers, compile};
use super::pairs;
use super::pairs::gated::GatedMap;
use super::peak;
use super::pointwise::{Activate, Multiply, Norm, RmsNorm};
use super::pooling::{Pool, flatten};
use super::scratch::Scratch;
use super::steps::{Attention, Pointwise, Step};
use super::tiles::half::rounded;
use super::vocabulary::Vocabulary;
use super::winograd::{self, FREQUENCIES};
use crate::net::answer::Answer;
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::input::NetInput;
use crate::net::precision::Arithmetic;
use crate::parallel::scratch_pool::ScratchPool;

/// Range of the number of positions per pass.
///
/// With several positions, weights loaded from outer caches or memory are used several times. With too many, the
/// activations between the steps do not fit in the closer caches.
const PASS: RangeInclusive<usize> = 2..=8;
/// Positions per pass in tiles, where the weights are a quarter of the Winograd weights and a position needs more
/// memory.
const TILES_PASS: usize = 2;
/// Kernel size of most convolutions, from which the number of positions per pass is derived.
const MOST_COMMON: (usize, usize) = (3, 3);
/// Number of `f32` values assumed to stay in the closer caches (1.5 MiB).
const NEAR: usize = 393_216;

/// Network that is ready to run.
///
/// A plan can be shared by any number of threads. Each run uses a separate scratch from a pool.
#[derive(Debug)]
pub struct Plan {
    vocabulary: Vocabulary,
    lanes: usize,
    compiled: Compiled,
    scratch: ScratchPool<Scratch>,
}

impl Plan {
    /// Compiles a checked description.
    pub fn new(desc: &NetDesc, vocabulary: Vocabulary, numbers: Numbers<'_>) -> Self {
        let lanes = vocabulary.lanes();
        Self {
            vocabulary,
            lanes,
            compiled: compile(desc, lanes, numbers),
            scratch: ScratchPool::default(),
        }
    }

    /// Maximum multiply-adds per second for a single thread, in the arithmetic of the plan's layers of points.
    pub fn peak_multiply_adds(&self) -> f64 {
        match (self.compiled.arithmetic, self.vocabulary.pairs()) {
            (Arithmetic::Tiles, _) => peak::tiles(self.vocabulary.unit()),
            (Arithmetic::Pairs, Some(multiplier)) => peak::pairs(multiplier),
            _ => peak::floats(self.vocabulary),
        }
    }

    /// Arithmetic of the plan's layers of points.
    pub const fn arithmetic(&self) -> Arithmetic {
        self.compiled.arithmetic
    }

    /// Evaluates all positions and passes each result to `each`, in order.
    ///
    /// The caller must have checked the lengths of the input.
    ///
    /// # Errors
    /// Returns the first error of `each`.
    pub fn run(
        &self,
        input: &NetInput<'_>,
        mut each: impl FnMut(usize, &Answer) -> Result<(), NetError>,
    ) -> Result<(), NetError> {
        let pass = self.pass_size(input.height, input.width);
        self.scratch.with(|scratch| {
            (0..input.count).step_by(pass).try_for_each(|first| {
                let count = pass.min(input.count - first);
                scratch.fit(&self.compiled, self.lanes, count, input.height, input.width);
                self.pass(input, first, count, scratch);
                (0..count).try_for_each(|board| {
                    self.answer(board, scratch);
                    each(first + board, &scratch.answer)
                })
            })
        })
    }

    /// Returns the number of positions per pass for boards of this size.
    fn pass_size(&self, height: usize, width: usize) -> usize {
        if self.compiled.arithmetic == Arithmetic::Tiles {
            return TILES_PASS;
        }
        let tile = winograd::tile(MOST_COMMON).unwrap_or(1);
        let tiles = height.div_ceil(tile) * width.div_ceil(tile);
        let transformed = self.compiled.steps.iter().map(|step| match step {
            Step::Conv(conv) if conv.kernel == MOST_COMMON => conv.inputs + conv.outputs,
            _ => 0,
        });
        let transformed = transformed.max().unwrap_or(0) * FREQUENCIES * tiles;
        if let Some(fit) = NEAR.checked_div(transformed) {
            return fit.clamp(*PASS.start(), *PASS.end());
        }
        // 1x1 layers read their weights once per several hundred rows, regardless of the number of positions.
        let of_points = self
            .compiled
            .shapes
            .iter()
            .filter(|it| it.per == Per::Point);
        let numbers = of_points.map(|shape| shape.stride).max().unwrap_or(0) * height * width;
        (NEAR / numbers.max(1)).clamp(1, *PASS.end())
    }

    /// Evaluates `count` positions, starting at position `first` of the input.
    fn pass(&self, input: &NetInput<'_>, first: usize, count: usize, scratch: &mut Scratch) {
        self.read(input, first, count, scratch);
        scratch.transformed_of = None;
        scratch.pairs.forget();
        for step in &self.compiled.steps {
            self.step(step, count, scratch);
        }
    }

    /// Copies `count` positions of the input, starting at `first`, to the input buffers.
    fn read(&self, input: &NetInput<'_>, first: usize, count: usize, scratch: &mut Scratch) {
        let boards = &scratch.entry;
        let area = boards.area();
        let planes = input.planes.len() / input.count;
        let Shape { stride, form, .. } = self.compiled.shapes[self.compiled.planes];
        let points = boards.points(count).places.chunks_exact(area);
        let full = &mut scratch.buffers[self.compiled.planes];
        let half = &mut scratch.halves[self.compiled.planes];
        for (board, places) in (first..).zip(points) {
            let planes = input.planes[board * planes..][..planes].chunks_exact(area);
            for (channel, plane) in planes.enumerate() {
                let places = places.iter().map(|place| place * stride + channel);
                match form {
                    Form::Full => places.zip(plane).for_each(|(at, x)| full[at] = *x),
                    Form::Half => places.zip(plane).for_each(|(at, x)| half[at] = rounded(*x)),
                }
            }
        }
        for (buffer, numbers) in [
            (self.compiled.globals, input.globals),
            (self.compiled.profile, input.profiles),
        ] {
            let Some(buffer) = buffer else { continue };
            let stride = self.compiled.shapes[buffer].stride;
            let length = numbers.len() / input.count;
            for board in 0..count {
                let numbers = &numbers[(first + board) * length..][..length];
                scratch.buffers[buffer][board * stride..][..length].copy_from_slice(numbers);
            }
        }
    }

    fn stride(&self, buffer: Buffer) -> usize {
        self.compiled.shapes[buffer].stride
    }

    fn rows<'a>(&self, buffer: Buffer, boards: &'a Boards, count: usize) -> Rows<'a> {
        match self.compiled.shapes[buffer].per {
            Per::Point => boards.points(count),
            Per::Board => boards.whole(count),
        }
    }

    fn step(&self, step: &Step, count: usize, scratch: &mut Scratch) {
        let (boards, buffers) = (&scratch.boards, &mut scratch.buffers);
        match step {
            Step::Conv(conv) => self.conv(conv, count, scratch),
            Step::Tiled(step) => self.tiled(step, count, scratch),
            Step::Gated(from, to, map) => fill(buffers, *to, |numbers, buffers| {
                self.run_pairs(GatedMap {
                    map,
                    rows: self.rows(*from, boards, count),
                    from: (&buffers[*from], self.stride(*from)),
                    to: numbers,
                    room: &mut scratch.rows,
                });
            }),
            Step::Attention(layer) => self.attention(layer, count, scratch),
            Step::Pool {
                from,
                to,
                channels,
                pooling,
            } => fill(buffers, *to, |numbers, buffers| {
                self.vocabulary.run(Pool {
                    boards,
                    count,
                    from: &buffers[*from],
                    stride: self.stride(*from),
                    channels: *channels,
                    to: numbers,
                    to_stride: self.stride(*to),
                    pooling: *pooling,
                });
            }),
            Step::Flatten { from, to, channels } => fill(buffers, *to, |numbers, buffers| {
                let from = (&buffers[*from], self.stride(*from));
                flatten(boards, count, from, *channels, (numbers, self.stride(*to)));
            }),
            Step::Pointwise(step) => self.pointwise(step, boards, buffers, count),
        }
    }

    fn pointwise(&self, step: &Pointwise, boards: &Boards, buffers: &mut [Aligned], count: usize) {
        match step {
            Pointwise::Activate(buffer, activation) => self.vocabulary.run(Activate {
                rows: self.rows(*buffer, boards, count),
                numbers: &mut buffers[*buffer],
                stride: self.stride(*buffer),
                activation: *activation,
            }),
            Pointwise::Multiply(buffer, by) => fill(buffers, *buffer, |numbers, buffers| {
                self.vocabulary.run(Multiply {
                    rows: self.rows(*buffer, boards, count),
                    numbers,
                    by: &buffers[*by],
                    stride: self.stride(*buffer),
                });
            }),
            Pointwise::Norm(from, to, scale) => fill(buffers, *to, |numbers, buffers| {
                self.vocabulary.run(Norm {
                    rows: self.rows(*to, boards, count),
                    from: &buffers[*from],
                    to: numbers,
                    scale,
                });
            }),
            Pointwise::Rms(from, to, rms) => fill(buffers, *to, |numbers, buffers| {
                self.vocabulary.run(RmsNorm {
                    rows: self.rows(*to, boards, count),
                    area: boards.area(),
                    from: &buffers[*from],
                    to: numbers,
                    rms,
                });
            }),
        }
    }

    fn attention(&self, layer: &Attention, count: usize, scratch: &mut Scratch) {
        let (boards, turns) = (&scratch.boards, &scratch.turns[layer.turns]);
        let buffers = &mut scratch.buffers;
        let stride = self.stride(layer.to);
        let mut to = take(&mut buffers[layer.to]);
        // Clear the padding after the last channel. Another layer may have left values there, and rounding reads
        // whole rows.
        for place in boards.points(count).places {
            to[place * stride..][..stride][layer.heads * layer.value_width..].fill(0.0);
        }
        if self.compiled.arithmetic == Arithmetic::Pairs {
            let of = |buffer: Buffer| (&*buffers[buffer], self.stride(buffer));
            self.run_pairs(pairs::attention::Mixing {
                layer,
                boards,
                count,
                turns,
                query: of(layer.query),
                key: of(layer.key),
                value: of(layer.value),
                to: (&mut to, stride),
                room: &mut scratch.paired_room,
            });
        } else {
            let [mut query, mut key] =
                [layer.query, layer.key].map(|buffer| take(&mut buffers[buffer]));
            self.vocabulary.run(Mixing {
                layer,
                boards,
                count,
                turns,
                query: (&mut query, self.stride(layer.query)),
                key: (&mut key, self.stride(layer.key)),
                value: (&buffers[layer.value], self.stride(layer.value)),
                to: (&mut to, stride),
                room: &mut scratch.room,
            });
            buffers[layer.query] = query;
            buffers[layer.key] = key;
        }
        buffers[layer.to] = to;
    }
}

/// Calls `work` with buffer `to` as a mutable slice, together with all other buffers.
fn fill(buffers: &mut [Aligned], to: Buffer, work: impl FnOnce(&mut Aligned, &[Aligned])) {
    let mut numbers = take(&mut buffers[to]);
    work(&mut numbers, buffers);
    buffers[to] = numbers;
}
