//! Version 1 of this program's network files, which the trainer writes: networks of one architecture.
//!
//! The metadata contains sizes ([`config`]), from which the names and shapes of the tensors ([`weights`]) follow.
//! [`describe`] converts them to a network description.

pub mod config;
pub mod weights;

use crate::net::error::NetError;
use crate::net::spec::blocks::{Block, OrdinaryBlock, PoolingBlock};
use crate::net::spec::heads::{PassHead, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear};
use crate::net::spec::{Inputs, NetDesc, Readout, Stem, TrunkNorm};
use config::BlockKind;
use weights::Weights;

/// Added to the variances of batch norms, as in the trainer.
const NORM_EPSILON: f32 = 1e-5;

type Described<T> = Result<T, NetError>;

/// Builds the description of the network with the given weights.
///
/// # Errors
/// Returns the errors of [`NetDesc::checked`]. The check succeeds for weights that were read from a file or generated
/// by this program.
pub fn describe(weights: &Weights) -> Result<NetDesc, NetError> {
    let config = weights.config();
    let source = Source(weights);
    let blocks = config.blocks.iter().enumerate();
    NetDesc {
        name: config.name.clone(),
        note: weights.trainer_note().map(str::to_owned),
        ranges: None,
        inputs: Inputs::Honinbo {
            planes: config.planes,
            globals: config.globals,
        },
        stem: Stem {
            conv: source.conv("input.conv")?,
            global: (config.globals > 0)
                .then(|| source.linear("input.global"))
                .transpose()?,
            profile: None,
            norm: None,
        },
        blocks: blocks
            .map(|(index, &kind)| source.block(&format!("blocks.{index}"), kind))
            .collect::<Described<_>>()?,
        trunk_norm: TrunkNorm::Affine {
            norm: source.norm("tip.norm")?,
            act: Activation::Relu,
        },
        policy: PolicyHead::Pooled(Box::new(source.policy()?)),
        value: ValueHead::Pooled(Box::new(source.value()?)),
        readout: Readout::Honinbo,
    }
    .checked()
}

/// Access to the tensors by the names of their layers.
struct Source<'a>(&'a Weights);

impl Source<'_> {
    /// Loads a convolution with the layout `[outputs, inputs, height, width]`.
    fn conv(&self, layer: &str) -> Described<Conv> {
        let array = self.0.array(&format!("{layer}.weight"))?;
        let side = |axis: usize| array.shape.get(axis).copied().unwrap_or(1);
        let (outputs, inputs, height, width) = (side(0), side(1), side(2), side(3));
        Ok(Conv::of_rows(
            &array.values,
            outputs,
            inputs,
            [height, width],
        ))
    }

    /// Loads a linear layer with the layout `[outputs, inputs]` and no bias.
    fn linear(&self, layer: &str) -> Described<Linear> {
        let Conv {
            inputs,
            outputs,
            weights,
            ..
        } = self.conv(layer)?;
        Ok(Linear {
            inputs,
            outputs,
            biased: false,
            weights,
            bias: Vec::new(),
        })
    }

    fn biased(&self, layer: &str) -> Described<Linear> {
        Ok(Linear {
            biased: true,
            bias: self.0.array(&format!("{layer}.bias"))?.values.clone(),
            ..self.linear(layer)?
        })
    }

    fn norm(&self, norm: &str) -> Described<Affine> {
        let part = |part: &str| {
            let array = self.0.array(&format!("{norm}.{part}"))?;
            Ok::<_, NetError>(array.values.as_slice())
        };
        Ok(Affine::of_batch_norm(
            part("running_mean")?,
            part("running_var")?,
            NORM_EPSILON,
            part("weight")?,
            part("bias")?,
        ))
    }

    fn block(&self, block: &str, kind: BlockKind) -> Described<Block> {
        let part = |part: &str| format!("{block}.{part}");
        let (norm1, conv1) = (self.norm(&part("norm1"))?, self.conv(&part("conv1"))?);
        let (norm2, conv2) = (self.norm(&part("norm2"))?, self.conv(&part("conv2"))?);
        let (act1, act2) = (Activation::Relu, Activation::Relu);
        Ok(match kind {
            BlockKind::Ordinary => Block::Ordinary(OrdinaryBlock {
                norm1,
                act1,
                conv1,
                norm2,
                act2,
                conv2,
            }),
            BlockKind::Pooling => Block::Pooling(PoolingBlock {
                norm1,
                act1,
                conv1,
                pool_conv: self.conv(&part("pool_conv"))?,
                pool_norm: self.norm(&part("pool_norm"))?,
                pool_act: Activation::Relu,
                pool_linear: self.linear(&part("pool_linear"))?,
                norm2,
                act2,
                conv2,
            }),
        })
    }

    fn policy(&self) -> Described<PooledPolicy> {
        let pass = || {
            Ok::<_, NetError>(PassHead {
                hidden: None,
                out: self.linear("policy.pass")?,
            })
        };
        Ok(PooledPolicy {
            conv: self.conv("policy.conv")?,
            pool_conv: self.conv("policy.pool_conv")?,
            pool_norm: self.norm("policy.pool_norm")?,
            pool_act: Activation::Relu,
            pool_linear: self.linear("policy.pool_linear")?,
            norm: self.norm("policy.norm")?,
            act: Activation::Relu,
            out: self.conv("policy.out")?,
            pass: self.0.config().pass.then(pass).transpose()?,
        })
    }

    fn value(&self) -> Described<PooledValue> {
        let config = self.0.config();
        Ok(PooledValue {
            conv: self.conv("value.conv")?,
            norm: self.norm("value.norm")?,
            act: Activation::Relu,
            hidden: self.biased("value.hidden")?,
            hidden_act: Activation::Relu,
            result: self.biased("value.win")?,
            score: config
                .score
                .then(|| self.biased("value.score"))
                .transpose()?,
            ownership: config
                .ownership
                .then(|| self.conv("value.ownership"))
                .transpose()?,
        })
    }
}
