//! Feature extractor: the part of the network that computes the input of both heads.

use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::Func;

use super::block::{blocks, forward_in_sequence};
use super::device::Backend;
use super::fused::{self, Implementation, Workspaces};
use super::layers::{
    AffineNorm, Conv, Linear, RmsNorm, activate, add_to_points, to_boards, to_rows,
};
use crate::net::cpu::executor::CpuExecutor;
use crate::net::folded::Layer;
use crate::net::spec::layers::Activation::Identity;
use crate::net::spec::{NetSpec, PROFILE_LEN, TrunkNorm};

#[derive(Debug)]
pub enum FeatureExtractor {
    /// This engine's CPU kernels.
    Fused(Arc<CpuExecutor>),
    /// candle's operations.
    Plain(Box<Trunk>),
}

impl FeatureExtractor {
    /// Builds the extractor from a checked description.
    ///
    /// # Errors
    /// Returns an error if the device reports one, for example because it is out of memory.
    pub fn new(spec: &NetSpec, implementation: &Implementation) -> Result<Self> {
        Ok(match implementation {
            Implementation::Fused(executor) => Self::Fused(Arc::clone(executor)),
            Implementation::Plain(backend) => Self::Plain(Box::new(Trunk::new(spec, backend)?)),
        })
    }

    /// Computes the features of `n` positions, which are the input of both heads.
    ///
    /// Both tensors are f32. `planes` is `[n, planes, height, width]`. `globals` is `[n, globals + profile]` and
    /// contains the global inputs followed by the player profile. Inputs that the network does not use are omitted.
    /// [`Plain`](Self::Plain) returns `[n, channels, height, width]` in f32.
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

/// Stem, blocks and final norm, computed with candle's operations.
#[derive(Debug)]
pub struct Trunk {
    conv: Conv,
    /// Layer for the global inputs, or `None` if the network has none.
    global: Option<Linear>,
    /// Layers of the profile encoder; empty if the network has no player profile input.
    profile: Vec<Linear>,
    /// Norm of the stem, or `None` if the blocks start with a norm.
    norm: Option<AffineNorm>,
    blocks: Vec<Func<'static>>,
    trunk_norm: Func<'static>,
    /// Number of global inputs, not counting the profile.
    globals: usize,
}

impl Trunk {
    fn new(spec: &NetSpec, backend: &Backend) -> Result<Self> {
        // The stem has few products, and its rounding errors would affect the whole trunk.
        let full = backend.full_precision();
        let linear = |linear, act| Linear::new(&Layer::linear(linear), act, &full);
        let stem = &spec.stem;
        let mut profile = Vec::new();
        if let Some(encoder) = &stem.profile {
            profile.push(linear(&encoder.first, encoder.first_activation)?);
            profile.push(linear(&encoder.second, encoder.second_activation)?);
            profile.push(linear(&encoder.out, Identity)?);
        }
        let global = stem.global.as_ref().map(|global| linear(global, Identity));
        let norm = stem.norm.as_ref();
        Ok(Self {
            conv: Conv::new(&Layer::conv(&stem.conv), Identity, &full)?,
            global: global.transpose()?,
            profile,
            norm: norm
                .map(|(norm, act)| AffineNorm::new(norm, *act, &full))
                .transpose()?,
            blocks: blocks(&spec.blocks, backend)?,
            trunk_norm: trunk_norm(&spec.trunk_norm, backend)?,
            globals: spec.inputs.globals(),
        })
    }

    fn forward(&self, planes: &Tensor, globals: &Tensor) -> Result<Tensor> {
        let mut x = planes.apply(&self.conv)?;
        if let Some(global) = &self.global {
            let globals = globals.narrow(1, 0, self.globals)?;
            x = add_to_points(&x, &globals.apply(global)?)?;
        }
        if !self.profile.is_empty() {
            let profile = globals.narrow(1, self.globals, PROFILE_LEN)?;
            x = add_to_points(&x, &forward_in_sequence(&self.profile, &profile)?)?;
        }
        let x = x.apply(&self.norm.as_ref())?;
        forward_in_sequence(&self.blocks, &x)?.apply(&self.trunk_norm)
    }
}

/// Creates the final norm of the trunk, which preserves the shape `[n, channels, height, width]`.
fn trunk_norm(spec: &TrunkNorm, backend: &Backend) -> Result<Func<'static>> {
    Ok(match spec {
        TrunkNorm::None => Func::new(|x| Ok(x.clone())),
        TrunkNorm::Affine { norm, act } => {
            let norm = AffineNorm::new(norm, *act, backend)?;
            Func::new(move |x| x.apply(&norm))
        }
        TrunkNorm::Rms { norm, act } => {
            let (norm, act) = (RmsNorm::new(norm, backend)?, *act);
            Func::new(move |x| {
                let (_, _, height, width) = x.dims4()?;
                let y = to_rows(x)?.apply(&norm)?;
                to_boards(&activate(&y, act)?, height, width)
            })
        }
    })
}
