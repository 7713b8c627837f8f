//! Policy head: move logits for all points and, if supported by the network, for a pass.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::device::Backend;
use super::fused::{self, Workspaces};
use super::layers::{Conv, Linear, activate, add_to_points, forward_in_sequence, pool};
use crate::net::cpu::executor::CpuExecutor;
use crate::net::part::NetworkPart;
use crate::net::raw_output::RawOutput;
use crate::net::spec::heads::{self, PassHead, PooledPolicy};
use crate::net::spec::layers::{Activation, Pooling};

/// Policy head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub struct PolicyHead {
    layers: Layers,
    /// Number of pass logits; 0 if the network has no pass output.
    pass_outputs: usize,
}

#[derive(Debug)]
enum Layers {
    /// This engine's CPU kernels.
    Fused(Arc<CpuExecutor>),
    Pooled(Box<PooledHead>),
    /// Layers of a head for 19x19 boards. `out` reads all outputs of the convolution and returns the logits of all
    /// points and of the pass.
    Flat {
        conv: Conv,
        out: Linear,
    },
}

/// Layers of a head for any board size.
///
/// ```text
/// features ─┬─▶ conv ─────────────────────────▶ + ─▶ activation ─▶ out ─▶ logits of the points
///           └─▶ pool_conv ─▶ pool ─┬─▶ linear ──┘
///                                  └─▶ pass ────────────────────────────▶ pass logits
/// ```
#[derive(Debug)]
struct PooledHead {
    /// Convolution that includes the scale of the head's norm.
    conv: Conv,
    pool_conv: Conv,
    /// Linear layer that includes the scale and the shift of the head's norm.
    pool_linear: Linear,
    activation: Activation,
    out: Conv,
    /// Layers from the pooled features to the pass logits; empty if the network has no pass output.
    pass: Vec<Linear>,
}

impl PolicyHead {
    /// Builds the head from a checked description.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &heads::PolicyHead, backend: &Backend) -> Result<Self> {
        let layers = match spec {
            heads::PolicyHead::Pooled(head) => {
                Layers::Pooled(Box::new(PooledHead::new(head, backend)?))
            }
            heads::PolicyHead::Flat { conv, norm, out } => Layers::Flat {
                conv: Conv::with_folded_norm(conv, norm, Activation::Relu, backend)?,
                out: Linear::new(out, &backend.full_precision())?,
            },
        };
        Ok(Self {
            layers,
            pass_outputs: spec.pass_outputs(),
        })
    }

    /// Creates the head of a network that runs on the CPU with this engine's kernels.
    #[must_use]
    pub fn with_cpu_kernels(spec: &heads::PolicyHead, executor: Arc<CpuExecutor>) -> Self {
        Self {
            layers: Layers::Fused(executor),
            pass_outputs: spec.pass_outputs(),
        }
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
        match &self.layers {
            Layers::Fused(executor) => {
                fused::compute_head(executor, NetworkPart::Policy, features, workspaces)
            }
            Layers::Pooled(head) => head.forward(features),
            Layers::Flat { conv, out } => out.forward(&conv.forward(features)?.flatten_from(1)?),
        }
    }

    /// Splits the output of [`forward`](Self::forward) for one position into its parts, and appends them to the vectors
    /// of `raw`.
    pub(super) fn append_output(&self, output: &[f32], raw: &mut RawOutput) {
        let (points, pass) = output.split_at(output.len() - self.pass_outputs);
        raw.policy.extend_from_slice(points);
        raw.pass.extend_from_slice(pass);
    }
}

impl PooledHead {
    fn new(spec: &PooledPolicy, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let mut pass = Vec::new();
        if let Some(PassHead { hidden, out }) = &spec.pass {
            if let Some((hidden, activation)) = hidden {
                pass.push(Linear::new(hidden, &full)?.activated(*activation));
            }
            pass.push(Linear::new(out, &full)?);
        }
        Ok(Self {
            conv: Conv::with_folded_norm_scale(&spec.conv, &spec.norm, backend)?,
            pool_conv: Conv::with_folded_norm(
                &spec.pool_conv,
                &spec.pool_norm,
                spec.pool_act,
                backend,
            )?,
            pool_linear: Linear::with_folded_norm(&spec.pool_linear, &spec.norm, &full)?,
            activation: spec.act,
            out: Conv::new(&spec.out, &full)?,
            pass,
        })
    }

    fn forward(&self, features: &Tensor) -> Result<Tensor> {
        let pooled = pool(&self.pool_conv.forward(features)?, Pooling::Max)?;
        let y = self.conv.forward(features)?;
        let y = add_to_points(&y, &self.pool_linear.forward(&pooled)?)?;
        let logits = self.out.forward(&activate(&y, self.activation)?)?;
        let points = logits.permute((0, 2, 3, 1))?.flatten_from(1)?;
        match &*self.pass {
            [] => Ok(points),
            pass => Tensor::cat(&[points, forward_in_sequence(pass, &pooled)?], 1),
        }
    }
}
