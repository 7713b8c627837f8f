//! Weights packed in the order in which AMX reads them.

use super::block::{STEP_INPUTS, STEP_WEIGHTS, TILE_SIDE};
use super::convert::to_bf16;
use crate::net::cpu::aligned::AlignedBuffer;

/// Packed weights of a layer.
#[derive(Debug)]
pub struct Bf16Weights {
    /// Weights, `[columns, taps, depth, 16, 16, 2]`. The last three dimensions are the pairs of inputs in a step, the
    /// outputs of the tile, and the two inputs of a pair. The weights of padding inputs and outputs are zero.
    data: AlignedBuffer<u16>,
    /// Height and width of the convolution kernel.
    pub kernel: (usize, usize),
    /// Number of tiles of outputs.
    pub columns: usize,
    /// Number of steps per tap.
    pub depth: usize,
}

impl Bf16Weights {
    /// Rounds weights (`[taps, inputs, outputs]`) to bfloat16 and packs them.
    pub fn new(weights: &[f32], kernel: (usize, usize), outputs: usize) -> Self {
        let taps = kernel.0 * kernel.1;
        let inputs = weights.len() / (taps * outputs);
        let (columns, depth) = (outputs.div_ceil(TILE_SIDE), inputs.div_ceil(STEP_INPUTS));
        let mut data = AlignedBuffer::zeros(columns * taps * depth * STEP_WEIGHTS);
        for (at, weight) in weights.iter().enumerate() {
            let (row, output) = (at / outputs, at % outputs);
            let (tap, input) = (row / inputs, row % inputs);
            let step = (output / TILE_SIDE * taps + tap) * depth + input / STEP_INPUTS;
            let (pair, half) = (input % STEP_INPUTS / 2, input % 2);
            let index = 2 * (pair * TILE_SIDE + output % TILE_SIDE) + half;
            data[step * STEP_WEIGHTS + index] = to_bf16(*weight);
        }
        Self {
            data,
            kernel,
            columns,
            depth,
        }
    }

    /// Returns the weights of output tile `index`.
    #[inline(always)]
    pub fn column_tile(&self, index: usize) -> &[u16] {
        let length = self.kernel.0 * self.kernel.1 * self.depth * STEP_WEIGHTS;
        &self.data[index * length..][..length]
    }
}
