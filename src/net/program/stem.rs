//! Lowering of the stem, which converts planes, global inputs and player profile to the trunk's channels.

use super::builder::{Builder, Dest};
use super::ops::{BufferId, RowKind};
use crate::net::folded::Layer;
use crate::net::spec::layers::{Activation, Linear};
use crate::net::spec::{ProfileEncoder, Stem};

/// Input and output buffers of the stem.
pub struct StemBufferIds {
    pub planes: BufferId,
    pub globals: Option<BufferId>,
    pub profile: Option<BufferId>,
    /// Output of the stem: the trunk's activations, one row per point.
    pub x: BufferId,
}

impl Builder {
    /// Adds the stem, except for its norm. Returns its buffers.
    pub fn stem_without_norm(&mut self, stem: &Stem) -> StemBufferIds {
        let planes = self.claim_input(stem.conv.inputs);
        let globals = stem.global.as_ref().map(|global| self.globals(global));
        let mut per_board = globals.map(|(_, output)| output);
        let profile = stem.profile.as_ref().map(|encoder| {
            let (profile, output) = self.profile(encoder, per_board);
            per_board = Some(output);
            profile
        });
        let dest = Dest {
            per_board,
            ..Dest::default()
        };
        StemBufferIds {
            planes,
            globals: globals.map(|(globals, _)| globals),
            profile,
            x: self.layer(Layer::conv(&stem.conv), planes, dest),
        }
    }

    /// Adds the layer for the global inputs. Returns the buffer of the global inputs and the buffer of the layer's
    /// output.
    fn globals(&mut self, global: &Linear) -> (BufferId, BufferId) {
        let globals = self.claim_f32(RowKind::Board, global.inputs);
        let output = self.layer(
            Layer::linear(global),
            globals,
            Dest::new(Activation::Identity),
        );
        (globals, output)
    }

    /// Adds the profile encoder. If `sum` is `Some`, the encoder's output is added to that buffer. Returns the buffer
    /// of the profile and the buffer of the encoder's output.
    fn profile(&mut self, encoder: &ProfileEncoder, sum: Option<BufferId>) -> (BufferId, BufferId) {
        let profile = self.claim_f32(RowKind::Board, encoder.first.inputs);
        let first = Dest::new(encoder.first_activation);
        let x = self.layer(Layer::linear(&encoder.first), profile, first);
        let second = Dest::new(encoder.second_activation);
        let x = self.layer(Layer::linear(&encoder.second), x, second);
        let dest = Dest {
            residual: sum,
            ..Dest::default()
        };
        (profile, self.layer(Layer::linear(&encoder.out), x, dest))
    }
}
