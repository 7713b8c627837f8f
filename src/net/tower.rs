//! The feature extractor: the first of the network's three parts, which both heads read.

use candle_core::{Result, Tensor};

use super::block::Block;
use super::error::NetError;
use super::layer::{Grid, Linear, Norm, add_to_positions};
use super::weights::Weights;

/// Input convolution, global inputs, residual blocks and the last norm.
#[derive(Debug)]
pub(super) struct Tower {
    conv: Linear,
    /// Present if the net has global inputs.
    global: Option<Linear>,
    blocks: Vec<Block>,
    tip: Norm,
}

impl Tower {
    /// Builds the extractor from its tensors.
    pub fn load(weights: &Weights) -> std::result::Result<Self, NetError> {
        let config = weights.config();
        let kinds = config.blocks.iter().enumerate();
        let blocks =
            kinds.map(|(index, &kind)| Block::load(weights, &format!("blocks.{index}"), kind));
        Ok(Self {
            conv: Linear::plain(weights, "input.conv")?,
            global: (config.globals > 0)
                .then(|| Linear::plain(weights, "input.global"))
                .transpose()?,
            blocks: blocks.collect::<std::result::Result<_, _>>()?,
            tip: Norm::load(weights, "tip.norm")?,
        })
    }

    /// Features `[rows, channels]` of planes `[rows, planes]` and globals `[count, globals]`.
    pub fn forward(&self, planes: &Tensor, globals: &Tensor, grid: &Grid) -> Result<Tensor> {
        let mut x = self.conv.convolve(planes, grid)?;
        if let Some(global) = &self.global {
            x = add_to_positions(&x, &global.forward(globals)?, grid)?;
        }
        for block in &self.blocks {
            x = block.forward(&x, grid)?;
        }
        self.tip.forward(&x)
    }
}
