//! The policy head: how likely each move is, as logits over the points and, if the net has it, the pass.

use candle_core::{Result, Tensor};

use super::error::NetError;
use super::layer::{Grid, Linear, Pooling, add_to_positions, pooled};
use super::weights::Weights;

/// The policy head.
#[derive(Debug)]
pub(super) struct PolicyHead {
    conv: Linear,
    pool_conv: Linear,
    pool_linear: Linear,
    out: Linear,
    /// Present if the net rates the pass.
    pass: Option<Linear>,
}

impl PolicyHead {
    /// Builds the head from its tensors.
    pub fn load(weights: &Weights) -> std::result::Result<Self, NetError> {
        let has_pass = weights.config().pass;
        Ok(Self {
            conv: Linear::scaled(weights, "policy.conv", "policy.norm")?,
            pool_conv: Linear::normed(weights, "policy.pool_conv", "policy.pool_norm")?,
            pool_linear: Linear::normed(weights, "policy.pool_linear", "policy.norm")?,
            out: Linear::plain(weights, "policy.out")?,
            pass: has_pass
                .then(|| Linear::plain(weights, "policy.pass"))
                .transpose()?,
        })
    }

    /// Logits `[count, area]` of the points and `[count]` of the pass.
    pub fn forward(&self, features: &Tensor, grid: &Grid) -> Result<(Tensor, Option<Tensor>)> {
        let board = pooled(
            &self.pool_conv.forward(features)?.relu()?,
            Pooling::Max,
            grid,
        )?;
        let y = add_to_positions(
            &self.conv.forward(features)?,
            &self.pool_linear.forward(&board)?,
            grid,
        )?;
        let logits = self
            .out
            .forward(&y.relu()?)?
            .reshape((grid.count(), grid.area()))?;
        let pass = self
            .pass
            .as_ref()
            .map(|pass| pass.forward(&board)?.squeeze(1))
            .transpose()?;
        Ok((logits, pass))
    }
}
