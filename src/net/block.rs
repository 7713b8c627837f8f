//! A residual block of the trunk, ordinary or pooling.
//!
//! `x + conv2(relu(norm2(conv1(r) [+ pooled features of r])))` with `r = relu(norm1(x))`: norm and activation stand
//! before the convolutions (He et al., "Identity Mappings in Deep Residual Networks", 2016). norm1 works on the sum of
//! all blocks before and stays a layer; the other norms are folded into the maps whose results they take.

use candle_core::{Result, Tensor};

use super::config::BlockKind;
use super::error::NetError;
use super::layer::{Grid, Linear, Norm, Pooling, add_to_positions, pooled};
use super::weights::Weights;

/// One residual block.
#[derive(Debug)]
pub(super) struct Block {
    norm1: Norm,
    conv1: Linear,
    /// Present in a pooling block.
    global: Option<Global>,
    conv2: Linear,
}

/// What a pooling block adds to its first convolution, the same on every point of a board.
#[derive(Debug)]
struct Global {
    conv: Linear,
    linear: Linear,
}

impl Block {
    /// Builds the block whose tensors begin with `name`.
    pub fn load(
        weights: &Weights,
        name: &str,
        kind: BlockKind,
    ) -> std::result::Result<Self, NetError> {
        let (conv1, norm2) = (format!("{name}.conv1"), format!("{name}.norm2"));
        let (conv1, global) = match kind {
            BlockKind::Ordinary => (Linear::normed(weights, &conv1, &norm2)?, None),
            BlockKind::Pooling => {
                let conv = Linear::normed(
                    weights,
                    &format!("{name}.pool_conv"),
                    &format!("{name}.pool_norm"),
                )?;
                let linear = Linear::normed(weights, &format!("{name}.pool_linear"), &norm2)?;
                (
                    Linear::scaled(weights, &conv1, &norm2)?,
                    Some(Global { conv, linear }),
                )
            }
        };
        Ok(Self {
            norm1: Norm::load(weights, &format!("{name}.norm1"))?,
            conv1,
            global,
            conv2: Linear::plain(weights, &format!("{name}.conv2"))?,
        })
    }

    /// `[rows, channels]` to the same shape.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let r = self.norm1.forward(x)?;
        let mut y = self.conv1.convolve(&r, grid)?;
        if let Some(global) = &self.global {
            let features = pooled(&global.conv.convolve(&r, grid)?.relu()?, Pooling::Max, grid)?;
            y = add_to_positions(&y, &global.linear.forward(&features)?, grid)?;
        }
        x + self.conv2.convolve(&y.relu()?, grid)?
    }
}
