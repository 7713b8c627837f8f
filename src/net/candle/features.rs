//! Feature extractor: the part of the network whose output both heads read.

use std::sync::Arc;

use candle_core::{DType, Result, Tensor};

use super::block::Block;
use super::device::Backend;
use super::fused::{self, Workspaces};
use super::layers::{
    AffineNorm, Conv, Linear, RmsNorm, activate, add_to_points, forward_in_sequence, to_boards,
    to_rows,
};
use crate::net::cpu::executor::CpuExecutor;
use crate::net::spec::PROFILE_LEN;
use crate::net::spec::layers::Activation;
use crate::net::spec::{self, NetSpec};

/// Feature extractor module.
#[derive(Debug)]
pub enum FeatureExtractor {
    /// This engine's CPU kernels.
    Fused(Arc<CpuExecutor>),
    /// candle's operations.
    Plain(Box<Trunk>),
}

/// Stem, blocks and final norm, computed with candle's operations.
#[derive(Debug)]
pub struct Trunk {
    conv: Conv,
    /// Layer for the global inputs, or `None` if the network has none.
    global: Option<Linear>,
    /// Layers of the profile encoder, in f32; empty if the network has no player profile input.
    profile: Vec<Linear>,
    /// Norm of the stem, or `None` if the blocks start with a norm.
    norm: Option<AffineNorm>,
    blocks: Vec<Block>,
    trunk_norm: TrunkNorm,
    /// Number of global inputs, not counting the profile.
    globals: usize,
    dtype: DType,
}

/// Final norm of the trunk.
#[derive(Debug)]
enum TrunkNorm {
    None,
    Affine(AffineNorm),
    Rms(RmsNorm, Activation),
}

impl FeatureExtractor {
    /// Computes the features of `n` positions, which are the input of both heads.
    ///
    /// Both tensors are f32. `planes` is `[n, planes, height, width]`. `globals` is `[n, globals + profile]` and
    /// contains the global inputs followed by the player profile. Inputs that the network does not use are omitted.
    ///
    /// # Errors
    /// Returns an error if a shape does not fit the network or if the device reports an error.
    pub fn forward(
        &self,
        planes: &Tensor,
        globals: &Tensor,
        workspaces: &mut Workspaces,
    ) -> Result<Tensor> {
        match self {
            Self::Fused(executor) => fused::compute_features(executor, planes, globals, workspaces),
            Self::Plain(trunk) => trunk.forward(planes, globals),
        }
    }
}

impl Trunk {
    /// Builds the extractor from a checked description.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &NetSpec, backend: &Backend) -> Result<Self> {
        let full = backend.full_precision();
        let stem = &spec.stem;
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
        // The stem's norm is f32, because its output is the start of the trunk.
        let norm = stem
            .norm
            .as_ref()
            .map(|(norm, act)| AffineNorm::new(norm, *act, &full));
        Ok(Self {
            conv: Conv::new(&stem.conv, backend)?,
            global: global.transpose()?,
            profile,
            norm: norm.transpose()?,
            blocks: Block::from_specs(&spec.blocks, backend)?,
            trunk_norm: match &spec.trunk_norm {
                spec::TrunkNorm::None => TrunkNorm::None,
                spec::TrunkNorm::Affine { norm, act } => {
                    TrunkNorm::Affine(AffineNorm::new(norm, *act, backend)?)
                }
                spec::TrunkNorm::Rms { norm, act } => {
                    TrunkNorm::Rms(RmsNorm::new(norm, backend)?, *act)
                }
            },
            globals: spec.inputs.globals(),
            dtype: backend.dtype,
        })
    }

    /// Computes the features, `[n, channels, height, width]` in the type of the backend.
    ///
    /// The arguments are the same as those of [`FeatureExtractor::forward`].
    fn forward(&self, planes: &Tensor, globals: &Tensor) -> Result<Tensor> {
        let mut x = self.stem(planes, globals)?;
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        match &self.trunk_norm {
            TrunkNorm::None => x.to_dtype(self.dtype),
            TrunkNorm::Affine(norm) => norm.forward(&x),
            TrunkNorm::Rms(norm, activation) => {
                let (_, _, height, width) = x.dims4()?;
                let y = activate(&norm.forward(&to_rows(&x)?)?, *activation)?;
                to_boards(&y, height, width)
            }
        }
    }

    /// Computes the start of the trunk, in f32.
    fn stem(&self, planes: &Tensor, globals: &Tensor) -> Result<Tensor> {
        let mut x = self.conv.forward(planes)?.to_dtype(DType::F32)?;
        if let Some(global) = &self.global {
            let globals = globals.narrow(1, 0, self.globals)?;
            x = add_to_points(&x, &global.forward(&globals)?)?;
        }
        if !self.profile.is_empty() {
            let profile = forward_in_sequence(
                &self.profile,
                &globals.narrow(1, self.globals, PROFILE_LEN)?,
            )?;
            x = add_to_points(&x, &profile)?;
        }
        match &self.norm {
            None => Ok(x),
            Some(norm) => norm.forward(&x),
        }
    }
}
