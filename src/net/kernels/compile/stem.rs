//! Compilation of the stem, which converts planes, global inputs and player profile to the trunk's channels.

use super::compiler::{Compiler, Into};
use super::layer::Layer;
use crate::net::desc::layers::{Activation, Linear};
use crate::net::desc::{self, ProfileEncoder};
use crate::net::kernels::buffers::{Buffer, Per};

/// Input and output buffers of the stem.
pub struct Stem {
    pub planes: Buffer,
    /// Global inputs.
    pub globals: Option<Buffer>,
    /// Player profile.
    pub profile: Option<Buffer>,
    /// Trunk channels.
    pub x: Buffer,
}

impl Compiler {
    /// Adds the stem without its norm.
    pub fn stem(&mut self, stem: &desc::Stem) -> Stem {
        let planes = if self.tiles {
            self.claim_half(stem.conv.inputs, None)
        } else {
            self.claim(Per::Point, stem.conv.inputs)
        };
        let globals = stem.global.as_ref().map(|global| self.globals(global));
        let mut added = globals.map(|(_, added)| added);
        let profile = stem.profile.as_ref().map(|encoder| {
            let (profile, out) = self.profile(encoder, added);
            added = Some(out);
            profile
        });
        let first = Into {
            added,
            ..Into::PLAIN
        };
        Stem {
            planes,
            globals: globals.map(|(globals, _)| globals),
            profile,
            x: self.conv(&Layer::conv(&stem.conv), planes, first),
        }
    }

    /// Adds the layer for the global inputs.
    ///
    /// Returns their buffer and a buffer with its output, which is added to all points.
    fn globals(&mut self, global: &Linear) -> (Buffer, Buffer) {
        let globals = self.claim(Per::Board, global.inputs);
        let added = self.map(&Layer::map(global), globals, Activation::Identity);
        (globals, added)
    }

    /// Adds the profile encoder.
    ///
    /// Returns the profile's buffer and a buffer with the encoder's output, which is added to all points. If `sum` is
    /// given, the output is accumulated there.
    fn profile(&mut self, encoder: &ProfileEncoder, sum: Option<Buffer>) -> (Buffer, Buffer) {
        let profile = self.claim(Per::Board, encoder.first.inputs);
        let first = Layer::map(&encoder.first);
        let x = self.map(&first, profile, encoder.first_activation);
        let second = Layer::map(&encoder.second);
        let x = self.map(&second, x, encoder.second_activation);
        let out = Into { sum, ..Into::PLAIN };
        let added = self.conv(&Layer::map(&encoder.out), x, out);
        (profile, added)
    }
}
