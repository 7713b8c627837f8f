//! Residual blocks with convolutions. Transformer blocks are in [`super::attention`].
//!
//! Most norms are folded into the preceding layer. The first norm of a block is a separate layer, because its input
//! is the sum of all previous blocks (He et al., "Identity Mappings in Deep Residual Networks", 2016).

use candle_core::{Result, Tensor};

use super::attention::{Attention, FeedForward};
use super::grid::{Grid, Kernel};
use super::layer::{Linear, activate};
use super::norm::Norm;
use crate::net::desc::blocks::{
    self, NestedBlock, OrdinaryBlock, PoolingBlock, PostActivationBlock,
};
use crate::net::desc::layers::{Activation, Pooling};

/// Block of the trunk.
#[derive(Debug)]
pub enum Block {
    Residual(Residual),
    Nested(Nested),
    Attention(Attention),
    FeedForward(FeedForward),
    PostActivation { conv1: Linear, conv2: Linear },
}

/// Ordinary residual block or pooling block.
#[derive(Debug)]
pub struct Residual {
    norm: Norm,
    conv1: Linear,
    /// Global pooling branch. `None` in ordinary blocks.
    global: Option<Global>,
    activation: Activation,
    conv2: Linear,
}

/// Global pooling branch: computes one bias per channel and board, added to the output of the first convolution.
#[derive(Debug)]
struct Global {
    conv: Linear,
    activation: Activation,
    linear: Linear,
}

#[derive(Debug)]
pub struct Nested {
    norm: Norm,
    /// Has no folded norm, because its output is also the start of the inner residual sum.
    down: Linear,
    blocks: Vec<Block>,
    up_norm: Norm,
    up: Linear,
}

impl Block {
    /// Builds all blocks of a list.
    pub fn list(descs: &[blocks::Block]) -> Vec<Self> {
        descs.iter().map(Self::new).collect()
    }

    fn new(desc: &blocks::Block) -> Self {
        match desc {
            blocks::Block::Ordinary(desc) => Self::Residual(Residual::ordinary(desc)),
            blocks::Block::Pooling(desc) => Self::Residual(Residual::pooling(desc)),
            blocks::Block::Nested(desc) => Self::Nested(Nested::new(desc)),
            blocks::Block::Attention(desc) => Self::Attention(Attention::new(desc)),
            blocks::Block::FeedForward(desc) => Self::FeedForward(FeedForward::new(desc)),
            blocks::Block::PostActivation(PostActivationBlock {
                conv1,
                norm1,
                conv2,
                norm2,
            }) => Self::PostActivation {
                conv1: Linear::normed(conv1, norm1),
                conv2: Linear::normed(conv2, norm2),
            },
        }
    }

    /// Appends the kernel sizes of the block's convolutions to `kernels`.
    pub fn kernels(&self, kernels: &mut Vec<Kernel>) {
        match self {
            Self::Residual(block) => {
                kernels.extend([block.conv1.kernel(), block.conv2.kernel()]);
                kernels.extend(block.global.iter().map(|global| global.conv.kernel()));
            }
            Self::Nested(block) => {
                kernels.extend([block.down.kernel(), block.up.kernel()]);
                for block in &block.blocks {
                    block.kernels(kernels);
                }
            }
            Self::PostActivation { conv1, conv2 } => {
                kernels.extend([conv1.kernel(), conv2.kernel()]);
            }
            Self::Attention(_) | Self::FeedForward(_) => {}
        }
    }

    /// Maps `[rows, channels]` to the same shape.
    pub fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        match self {
            Self::Residual(block) => block.forward(x, grid),
            Self::Nested(block) => block.forward(x, grid),
            Self::Attention(block) => block.forward(x, grid),
            Self::FeedForward(block) => block.forward(x, grid),
            Self::PostActivation { conv1, conv2 } => {
                let y = conv1.convolve(x, Activation::Relu, grid)?;
                let sum = (x + conv2.convolve(&y, Activation::Identity, grid)?)?;
                activate(&sum, Activation::Relu)
            }
        }
    }
}

impl Residual {
    fn ordinary(desc: &OrdinaryBlock) -> Self {
        Self {
            norm: Norm::new(&desc.norm1, desc.act1),
            conv1: Linear::normed(&desc.conv1, &desc.norm2),
            global: None,
            activation: desc.act2,
            conv2: Linear::conv(&desc.conv2),
        }
    }

    fn pooling(desc: &PoolingBlock) -> Self {
        Self {
            norm: Norm::new(&desc.norm1, desc.act1),
            conv1: Linear::scaled(&desc.conv1, &desc.norm2),
            global: Some(Global {
                conv: Linear::normed(&desc.pool_conv, &desc.pool_norm),
                activation: desc.pool_act,
                linear: Linear::map_normed(&desc.pool_linear, &desc.norm2),
            }),
            activation: desc.act2,
            conv2: Linear::conv(&desc.conv2),
        }
    }

    fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let r = self.norm.forward(x, grid)?;
        let y = match &self.global {
            None => self.conv1.convolve(&r, self.activation, grid)?,
            Some(global) => {
                let pooled = global.conv.convolve(&r, global.activation, grid)?;
                let features = grid.pooled(&pooled, Pooling::Max)?;
                let added = global.linear.forward(&features, Activation::Identity)?;
                let y = self.conv1.convolve(&r, Activation::Identity, grid)?;
                activate(&grid.add_to_positions(&y, &added)?, self.activation)?
            }
        };
        x + self.conv2.convolve(&y, Activation::Identity, grid)?
    }
}

impl Nested {
    fn new(desc: &NestedBlock) -> Self {
        Self {
            norm: Norm::new(&desc.down_norm, desc.down_act),
            down: Linear::conv(&desc.down),
            blocks: Block::list(&desc.blocks),
            up_norm: Norm::new(&desc.up_norm, desc.up_act),
            up: Linear::conv(&desc.up),
        }
    }

    fn forward(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        let mut y = self
            .down
            .convolve(&self.norm.forward(x, grid)?, Activation::Identity, grid)?;
        for block in &self.blocks {
            y = block.forward(&y, grid)?;
        }
        let y = self.up_norm.forward(&y, grid)?;
        x + self.up.convolve(&y, Activation::Identity, grid)?
    }
}
