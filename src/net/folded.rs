//! Layers with subsequent norms folded into their weights and biases.

use crate::net::spec::layers::{self, Affine};

/// A convolution, or a linear layer in the form of a convolution with a 1x1 kernel.
#[derive(Debug)]
pub struct Layer {
    /// Height and width of the kernel.
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
            weights: without_subnormals(&conv.weights),
            bias: vec![0.0; conv.outputs],
        }
    }

    /// Creates a linear layer.
    pub fn linear(linear: &layers::Linear) -> Self {
        let mut bias = linear.bias.clone();
        bias.resize(linear.outputs, 0.0);
        Self {
            kernel: (1, 1),
            inputs: linear.inputs,
            outputs: linear.outputs,
            weights: without_subnormals(&linear.weights),
            bias,
        }
    }

    /// Folds the scale of the following norm into the layer, without its shift.
    ///
    /// This is used if the norm is applied to the sum of two layers; the other layer includes the shift.
    pub fn with_folded_norm_scale(mut self, norm: &Affine) -> Self {
        let rows = self.weights.chunks_exact_mut(self.outputs);
        for row in rows.chain([&mut *self.bias]) {
            let scaled = row.iter_mut().zip(&norm.scale);
            scaled.for_each(|(x, scale)| *x *= scale);
        }
        self
    }

    /// Folds the following norm into the layer.
    pub fn with_folded_norm(self, norm: &Affine) -> Self {
        let mut layer = self.with_folded_norm_scale(norm);
        let shifted = layer.bias.iter_mut().zip(&norm.shift);
        shifted.for_each(|(x, shift)| *x += shift);
        layer
    }

    /// Multiplies the outputs by `factor`.
    pub fn scale_outputs(mut self, factor: f32) -> Self {
        for number in self.weights.iter_mut().chain(&mut self.bias) {
            *number *= factor;
        }
        self
    }

    /// Expands the layer to `outputs` outputs. Output `i` moves to `channels[i]`; all other outputs are zero.
    pub fn spread_outputs(&self, channels: &[usize], outputs: usize) -> Self {
        let spread = |row: &[f32]| {
            let mut spread = vec![0.0; outputs];
            for (value, channel) in row.iter().zip(channels) {
                spread[*channel] = *value;
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

    /// Expands a linear layer to `inputs` inputs. Input `i` moves to `channels[i]`; all other inputs are ignored.
    pub fn spread_inputs(&self, channels: &[usize], inputs: usize) -> Self {
        let mut weights = vec![0.0; inputs * self.outputs];
        for (row, channel) in self.weights.chunks_exact(self.outputs).zip(channels) {
            weights[channel * self.outputs..][..self.outputs].copy_from_slice(row);
        }
        Self {
            inputs,
            weights,
            bias: self.bias.clone(),
            ..*self
        }
    }
}

/// Returns the weights with zeros in place of subnormal numbers.
///
/// Training reduces the weights of unused units to subnormal numbers, which are 4 % of the weights of a KataGo
/// transformer. They do not affect any output, but Intel processors need about a hundred times as long to multiply them.
fn without_subnormals(weights: &[f32]) -> Vec<f32> {
    let normal_or_zero = |weight: &f32| if weight.is_subnormal() { 0.0 } else { *weight };
    weights.iter().map(normal_or_zero).collect()
}

/// Returns the channel of each element of `heads` heads. Each head has `width` elements, stored in `padded_width`
/// channels.
///
/// If `split` is true, the first element of each rotary pair is stored in the first half of the head, and the second
/// element in the second half.
pub fn head_element_channels(
    heads: usize,
    width: usize,
    padded_width: usize,
    split: bool,
) -> Vec<usize> {
    let channel = |element| match split {
        true => element / 2 + element % 2 * padded_width / 2,
        false => element,
    };
    (0..heads * width)
        .map(|element| element / width * padded_width + channel(element % width))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subnormal_weights_become_zero() {
        let smallest = f32::MIN_POSITIVE;
        let linear = layers::Linear {
            inputs: 5,
            outputs: 1,
            biased: true,
            weights: vec![0.5, smallest, smallest / 2.0, -1e-42, -smallest],
            bias: vec![1.0],
        };
        let expected = [0.5, smallest, 0.0, 0.0, -smallest];
        assert_eq!(Layer::linear(&linear).weights, expected);
    }
}
