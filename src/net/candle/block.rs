//! Residual blocks with convolutions. Transformer blocks are in [`super::transformer`].
//!
//! The first norm of a block is a separate layer, because its input is the sum of the outputs of all previous blocks
//! (He et al., "Identity Mappings in Deep Residual Networks", 2016). A norm after a convolution is folded into the
//! weights of the convolution.

use candle_core::{Result, Tensor};

use super::device::Backend;
use super::layers::{AffineNorm, Conv, Linear, activate, add_to_points, add_to_trunk, pool};
use super::transformer::{Attention, FeedForward};
use crate::net::spec::blocks::{
    self, NestedBlock, OrdinaryBlock, PoolingBlock, PostActivationBlock,
};
use crate::net::spec::layers::{Activation, Pooling};

/// Block of the trunk. Input and output have the shape `[n, channels, height, width]` and are f32.
#[derive(Debug)]
pub enum Block {
    Residual(Residual),
    Nested(Nested),
    Attention(Attention),
    FeedForward(FeedForward),
    PostActivation(PostActivation),
}

impl Block {
    /// Creates the blocks of a list, in order.
    pub fn from_specs(blocks: &[blocks::Block], backend: &Backend) -> Result<Vec<Self>> {
        blocks
            .iter()
            .map(|block| Self::new(block, backend))
            .collect()
    }

    fn new(block: &blocks::Block, backend: &Backend) -> Result<Self> {
        Ok(match block {
            blocks::Block::Ordinary(spec) => Self::Residual(Residual::ordinary(spec, backend)?),
            blocks::Block::Pooling(spec) => Self::Residual(Residual::pooling(spec, backend)?),
            blocks::Block::Nested(spec) => Self::Nested(Nested::new(spec, backend)?),
            blocks::Block::Attention(spec) => Self::Attention(Attention::new(spec, backend)?),
            blocks::Block::FeedForward(spec) => Self::FeedForward(FeedForward::new(spec, backend)?),
            blocks::Block::PostActivation(spec) => {
                Self::PostActivation(PostActivation::new(spec, backend)?)
            }
        })
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Residual(block) => block.forward(x),
            Self::Nested(block) => block.forward(x),
            Self::Attention(block) => block.forward(x),
            Self::FeedForward(block) => block.forward(x),
            Self::PostActivation(block) => block.forward(x),
        }
    }
}

/// Ordinary residual block, or pooling block.
///
/// ```text
/// x ─┬─▶ norm ─▶ conv1 ────────────▶ + ─▶ activation ─▶ conv2 ─▶ + ─▶
///    │        └▶ global pooling ─────┘                           │
///    └───────────────────────────────────────────────────────────┘
/// ```
#[derive(Debug)]
pub struct Residual {
    norm: AffineNorm,
    /// First convolution. In an ordinary block, it includes the second norm and activation. In a pooling block, it
    /// includes only the scale of that norm.
    conv1: Conv,
    /// Branch with global pooling; `None` in ordinary blocks.
    global: Option<GlobalPoolingBranch>,
    conv2: Conv,
}

/// Branch of a pooling block: computes a vector from all points of a board and adds it to each point.
#[derive(Debug)]
struct GlobalPoolingBranch {
    conv: Conv,
    /// Linear layer that includes the second norm of the block. It is computed in f32, like the pooled features.
    linear: Linear,
    /// Activation after the sum.
    activation: Activation,
}

impl Residual {
    fn ordinary(spec: &OrdinaryBlock, backend: &Backend) -> Result<Self> {
        Ok(Self {
            norm: AffineNorm::new(&spec.norm1, spec.act1, backend)?,
            conv1: Conv::with_folded_norm(&spec.conv1, &spec.norm2, spec.act2, backend)?,
            global: None,
            conv2: Conv::new(&spec.conv2, backend)?,
        })
    }

    fn pooling(spec: &PoolingBlock, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        Ok(Self {
            norm: AffineNorm::new(&spec.norm1, spec.act1, backend)?,
            conv1: Conv::with_folded_norm_scale(&spec.conv1, &spec.norm2, backend)?,
            global: Some(GlobalPoolingBranch {
                conv: Conv::with_folded_norm(
                    &spec.pool_conv,
                    &spec.pool_norm,
                    spec.pool_act,
                    backend,
                )?,
                linear: Linear::with_folded_norm(&spec.pool_linear, &spec.norm2, &full)?,
                activation: spec.act2,
            }),
            conv2: Conv::new(&spec.conv2, backend)?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let r = self.norm.forward(x)?;
        let mut y = self.conv1.forward(&r)?;
        if let Some(global) = &self.global {
            let pooled = pool(&global.conv.forward(&r)?, Pooling::Max)?;
            let sum = add_to_points(&y, &global.linear.forward(&pooled)?)?;
            y = activate(&sum, global.activation)?;
        }
        add_to_trunk(x, &self.conv2.forward(&y)?)
    }
}

/// Bottleneck: inner blocks on fewer channels, between two convolutions. The inner blocks have their own trunk.
#[derive(Debug)]
pub struct Nested {
    norm: AffineNorm,
    down: Conv,
    blocks: Vec<Block>,
    up_norm: AffineNorm,
    up: Conv,
}

impl Nested {
    fn new(spec: &NestedBlock, backend: &Backend) -> Result<Self> {
        Ok(Self {
            norm: AffineNorm::new(&spec.down_norm, spec.down_act, backend)?,
            down: Conv::new(&spec.down, backend)?,
            blocks: Block::from_specs(&spec.blocks, backend)?,
            up_norm: AffineNorm::new(&spec.up_norm, spec.up_act, backend)?,
            up: Conv::new(&spec.up, backend)?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut inner = self
            .down
            .forward(&self.norm.forward(x)?)?
            .to_dtype(x.dtype())?;
        for block in &self.blocks {
            inner = block.forward(&inner)?;
        }
        add_to_trunk(x, &self.up.forward(&self.up_norm.forward(&inner)?)?)
    }
}

/// Block with activations after the norms: `relu(x + conv2(relu(conv1(x))))`, where each convolution includes the
/// following norm.
#[derive(Debug)]
pub struct PostActivation {
    conv1: Conv,
    conv2: Conv,
}

impl PostActivation {
    fn new(spec: &PostActivationBlock, backend: &Backend) -> Result<Self> {
        Ok(Self {
            conv1: Conv::with_folded_norm(&spec.conv1, &spec.norm1, Activation::Relu, backend)?,
            conv2: Conv::with_folded_norm(&spec.conv2, &spec.norm2, Activation::Identity, backend)?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.conv2.forward(&self.conv1.forward(x)?)?;
        activate(&add_to_trunk(x, &y)?, Activation::Relu)
    }
}
