//! Value head: result, score and ownership, from the perspective of the player to move.

use candle_core::{Result, Tensor};

use super::grid::{Grid, Kernel};
use super::layer::Linear;
use crate::net::desc::heads::{self, PooledValue};
use crate::net::desc::layers::{Activation, Pooling};

/// Value head of either type.
#[derive(Debug)]
pub enum ValueHead {
    Pooled(Box<Pooled>),
    Flat {
        conv: Linear,
        hidden: Linear,
        result: Linear,
    },
}

#[derive(Debug)]
pub struct Pooled {
    conv: Linear,
    activation: Activation,
    hidden: Linear,
    hidden_activation: Activation,
    result: Linear,
    /// `None` if the network has no score output.
    score: Option<Linear>,
    /// `None` if the network has no ownership output.
    ownership: Option<Linear>,
}

/// Raw outputs before decoding: `[count, results]`, `[count, scores]` and `[rows, 1]`.
#[derive(Debug)]
pub struct Outcome {
    pub result: Tensor,
    pub score: Option<Tensor>,
    pub ownership: Option<Tensor>,
}

impl ValueHead {
    pub fn new(desc: &heads::ValueHead) -> Self {
        match desc {
            heads::ValueHead::Pooled(desc) => Self::Pooled(Box::new(Pooled::new(desc))),
            heads::ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => Self::Flat {
                conv: Linear::normed(conv, norm),
                hidden: Linear::map(hidden),
                result: Linear::map(result),
            },
        }
    }

    /// Appends the kernel sizes of the head's convolutions to `kernels`.
    pub fn kernels(&self, kernels: &mut Vec<Kernel>) {
        match self {
            Self::Pooled(head) => {
                kernels.push(head.conv.kernel());
                kernels.extend(head.ownership.as_ref().map(Linear::kernel));
            }
            Self::Flat { conv, .. } => kernels.push(conv.kernel()),
        }
    }

    /// Computes the outputs from features `[rows, channels]`.
    pub fn forward(&self, features: &Tensor, grid: &Grid) -> Result<Outcome> {
        match self {
            Self::Pooled(head) => head.forward(features, grid),
            Self::Flat {
                conv,
                hidden,
                result,
            } => {
                let flat = grid.flat(&conv.convolve(features, Activation::Relu, grid)?)?;
                Ok(Outcome {
                    result: result.forward(
                        &hidden.forward(&flat, Activation::Relu)?,
                        Activation::Identity,
                    )?,
                    score: None,
                    ownership: None,
                })
            }
        }
    }
}

impl Pooled {
    fn new(desc: &PooledValue) -> Self {
        Self {
            conv: Linear::normed(&desc.conv, &desc.norm),
            activation: desc.act,
            hidden: Linear::map(&desc.hidden),
            hidden_activation: desc.hidden_act,
            result: Linear::map(&desc.result),
            score: desc.score.as_ref().map(Linear::map),
            ownership: desc.ownership.as_ref().map(Linear::conv),
        }
    }

    fn forward(&self, features: &Tensor, grid: &Grid) -> Result<Outcome> {
        let y = self.conv.convolve(features, self.activation, grid)?;
        let board = grid.pooled(&y, Pooling::Mean)?;
        let hidden = self.hidden.forward(&board, self.hidden_activation)?;
        let of_hidden = |layer: &Linear| layer.forward(&hidden, Activation::Identity);
        let of_points = |layer: &Linear| layer.convolve(&y, Activation::Identity, grid);
        Ok(Outcome {
            result: self.result.forward(&hidden, Activation::Identity)?,
            score: self.score.as_ref().map(of_hidden).transpose()?,
            ownership: self.ownership.as_ref().map(of_points).transpose()?,
        })
    }
}
