//! The value head: who wins, by how much, and who will own each point, all from the side of the player to move.

use candle_core::{Result, Tensor};

use super::error::NetError;
use super::layer::{Grid, Linear, Pooling, pooled};
use super::weights::Weights;

/// The score output counts in units of this many points.
const SCORE_SCALE: f64 = 20.0;

/// The value head.
#[derive(Debug)]
pub(super) struct ValueHead {
    conv: Linear,
    hidden: Linear,
    win: Linear,
    /// Present if the net tells the score lead.
    score: Option<Linear>,
    /// Present if the net tells the ownership of points.
    ownership: Option<Linear>,
}

impl ValueHead {
    /// Builds the head from its tensors.
    pub fn load(weights: &Weights) -> std::result::Result<Self, NetError> {
        let config = weights.config();
        Ok(Self {
            conv: Linear::normed(weights, "value.conv", "value.norm")?,
            hidden: Linear::biased(weights, "value.hidden")?,
            win: Linear::biased(weights, "value.win")?,
            score: config
                .score
                .then(|| Linear::biased(weights, "value.score"))
                .transpose()?,
            ownership: config
                .ownership
                .then(|| Linear::plain(weights, "value.ownership"))
                .transpose()?,
        })
    }

    /// The value `[count]`, the score lead `[count]` and the ownership `[count, area]` for features `[rows, channels]`.
    pub fn forward(
        &self,
        features: &Tensor,
        grid: &Grid,
    ) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
        let y = self.conv.forward(features)?.relu()?;
        let hidden = self
            .hidden
            .forward(&pooled(&y, Pooling::Mean, grid)?)?
            .relu()?;
        let value = self.win.forward(&hidden)?.squeeze(1)?.tanh()?;
        let score_lead = |layer: &Linear| layer.forward(&hidden)?.squeeze(1)? * SCORE_SCALE;
        let ownership = |layer: &Linear| {
            layer
                .forward(&y)?
                .tanh()?
                .reshape((grid.count(), grid.area()))
        };
        let score_lead = self.score.as_ref().map(score_lead).transpose()?;
        Ok((
            value,
            score_lead,
            self.ownership.as_ref().map(ownership).transpose()?,
        ))
    }
}
