//! Feature extractor: the part of the network that both heads read.

use candle_core::{Result, Tensor};

use super::block::Block;
use super::grid::{Grid, Kernel};
use super::layer::{Linear, activate};
use super::norm::{Norm, RmsNorm};
use crate::net::desc::layers::Activation;
use crate::net::desc::{self, NetDesc};

/// Input layers, residual blocks and the last norm.
#[derive(Debug)]
pub struct Tower {
    conv: Linear,
    /// `None` if the network has no global inputs.
    global: Option<Linear>,
    /// `None` if the network has no player profile input.
    profile: Option<ProfileEncoder>,
    /// Norm after the first layers. Present if the blocks do not start with a norm.
    norm: Option<Norm>,
    blocks: Vec<Block>,
    tip: Tip,
}

#[derive(Debug)]
struct ProfileEncoder {
    first: Linear,
    first_activation: Activation,
    second: Linear,
    second_activation: Activation,
    out: Linear,
}

#[derive(Debug)]
enum Tip {
    Plain,
    Affine(Norm),
    Rms(RmsNorm, Activation),
}

impl Tower {
    pub fn new(desc: &NetDesc) -> Self {
        Self {
            conv: Linear::conv(&desc.stem.conv),
            global: desc.stem.global.as_ref().map(Linear::map),
            profile: desc.stem.profile.as_ref().map(ProfileEncoder::new),
            norm: desc
                .stem
                .norm
                .as_ref()
                .map(|(norm, activation)| Norm::new(norm, *activation)),
            blocks: Block::list(&desc.blocks),
            tip: match &desc.tip {
                desc::Tip::Plain => Tip::Plain,
                desc::Tip::Affine { norm, act } => Tip::Affine(Norm::new(norm, *act)),
                desc::Tip::Rms { norm, act } => Tip::Rms(RmsNorm::new(norm), *act),
            },
        }
    }

    /// Appends the kernel sizes of the extractor's convolutions to `kernels`.
    pub fn kernels(&self, kernels: &mut Vec<Kernel>) {
        kernels.push(self.conv.kernel());
        for block in &self.blocks {
            block.kernels(kernels);
        }
    }

    /// Computes the features, `[rows, channels]`.
    ///
    /// Inputs are planes `[rows, planes]`, globals `[count, globals]` and, for networks with a player profile,
    /// profiles `[count, 192]`.
    pub fn forward(
        &self,
        planes: &Tensor,
        globals: &Tensor,
        profiles: Option<&Tensor>,
        grid: &Grid,
    ) -> Result<Tensor> {
        let mut x = self.conv.convolve(planes, Activation::Identity, grid)?;
        if let Some(global) = &self.global {
            x = grid.add_to_positions(&x, &global.forward(globals, Activation::Identity)?)?;
        }
        if let (Some(encoder), Some(profiles)) = (&self.profile, profiles) {
            x = grid.add_to_positions(&x, &encoder.forward(profiles)?)?;
        }
        if let Some(norm) = &self.norm {
            x = norm.forward(&x, grid)?;
        }
        for block in &self.blocks {
            x = block.forward(&x, grid)?;
        }
        match &self.tip {
            Tip::Plain => Ok(x),
            Tip::Affine(norm) => norm.forward(&x, grid),
            Tip::Rms(norm, activation) => activate(&norm.forward(&x, grid)?, *activation),
        }
    }
}

impl ProfileEncoder {
    fn new(desc: &desc::ProfileEncoder) -> Self {
        Self {
            first: Linear::map(&desc.first),
            first_activation: desc.first_activation,
            second: Linear::map(&desc.second),
            second_activation: desc.second_activation,
            out: Linear::map(&desc.out),
        }
    }

    fn forward(&self, profiles: &Tensor) -> Result<Tensor> {
        let x = self.first.forward(profiles, self.first_activation)?;
        let x = self.second.forward(&x, self.second_activation)?;
        self.out.forward(&x, Activation::Identity)
    }
}
