//! Value head: result, score and ownership.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::device::Backend;
use super::fused::{self, Workspaces};
use super::layers::{Conv, Linear, forward_in_sequence, pool};
use crate::net::cpu::executor::CpuExecutor;
use crate::net::part::NetworkPart;
use crate::net::raw_output::RawOutput;
use crate::net::spec::heads::{self, PooledValue};
use crate::net::spec::layers::{Activation, Pooling};

/// Value head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub struct ValueHead {
    layers: Layers,
    /// Number of outputs for the result.
    result_outputs: usize,
    /// Number of outputs for the score; 0 if the network has none.
    score_outputs: usize,
}

#[derive(Debug)]
enum Layers {
    /// This engine's CPU kernels.
    Fused(Arc<CpuExecutor>),
    Pooled(Box<PooledHead>),
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
struct PooledHead {
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
    pub fn new(spec: &heads::ValueHead, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let layers = match spec {
            heads::ValueHead::Pooled(head) => {
                Layers::Pooled(Box::new(PooledHead::new(head, backend)?))
            }
            heads::ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => Layers::Flat(
                Conv::with_folded_norm(conv, norm, Activation::Relu, backend)?,
                [
                    Linear::new(hidden, &full)?.activated(Activation::Relu),
                    Linear::new(result, &full)?,
                ],
            ),
        };
        Ok(Self::with_layers(spec, layers))
    }

    /// Creates the head of a network that runs on the CPU with this engine's kernels.
    #[must_use]
    pub fn with_cpu_kernels(spec: &heads::ValueHead, executor: Arc<CpuExecutor>) -> Self {
        Self::with_layers(spec, Layers::Fused(executor))
    }

    fn with_layers(spec: &heads::ValueHead, layers: Layers) -> Self {
        Self {
            layers,
            result_outputs: spec.result_outputs(),
            score_outputs: spec.score_outputs(),
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
    pub fn forward(&self, features: &Tensor, workspaces: &mut Workspaces) -> Result<Tensor> {
        match &self.layers {
            Layers::Fused(executor) => {
                fused::compute_head(executor, NetworkPart::Value, features, workspaces)
            }
            Layers::Pooled(head) => head.forward(features),
            Layers::Flat(conv, linears) => {
                forward_in_sequence(linears, &conv.forward(features)?.flatten_from(1)?)
            }
        }
    }

    /// Splits the output of [`forward`](Self::forward) for one position into its parts, and appends them to the vectors
    /// of `raw`.
    pub(super) fn append_output(&self, output: &[f32], raw: &mut RawOutput) {
        let (result, others) = output.split_at(self.result_outputs);
        let (score, ownership) = others.split_at(self.score_outputs);
        raw.result.extend_from_slice(result);
        raw.score.extend_from_slice(score);
        raw.ownership.extend_from_slice(ownership);
    }
}

impl PooledHead {
    fn new(spec: &PooledValue, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let score = spec.score.as_ref().map(|score| Linear::new(score, &full));
        let ownership = spec.ownership.as_ref().map(|conv| Conv::new(conv, &full));
        Ok(Self {
            conv: Conv::with_folded_norm(&spec.conv, &spec.norm, spec.act, backend)?,
            hidden: Linear::new(&spec.hidden, &full)?.activated(spec.hidden_act),
            result: Linear::new(&spec.result, &full)?,
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
