//! Weights in the order in which the matrix unit reads them.

use super::block::{DEPTH, SIDE, WEIGHTS};
use super::half::rounded;
use crate::net::kernels::aligned::Aligned;

/// The weights of a layer.
#[derive(Debug)]
pub struct Panels {
    /// For each 16 outputs: for each tap and each 32 inputs, 16 pairs of inputs times 16 outputs times 2; zero beyond the
    /// last input and output.
    numbers: Aligned<u16>,
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    /// Tiles of outputs.
    pub columns: usize,
    /// Steps of a tap.
    pub depth: usize,
}

impl Panels {
    /// Packs weights (`[taps, inputs, outputs]`).
    pub fn new(weights: &[f32], kernel: (usize, usize), outputs: usize) -> Self {
        let taps = kernel.0 * kernel.1;
        let inputs = weights.len() / (taps * outputs);
        let (columns, depth) = (outputs.div_ceil(SIDE), inputs.div_ceil(DEPTH));
        let mut numbers = Aligned::zeros(columns * taps * depth * WEIGHTS);
        for (index, weight) in weights.iter().enumerate() {
            let (row, output) = (index / outputs, index % outputs);
            let (tap, input) = (row / inputs, row % inputs);
            let step = (output / SIDE * taps + tap) * depth + input / DEPTH;
            let (pair, half) = (input % DEPTH / 2, input % 2);
            let place = 2 * (pair * SIDE + output % SIDE) + half;
            numbers[step * WEIGHTS + place] = rounded(*weight);
        }
        Self {
            numbers,
            kernel,
            columns,
            depth,
        }
    }

    /// The weights of a tile of outputs.
    #[inline(always)]
    pub fn column(&self, index: usize) -> &[u16] {
        let length = self.kernel.0 * self.kernel.1 * self.depth * WEIGHTS;
        &self.numbers[index * length..][..length]
    }
}
