//! Layers with the norms after them folded in.

use crate::net::desc::layers::{self, Affine};

/// A convolution or a map of rows, with the norm after it folded in.
pub struct Layer {
    /// Rows and columns.
    pub kernel: (usize, usize),
    /// Channels in.
    pub inputs: usize,
    /// Channels out.
    pub outputs: usize,
    /// `[taps, inputs, outputs]`
    pub weights: Vec<f32>,
    /// `[outputs]`
    pub bias: Vec<f32>,
}

impl Layer {
    /// A convolution.
    pub fn conv(conv: &layers::Conv) -> Self {
        Self {
            kernel: (conv.height, conv.width),
            inputs: conv.inputs,
            outputs: conv.outputs,
            weights: conv.weights.clone(),
            bias: vec![0.0; conv.outputs],
        }
    }

    /// A map of rows.
    pub fn map(linear: &layers::Linear) -> Self {
        let mut bias = linear.bias.clone();
        bias.resize(linear.outputs, 0.0);
        Self {
            kernel: (1, 1),
            inputs: linear.inputs,
            outputs: linear.outputs,
            weights: linear.weights.clone(),
            bias,
        }
    }

    /// Followed by the scale of a norm: one of two layers whose sum goes into that norm.
    pub fn scaled(mut self, norm: &Affine) -> Self {
        for row in self.weights.chunks_exact_mut(self.outputs) {
            row.iter_mut()
                .zip(&norm.scale)
                .for_each(|(x, scale)| *x *= scale);
        }
        self.bias
            .iter_mut()
            .zip(&norm.scale)
            .for_each(|(x, scale)| *x *= scale);
        self
    }

    /// Followed by a norm.
    pub fn normed(self, norm: &Affine) -> Self {
        let mut layer = self.scaled(norm);
        layer
            .bias
            .iter_mut()
            .zip(&norm.shift)
            .for_each(|(x, shift)| *x += shift);
        layer
    }

    /// All results times a factor.
    pub fn times(mut self, factor: f32) -> Self {
        for number in self.weights.iter_mut().chain(&mut self.bias) {
            *number *= factor;
        }
        self
    }

    /// The same with output `i` at `places[i]` of so many, zero elsewhere.
    pub fn outputs_at(&self, places: &[usize], outputs: usize) -> Self {
        let spread = |row: &[f32]| {
            let mut spread = vec![0.0; outputs];
            for (number, place) in row.iter().zip(places) {
                spread[*place] = *number;
            }
            spread
        };
        let rows = self.weights.chunks_exact(self.outputs);
        Self {
            outputs,
            weights: rows.flat_map(spread).collect(),
            bias: spread(&self.bias),
            ..*self
        }
    }

    /// A map of rows with input `i` at `places[i]` of so many.
    pub fn inputs_at(&self, places: &[usize], inputs: usize) -> Self {
        let mut weights = vec![0.0; inputs * self.outputs];
        for (row, place) in self.weights.chunks_exact(self.outputs).zip(places) {
            weights[place * self.outputs..][..self.outputs].copy_from_slice(row);
        }
        Self {
            inputs,
            weights,
            bias: self.bias.clone(),
            ..*self
        }
    }

    /// Two maps of the same inputs and as many outputs: sixteen outputs of this one, sixteen of the other, and so on.
    pub fn alternating(&self, other: &Self, side: usize) -> Self {
        let outputs = 2 * self.outputs.next_multiple_of(side);
        let place = |output: usize| output / side * 2 * side + output % side;
        let places: Vec<usize> = (0..self.outputs).map(place).collect();
        let beside: Vec<usize> = places.iter().map(|place| place + side).collect();
        let mut both = self.outputs_at(&places, outputs);
        let other = other.outputs_at(&beside, outputs);
        let sums = both.weights.iter_mut().chain(&mut both.bias);
        for (sum, number) in sums.zip(other.weights.iter().chain(&other.bias)) {
            *sum += number;
        }
        both
    }
}

/// Where the channels of so many heads go, each of `width` of them, for the first of each pair to stand in the first half
/// of a head of `wide` and the second in the other.
pub fn pairs_apart(heads: usize, width: usize, wide: usize) -> Vec<usize> {
    let place = |channel| channel / 2 + channel % 2 * wide / 2;
    (0..heads * width)
        .map(|channel| channel / width * wide + place(channel % width))
        .collect()
}
