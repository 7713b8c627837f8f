//! Feature extractor: the part of the network that both heads read.

use candle_core::{DType, Result, Tensor};

use super::block::Block;
use super::device::Backend;
use super::layers::{
    AffineNorm, Conv, Linear, RmsNorm, activate, add_to_points, apply, boards, rows,
};
use crate::net::desc::check::PROFILE;
use crate::net::desc::layers::Activation;
use crate::net::desc::{self, NetDesc};

/// Stem, blocks and final norm.
#[derive(Debug)]
pub struct Features {
    conv: Conv,
    /// `None` if the network has no global inputs.
    global: Option<Linear>,
    /// Layers of the profile encoder, in f32; empty if the network has no player profile input.
    profile: Vec<Linear>,
    /// Norm of the stem. Present if the blocks do not start with a norm.
    norm: Option<AffineNorm>,
    blocks: Vec<Block>,
    tip: Tip,
    /// Number of global inputs, without the profile.
    globals: usize,
    dtype: DType,
}

/// Final norm of the trunk.
#[derive(Debug)]
enum Tip {
    Plain,
    Affine(AffineNorm),
    Rms(RmsNorm, Activation),
}

impl Features {
    /// Builds the extractor from a checked description.
    ///
    /// # Errors
    /// Returns the device's error, for example if it is out of memory.
    pub fn new(desc: &NetDesc, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let stem = &desc.stem;
        let global = stem
            .global
            .as_ref()
            .map(|global| Linear::new(global, &full));
        let mut profile = Vec::new();
        if let Some(encoder) = &stem.profile {
            let first = Linear::new(&encoder.first, &full)?;
            let second = Linear::new(&encoder.second, &full)?;
            profile.push(first.activated(encoder.first_activation));
            profile.push(second.activated(encoder.second_activation));
            profile.push(Linear::new(&encoder.out, &full)?);
        }
        // The output of the stem's norm is the trunk, which is f32.
        let norm = stem
            .norm
            .as_ref()
            .map(|(norm, act)| AffineNorm::new(norm, *act, &full));
        Ok(Self {
            conv: Conv::new(&stem.conv, backend)?,
            global: global.transpose()?,
            profile,
            norm: norm.transpose()?,
            blocks: Block::list(&desc.blocks, backend)?,
            tip: match &desc.tip {
                desc::Tip::Plain => Tip::Plain,
                desc::Tip::Affine { norm, act } => {
                    Tip::Affine(AffineNorm::new(norm, *act, backend)?)
                }
                desc::Tip::Rms { norm, act } => Tip::Rms(RmsNorm::new(norm, backend)?, *act),
            },
            globals: desc.inputs.globals(),
            dtype: backend.dtype,
        })
    }

    /// Computes the features, `[n, channels, height, width]` in the type of the backend.
    ///
    /// `planes` are `[n, planes, height, width]` and `globals` the global inputs followed by the player profile, if the
    /// network has one: `[n, globals + profile]`. Both are f32. `globals` may be `None` if the network has neither.
    ///
    /// # Errors
    /// Returns an error if a shape does not fit the network, or the device's error.
    pub fn forward(&self, planes: &Tensor, globals: Option<&Tensor>) -> Result<Tensor> {
        let mut x = self.stem(planes, globals)?;
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        match &self.tip {
            Tip::Plain => x.to_dtype(self.dtype),
            Tip::Affine(norm) => norm.forward(&x),
            Tip::Rms(norm, activation) => {
                let (_, _, height, width) = x.dims4()?;
                let y = activate(&norm.forward(&rows(&x)?)?, *activation)?;
                boards(&y, height, width)
            }
        }
    }

    /// Computes the start of the trunk, in f32.
    fn stem(&self, planes: &Tensor, globals: Option<&Tensor>) -> Result<Tensor> {
        let mut x = self.conv.forward(planes)?.to_dtype(DType::F32)?;
        let part = |first: usize, length: usize| match globals {
            None => candle_core::bail!("expected global inputs, found none"),
            Some(globals) => globals.narrow(1, first, length),
        };
        if let Some(global) = &self.global {
            let globals = part(0, self.globals)?;
            x = add_to_points(&x, &global.forward(&globals)?)?;
        }
        if !self.profile.is_empty() {
            let profile = apply(&self.profile, &part(self.globals, PROFILE)?)?;
            x = add_to_points(&x, &profile)?;
        }
        match &self.norm {
            None => Ok(x),
            Some(norm) => norm.forward(&x),
        }
    }
}
