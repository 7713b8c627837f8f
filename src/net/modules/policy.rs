//! Policy head: move logits for all points and, if supported by the network, for the pass.

use candle_core::{Result, Tensor};

use super::grid::{Grid, Kernel};
use super::layer::{Linear, activate};
use crate::net::desc::heads::{self, PassHead, PooledPolicy};
use crate::net::desc::layers::{Activation, Pooling};

/// Policy head of either type.
#[derive(Debug)]
pub enum PolicyHead {
    Pooled(Box<Pooled>),
    Flat { conv: Linear, out: Linear },
}

#[derive(Debug)]
pub struct Pooled {
    conv: Linear,
    pool_conv: Linear,
    pool_activation: Activation,
    pool_linear: Linear,
    activation: Activation,
    out: Linear,
    /// `None` if the network has no pass output.
    pass: Option<Pass>,
}

#[derive(Debug)]
struct Pass {
    hidden: Option<(Linear, Activation)>,
    out: Linear,
}

/// Policy logits: `[rows, kinds]` for the points and `[count, kinds]` for the pass.
///
/// The kinds are the policy channels of the network.
#[derive(Debug)]
pub struct Logits {
    pub points: Tensor,
    pub pass: Option<Tensor>,
}

impl PolicyHead {
    pub fn new(desc: &heads::PolicyHead) -> Self {
        match desc {
            heads::PolicyHead::Pooled(desc) => Self::Pooled(Box::new(Pooled::new(desc))),
            heads::PolicyHead::Flat { conv, norm, out } => Self::Flat {
                conv: Linear::normed(conv, norm),
                out: Linear::map(out),
            },
        }
    }

    /// Appends the kernel sizes of the head's convolutions to `kernels`.
    pub fn kernels(&self, kernels: &mut Vec<Kernel>) {
        match self {
            Self::Pooled(head) => {
                let convs = [&head.conv, &head.pool_conv, &head.out];
                kernels.extend(convs.map(Linear::kernel));
            }
            Self::Flat { conv, .. } => kernels.push(conv.kernel()),
        }
    }

    /// Computes the logits from features `[rows, channels]`.
    pub fn forward(&self, features: &Tensor, grid: &Grid) -> Result<Logits> {
        match self {
            Self::Pooled(head) => head.forward(features, grid),
            Self::Flat { conv, out } => {
                let logits = out.forward(
                    &grid.flat(&conv.convolve(features, Activation::Relu, grid)?)?,
                    Activation::Identity,
                )?;
                let points = logits.narrow(1, 0, grid.area())?.contiguous()?;
                Ok(Logits {
                    points: points.reshape((grid.count() * grid.area(), 1))?,
                    pass: Some(logits.narrow(1, grid.area(), 1)?),
                })
            }
        }
    }
}

impl Pooled {
    fn new(desc: &PooledPolicy) -> Self {
        Self {
            conv: Linear::scaled(&desc.conv, &desc.norm),
            pool_conv: Linear::normed(&desc.pool_conv, &desc.pool_norm),
            pool_activation: desc.pool_act,
            pool_linear: Linear::map_normed(&desc.pool_linear, &desc.norm),
            activation: desc.act,
            out: Linear::conv(&desc.out),
            pass: desc.pass.as_ref().map(Pass::new),
        }
    }

    fn forward(&self, features: &Tensor, grid: &Grid) -> Result<Logits> {
        let pooled = self
            .pool_conv
            .convolve(features, self.pool_activation, grid)?;
        let board = grid.pooled(&pooled, Pooling::Max)?;
        let y = grid.add_to_positions(
            &self.conv.convolve(features, Activation::Identity, grid)?,
            &self.pool_linear.forward(&board, Activation::Identity)?,
        )?;
        let y = activate(&y, self.activation)?;
        Ok(Logits {
            points: self.out.convolve(&y, Activation::Identity, grid)?,
            pass: self
                .pass
                .as_ref()
                .map(|pass| pass.forward(&board))
                .transpose()?,
        })
    }
}

impl Pass {
    fn new(desc: &PassHead) -> Self {
        let hidden = |(linear, activation): &(_, _)| (Linear::map(linear), *activation);
        Self {
            hidden: desc.hidden.as_ref().map(hidden),
            out: Linear::map(&desc.out),
        }
    }

    fn forward(&self, board: &Tensor) -> Result<Tensor> {
        match &self.hidden {
            None => self.out.forward(board, Activation::Identity),
            Some((hidden, activation)) => {
                let hidden = hidden.forward(board, *activation)?;
                self.out.forward(&hidden, Activation::Identity)
            }
        }
    }
}
