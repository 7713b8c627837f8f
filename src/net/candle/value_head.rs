//! Value head: result, score and ownership.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::device::Backend;
use super::fused::{self, Memory};
use super::layers::{Conv, Linear, apply, pool};
use crate::net::answer::Answer;
use crate::net::cpu::executor::CpuExecutor;
use crate::net::part::Part;
use crate::net::spec::heads::{self, PooledValue};
use crate::net::spec::layers::{Activation, Pooling};

/// Value head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub struct ValueHead {
    layers: Layers,
    /// Number of outputs for the result.
    results: usize,
    /// Number of outputs for the score; 0 if the network has none.
    scores: usize,
}

#[derive(Debug)]
enum Layers {
    /// This engine's CPU kernels.
    Fused(Arc<CpuExecutor>),
    Pooled(Box<Pooled>),
    /// Layers of a head for 19x19 boards: a convolution and two linear layers, the first of which reads all outputs of
    /// the convolution.
    Flat(Conv, [Linear; 2]),
}

/// Layers of a head for any board size.
///
/// ```text
/// features ─▶ conv ─┬─▶ pool ─▶ hidden ─┬─▶ result
///                   │                   └─▶ score
///                   └─▶ ownership
/// ```
#[derive(Debug)]
struct Pooled {
    conv: Conv,
    hidden: Linear,
    result: Linear,
    score: Option<Linear>,
    ownership: Option<Conv>,
}

impl ValueHead {
    /// Builds the head from a checked description.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(desc: &heads::ValueHead, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let layers = match desc {
            heads::ValueHead::Pooled(head) => Layers::Pooled(Box::new(Pooled::new(head, backend)?)),
            heads::ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => Layers::Flat(
                Conv::with_norm(conv, norm, Activation::Relu, backend)?,
                [
                    Linear::new(hidden, &full)?.activated(Activation::Relu),
                    Linear::new(result, &full)?,
                ],
            ),
        };
        Ok(Self::with_layers(desc, layers))
    }

    /// Creates the head of a network that runs on the CPU with this engine's kernels.
    #[must_use]
    pub fn fused(desc: &heads::ValueHead, executor: Arc<CpuExecutor>) -> Self {
        Self::with_layers(desc, Layers::Fused(executor))
    }

    fn with_layers(desc: &heads::ValueHead, layers: Layers) -> Self {
        Self {
            layers,
            results: desc.results(),
            scores: desc.scores(),
        }
    }

    /// Computes result, score and ownership. `features` is the output of the feature extractor.
    ///
    /// Returns `[n, results + scores + points]` in f32. The outputs for the result and for the score come first;
    /// [`Readout`](crate::net::spec::Readout) defines their meaning and perspective. The ownership of each point
    /// follows: values before `tanh`, in row-major order, positive for the player to move. The outputs for score and
    /// ownership are absent if the network has none.
    ///
    /// # Errors
    /// Returns an error if the shape does not fit the network or if the device reports an error.
    pub fn forward(&self, features: &Tensor, memory: &mut Memory) -> Result<Tensor> {
        match &self.layers {
            Layers::Fused(executor) => fused::head(executor, Part::Value, features, memory),
            Layers::Pooled(head) => head.forward(features),
            Layers::Flat(conv, linears) => {
                apply(linears, &conv.forward(features)?.flatten_from(1)?)
            }
        }
    }

    /// Splits the output of [`forward`](Self::forward) for one position into its parts, and appends them to the vectors
    /// of `answer`.
    pub(super) fn split(&self, output: &[f32], answer: &mut Answer) {
        let (result, others) = output.split_at(self.results);
        let (score, ownership) = others.split_at(self.scores);
        answer.result.extend_from_slice(result);
        answer.score.extend_from_slice(score);
        answer.ownership.extend_from_slice(ownership);
    }
}

impl Pooled {
    fn new(desc: &PooledValue, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let score = desc.score.as_ref().map(|score| Linear::new(score, &full));
        let ownership = desc.ownership.as_ref().map(|conv| Conv::new(conv, &full));
        Ok(Self {
            conv: Conv::with_norm(&desc.conv, &desc.norm, desc.act, backend)?,
            hidden: Linear::new(&desc.hidden, &full)?.activated(desc.hidden_act),
            result: Linear::new(&desc.result, &full)?,
            score: score.transpose()?,
            ownership: ownership.transpose()?,
        })
    }

    fn forward(&self, features: &Tensor) -> Result<Tensor> {
        let y = self.conv.forward(features)?;
        let hidden = self.hidden.forward(&pool(&y, Pooling::Mean)?)?;
        let mut outputs = vec![self.result.forward(&hidden)?];
        if let Some(score) = &self.score {
            outputs.push(score.forward(&hidden)?);
        }
        if let Some(ownership) = &self.ownership {
            outputs.push(ownership.forward(&y)?.flatten_from(1)?);
        }
        Tensor::cat(&outputs, 1)
    }
}
