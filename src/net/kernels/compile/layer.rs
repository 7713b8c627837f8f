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
}
