//! Execution of the steps in bfloat16 tiles.

use std::mem::take;

use super::super::buffers::Buffer;
use super::super::steps::{TileAttention, TileLayer, TileStep};
use super::super::tiles::attention::Mixing;
use super::super::tiles::layer::Layer;
use super::super::tiles::rounding::{Halve, HalveRms};
use super::{Plan, Scratch};

impl Plan {
    /// Runs one step.
    pub(super) fn tiled(&self, step: &TileStep, count: usize, scratch: &mut Scratch) {
        let (boards, buffers) = (&scratch.boards, &scratch.buffers);
        match step {
            TileStep::Layer(layer) => self.tile_layer(layer, count, scratch),
            TileStep::Attention(layer) => self.tile_attention(layer, count, scratch),
            TileStep::Halve(from, half) => self.vocabulary.run_halves(Halve {
                half,
                places: self.rows(*from, boards, count).places,
                from: (&buffers[*from], self.stride(*from)),
                to: (&mut scratch.halves[half.to], self.stride(half.to)),
            }),
            TileStep::HalveRms(from, to, rms) => self.vocabulary.run_halves(HalveRms {
                rms,
                places: self.rows(*from, boards, count).places,
                area: boards.area(),
                from: (&buffers[*from], self.stride(*from)),
                to: (&mut scratch.halves[*to], self.stride(*to)),
            }),
        }
    }

    fn tile_layer(&self, layer: &TileLayer, count: usize, scratch: &mut Scratch) {
        let at_entry = layer.from == self.compiled.planes;
        let boards = &scratch.boards;
        let half = layer.half.as_ref().map(|half| half.to);
        let mut full = layer.to.map(|to| take(&mut scratch.buffers[to]));
        let mut copy = half.map(|to| take(&mut scratch.halves[to]));
        let stride = |buffer: Option<Buffer>| buffer.map_or(0, |buffer| self.stride(buffer));
        self.vocabulary.run_halves(Layer {
            layer,
            unit: self.vocabulary.unit(),
            input: (if at_entry { &scratch.entry } else { boards }, count),
            boards,
            run: &scratch.runs[if at_entry { 0 } else { 1 }],
            steps: &mut scratch.tile_steps,
            from: (&scratch.halves[layer.from], self.stride(layer.from)),
            added: layer
                .added
                .map(|added| (&*scratch.buffers[added], self.stride(added))),
            to: (full.as_deref_mut().unwrap_or(&mut []), stride(layer.to)),
            half: (copy.as_deref_mut().unwrap_or(&mut []), stride(half)),
        });
        for (to, numbers) in layer.to.into_iter().zip(full) {
            scratch.buffers[to] = numbers;
        }
        for (to, numbers) in half.into_iter().zip(copy) {
            scratch.halves[to] = numbers;
        }
    }

    fn tile_attention(&self, layer: &TileAttention, count: usize, scratch: &mut Scratch) {
        let of = |buffer: Buffer| (&*scratch.buffers[buffer], self.stride(buffer));
        self.vocabulary.run_halves(Mixing {
            layer,
            unit: self.vocabulary.unit(),
            boards: &scratch.boards,
            count,
            turns: &scratch.turns[layer.turns],
            query: of(layer.query),
            key: of(layer.key),
            value: of(layer.value),
            to: (&mut scratch.halves[layer.to], self.stride(layer.to)),
            room: &mut scratch.tile_room,
        });
    }
}
