//! Layers with the norms after them folded in.

use crate::net::desc::layers::{self, Affine};

/// Convolution or fully connected layer.
pub struct Layer {
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    pub inputs: usize,
    pub outputs: usize,
    /// Weights, `[taps, inputs, outputs]`.
    pub weights: Vec<f32>,
    /// Bias, `[outputs]`.
    pub bias: Vec<f32>,
}

impl Layer {
    /// Creates a convolution without a bias.
    pub fn conv(conv: &layers::Conv) -> Self {
        Self {
            kernel: (conv.height, conv.width),
            inputs: conv.inputs,
            outputs: conv.outputs,
            weights: conv.weights.clone(),
            bias: vec![0.0; conv.outputs],
        }
    }

    /// Creates a fully connected layer.
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

    /// Folds in the scale of the following norm.
    ///
    /// Used where the norm is applied to the sum of two layers. The other layer then includes the shift.
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

    /// Folds in the following norm.
    pub fn normed(self, norm: &Affine) -> Self {
        let mut layer = self.scaled(norm);
        layer
            .bias
            .iter_mut()
            .zip(&norm.shift)
            .for_each(|(x, shift)| *x += shift);
        layer
    }

    /// Multiplies the outputs by `factor`.
    pub fn times(mut self, factor: f32) -> Self {
        for number in self.weights.iter_mut().chain(&mut self.bias) {
            *number *= factor;
        }
        self
    }

    /// Expands the layer to `outputs` outputs. Output `i` moves to `places[i]`; all other outputs are zero.
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

    /// Expands a 1x1 layer to `inputs` inputs. Input `i` moves to `places[i]`; all other inputs are ignored.
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

    /// Interleaves the outputs of two layers of the same size in blocks of `side`, starting with `self`.
    ///
    /// The last block of each layer is padded with zero outputs.
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

/// Returns the position of each channel of `heads` heads after separating the rotary pairs.
///
/// Each head has `width` channels and is stored in `wide` positions. The first channel of each pair moves to the
/// first half of the head, the second channel to the second half.
pub fn pairs_apart(heads: usize, width: usize, wide: usize) -> Vec<usize> {
    let place = |channel| channel / 2 + channel % 2 * wide / 2;
    (0..heads * width)
        .map(|channel| channel / width * wide + place(channel % width))
        .collect()
}
