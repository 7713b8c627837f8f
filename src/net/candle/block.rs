//! Blocks of the trunk with convolutions. Transformer blocks are in [`super::transformer`].
//!
//! The first norm of a block is a separate layer, because its input is the sum of the outputs of all previous blocks
//! (He et al., "Identity Mappings in Deep Residual Networks", 2016). A norm after a convolution is folded into the
//! weights of the convolution.

use candle_core::{Result, Tensor};
use candle_nn::{Func, Module};

use super::device::Backend;
use super::layers::{AffineNorm, Conv, Linear, activate, add_to_points, pool};
use super::transformer::{attention, feed_forward};
use crate::net::folded::Layer;
use crate::net::spec::blocks::{
    Block, NestedBlock, OrdinaryBlock, PoolingBlock, PostActivationBlock,
};
use crate::net::spec::layers::Activation::{Identity, Relu};
use crate::net::spec::layers::Pooling;

/// Creates the blocks of a trunk. Each block maps `[n, channels, height, width]` to the same shape.
pub fn blocks(specs: &[Block], backend: &Backend) -> Result<Vec<Func<'static>>> {
    let block = |spec: &Block| match spec {
        Block::Ordinary(spec) => ordinary(spec, backend),
        Block::Pooling(spec) => pooling(spec, backend),
        Block::Nested(spec) => nested(spec, backend),
        Block::Attention(spec) => attention(spec, backend),
        Block::FeedForward(spec) => feed_forward(spec, backend),
        Block::PostActivation(spec) => post_activation(spec, backend),
    };
    specs.iter().map(block).collect()
}

/// Applies modules in sequence.
pub fn forward_in_sequence(modules: &[impl Module], x: &Tensor) -> Result<Tensor> {
    let mut modules = modules.iter();
    modules.try_fold(x.clone(), |x, module| module.forward(&x))
}

/// Ordinary residual block.
///
/// ```text
/// x ─┬─▶ norm ─▶ conv1 ─▶ conv2 ─▶ + ─▶
///    └─────────────────────────────┘
/// ```
fn ordinary(spec: &OrdinaryBlock, backend: &Backend) -> Result<Func<'static>> {
    let norm = AffineNorm::new(&spec.norm1, spec.act1, backend)?;
    let conv1 = Layer::conv(&spec.conv1).with_folded_norm(&spec.norm2);
    let conv1 = Conv::new(&conv1, spec.act2, backend)?;
    let conv2 = Conv::new(&Layer::conv(&spec.conv2), Identity, backend)?;
    Ok(Func::new(move |x| {
        x + x.apply(&norm)?.apply(&conv1)?.apply(&conv2)?
    }))
}

/// Pooling block: computes a vector from all points of a board and adds it to each point. This linear layer is computed
/// in f32, because it has few products. It includes the shift of the second norm, and `conv1` only the scale.
///
/// ```text
/// x ─┬─▶ norm ─┬─▶ conv1 ──────────────────────▶ + ─▶ activation ─▶ conv2 ─▶ + ─▶
///    │         └─▶ pool_conv ─▶ pool ─▶ linear ──┘                           │
///    └───────────────────────────────────────────────────────────────────────┘
/// ```
fn pooling(spec: &PoolingBlock, backend: &Backend) -> Result<Func<'static>> {
    let norm = AffineNorm::new(&spec.norm1, spec.act1, backend)?;
    let pool_conv = Layer::conv(&spec.pool_conv).with_folded_norm(&spec.pool_norm);
    let pool_conv = Conv::new(&pool_conv, spec.pool_act, backend)?;
    let linear = Layer::linear(&spec.pool_linear).with_folded_norm(&spec.norm2);
    let linear = Linear::new(&linear, Identity, &backend.full_precision())?;
    let conv1 = Layer::conv(&spec.conv1).with_folded_norm_scale(&spec.norm2);
    let conv1 = Conv::new(&conv1, Identity, backend)?;
    let activation = spec.act2;
    let conv2 = Conv::new(&Layer::conv(&spec.conv2), Identity, backend)?;
    Ok(Func::new(move |x| {
        let r = x.apply(&norm)?;
        let pooled = pool(&r.apply(&pool_conv)?, Pooling::Max)?;
        let y = add_to_points(&r.apply(&conv1)?, &pooled.apply(&linear)?)?;
        x + activate(&y, activation)?.apply(&conv2)?
    }))
}

/// Bottleneck: inner blocks on fewer channels, between two convolutions. The inner blocks have their own trunk.
fn nested(spec: &NestedBlock, backend: &Backend) -> Result<Func<'static>> {
    let down_norm = AffineNorm::new(&spec.down_norm, spec.down_act, backend)?;
    let down = Conv::new(&Layer::conv(&spec.down), Identity, backend)?;
    let blocks = blocks(&spec.blocks, backend)?;
    let up_norm = AffineNorm::new(&spec.up_norm, spec.up_act, backend)?;
    let up = Conv::new(&Layer::conv(&spec.up), Identity, backend)?;
    Ok(Func::new(move |x| {
        let inner = x.apply(&down_norm)?.apply(&down)?;
        let inner = forward_in_sequence(&blocks, &inner)?;
        x + inner.apply(&up_norm)?.apply(&up)?
    }))
}

/// Block with activations after the norms: `relu(x + conv2(relu(conv1(x))))`, where each convolution includes the
/// following norm.
fn post_activation(spec: &PostActivationBlock, backend: &Backend) -> Result<Func<'static>> {
    let conv1 = Layer::conv(&spec.conv1).with_folded_norm(&spec.norm1);
    let conv1 = Conv::new(&conv1, Relu, backend)?;
    let conv2 = Layer::conv(&spec.conv2).with_folded_norm(&spec.norm2);
    let conv2 = Conv::new(&conv2, Identity, backend)?;
    Ok(Func::new(move |x| {
        activate(&(x + x.apply(&conv1)?.apply(&conv2)?)?, Relu)
    }))
}
