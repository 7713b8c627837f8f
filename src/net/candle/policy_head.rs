//! Policy head: move logits for all points and, if supported by the network, for a pass.

use candle_core::{Result, Tensor};
use candle_nn::Func;

use super::block::forward_in_sequence;
use super::device::Backend;
use super::fused::{Head, Implementation, Workspaces};
use super::layers::{Conv, Linear, activate, add_to_points, pool};
use crate::net::folded::Layer;
use crate::net::part::NetworkPart;
use crate::net::spec::heads::{self, PooledPolicy};
use crate::net::spec::layers::Activation::{Identity, Relu};
use crate::net::spec::layers::Pooling;

/// Policy head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub struct PolicyHead {
    head: Head,
    /// Number of pass logits; 0 if the network has no pass output.
    pass_outputs: usize,
}

impl PolicyHead {
    /// Builds the head from a checked description. All its layers are computed in f32 if they are candle's operations.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &heads::PolicyHead, implementation: &Implementation) -> Result<Self> {
        let layers = |backend: &Backend| match spec {
            heads::PolicyHead::Pooled(head) => pooled(head, backend),
            heads::PolicyHead::Flat { conv, norm, out } => {
                let conv = Layer::conv(conv).with_folded_norm(norm);
                let conv = Conv::new(&conv, Relu, backend)?;
                let out = Linear::new(&Layer::linear(out), Identity, backend)?;
                Ok(Func::new(move |x| {
                    x.apply(&conv)?.flatten_from(1)?.apply(&out)
                }))
            }
        };
        Ok(Self {
            head: Head::new(implementation, NetworkPart::Policy, layers)?,
            pass_outputs: spec.pass_outputs(),
        })
    }

    /// Computes the move logits of the player to move. `features` is the output of the feature extractor.
    ///
    /// Returns `[n, points * policies + passes]` in f32. `policies` is the number of policy channels of the network,
    /// see [`heads::PolicyHead`]. The points are in row-major order, and the `policies` logits of a point are adjacent.
    /// The logits of the pass follow: one for each policy channel, or none if the network has no pass output.
    ///
    /// # Errors
    /// Returns an error if the shape does not fit the network or if the device reports an error.
    pub fn forward(&self, features: &Tensor, workspaces: &mut Workspaces) -> Result<Tensor> {
        self.head.forward(features, workspaces)
    }

    /// Splits the output for one position into point logits and pass logits.
    pub(super) fn split<'a>(&self, output: &'a [f32]) -> (&'a [f32], &'a [f32]) {
        output.split_at(output.len() - self.pass_outputs)
    }
}

/// Head for any board size. `conv` includes the scale of the head's norm, and `pool_linear` its scale and shift.
///
/// ```text
/// features ─┬─▶ conv ──────────────────────────────▶ + ─▶ activation ─▶ out ─▶ logits of the points
///           └─▶ pool_conv ─▶ pool ─┬─▶ pool_linear ──┘
///                                  └─▶ pass ─────────────────────────────────▶ pass logits
/// ```
fn pooled(spec: &PooledPolicy, backend: &Backend) -> Result<Func<'static>> {
    let conv = Layer::conv(&spec.conv).with_folded_norm_scale(&spec.norm);
    let conv = Conv::new(&conv, Identity, backend)?;
    let pool_conv = Layer::conv(&spec.pool_conv).with_folded_norm(&spec.pool_norm);
    let pool_conv = Conv::new(&pool_conv, spec.pool_act, backend)?;
    let pool_linear = Layer::linear(&spec.pool_linear).with_folded_norm(&spec.norm);
    let pool_linear = Linear::new(&pool_linear, Identity, backend)?;
    let activation = spec.act;
    let out = Conv::new(&Layer::conv(&spec.out), Identity, backend)?;
    let mut pass = Vec::new();
    if let Some(layers) = &spec.pass {
        if let Some((hidden, activation)) = &layers.hidden {
            pass.push(Linear::new(&Layer::linear(hidden), *activation, backend)?);
        }
        pass.push(Linear::new(&Layer::linear(&layers.out), Identity, backend)?);
    }
    Ok(Func::new(move |features| {
        let pooled = pool(&features.apply(&pool_conv)?, Pooling::Max)?;
        let y = add_to_points(&features.apply(&conv)?, &pooled.apply(&pool_linear)?)?;
        let logits = activate(&y, activation)?.apply(&out)?;
        let points = logits.permute((0, 2, 3, 1))?.flatten_from(1)?;
        match &*pass {
            [] => Ok(points),
            pass => Tensor::cat(&[points, forward_in_sequence(pass, &pooled)?], 1),
        }
    }))
}
