//! Value head: result, score and ownership.

use candle_core::{Result, Tensor};
use candle_nn::Func;

use super::device::Backend;
use super::fused::{Head, Implementation, Workspaces};
use super::layers::{Conv, Linear, pool};
use crate::net::folded::Layer;
use crate::net::part::NetworkPart;
use crate::net::spec::heads::{self, PooledValue};
use crate::net::spec::layers::Activation::{Identity, Relu};
use crate::net::spec::layers::Pooling;

/// Value head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub struct ValueHead {
    head: Head,
    /// Number of outputs for the result.
    result_outputs: usize,
    /// Number of outputs for the score; 0 if the network has none.
    score_outputs: usize,
}

impl ValueHead {
    /// Builds the head from a checked description. All its layers are computed in f32 if they are candle's operations.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &heads::ValueHead, implementation: &Implementation) -> Result<Self> {
        let layers = |backend: &Backend| match spec {
            heads::ValueHead::Pooled(head) => pooled(head, backend),
            heads::ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let conv = Layer::conv(conv).with_folded_norm(norm);
                let conv = Conv::new(&conv, Relu, backend)?;
                let hidden = Linear::new(&Layer::linear(hidden), Relu, backend)?;
                let result = Linear::new(&Layer::linear(result), Identity, backend)?;
                Ok(Func::new(move |x| {
                    let flat = x.apply(&conv)?.flatten_from(1)?;
                    flat.apply(&hidden)?.apply(&result)
                }))
            }
        };
        Ok(Self {
            head: Head::new(implementation, NetworkPart::Value, layers)?,
            result_outputs: spec.result_outputs(),
            score_outputs: spec.score_outputs(),
        })
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
        self.head.forward(features, workspaces)
    }

    /// Splits the output for one position into result, score and ownership.
    pub(super) fn split<'a>(&self, output: &'a [f32]) -> [&'a [f32]; 3] {
        let (result, others) = output.split_at(self.result_outputs);
        let (score, ownership) = others.split_at(self.score_outputs);
        [result, score, ownership]
    }
}

/// Head for any board size.
///
/// ```text
/// features ─▶ conv ─┬─▶ pool ─▶ hidden ─┬─▶ result
///                   │                   └─▶ score
///                   └─▶ ownership
/// ```
fn pooled(spec: &PooledValue, backend: &Backend) -> Result<Func<'static>> {
    let linear = |linear, act| Linear::new(&Layer::linear(linear), act, backend);
    let conv = Layer::conv(&spec.conv).with_folded_norm(&spec.norm);
    let conv = Conv::new(&conv, spec.act, backend)?;
    let hidden = linear(&spec.hidden, spec.hidden_act)?;
    let mut outputs = vec![linear(&spec.result, Identity)?];
    if let Some(score) = &spec.score {
        outputs.push(linear(score, Identity)?);
    }
    let ownership = spec.ownership.as_ref().map(Layer::conv);
    let ownership = ownership
        .map(|conv| Conv::new(&conv, Identity, backend))
        .transpose()?;
    Ok(Func::new(move |features| {
        let y = features.apply(&conv)?;
        let hidden = pool(&y, Pooling::Mean)?.apply(&hidden)?;
        let outputs = outputs.iter().map(|linear| hidden.apply(linear));
        let mut outputs = outputs.collect::<Result<Vec<_>>>()?;
        if let Some(ownership) = &ownership {
            outputs.push(y.apply(ownership)?.flatten_from(1)?);
        }
        Tensor::cat(&outputs, 1)
    }))
}
