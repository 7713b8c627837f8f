//! Input encoding of KataGo networks.
//!
//! A network file specifies the version of the network's inputs ([`KataInputVersion`]). There are two tables, one of
//! all planes ([`planes::PLANES`]) and one of all global features ([`globals::GLOBALS`]). Each entry lists the versions
//! that include it; the input of a version consists of its entries in table order.
//!
//! The encoding is the same as for an evaluation outside a search in KataGo: draws count as half a win, neither side
//! has more playouts, and a pass at the root may end the game. This engine scores territory without KataGo's two
//! clean-up phases, so the features of these phases are always zero. After two consecutive passes, a position is
//! encoded as in KataGo's GTP games, which have no clean-up phases either.
//!
//! After a move out of turn, KataGo forgets the earlier history. This encoder likewise ignores earlier moves, kos,
//! passes and ladders.
//!
//! There are two known differences, both negligible. If the defender of a ladder can capture stones both at the last
//! liberty of the chain and elsewhere, KataGo sometimes considers a working ladder broken, depending on the order in
//! which the stones of the chain were connected. After a move out of turn, KataGo also forgets the button, the handicap
//! and the positions forbidden by superko; this encoder does not.

pub mod area;
pub mod globals;
pub mod history;
pub mod ladders;
pub mod planes;
pub mod player_profile;
pub mod position_features;
pub mod profile_name;
mod version;

pub use version::{KataInputVersion, KataOptions};

use super::mark_points;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use globals::GLOBALS;
use ladders::LadderCache;
use planes::{InputFeature, PLANES};
use position_features::KataPositionFeatures;

impl KataInputVersion {
    /// Iterates over the planes of this version, in input order.
    pub fn planes(self) -> impl Iterator<Item = &'static InputFeature<PointSet>> {
        PLANES
            .iter()
            .filter(move |plane| plane.versions.contains(&self))
    }

    /// Iterates over the global features of this version, in input order.
    pub fn globals(self) -> impl Iterator<Item = &'static InputFeature<f32>> {
        GLOBALS
            .iter()
            .filter(move |global| global.versions.contains(&self))
    }

    /// Returns the number of planes.
    pub fn plane_count(self) -> usize {
        self.planes().count()
    }

    /// Returns the number of global features.
    pub fn global_count(self) -> usize {
        self.globals().count()
    }
}

/// Encoder for KataGo networks. Owns the scratch memory for ladder reading and a cache of ladder results.
#[derive(Debug, Default)]
pub struct KataEncoder {
    ladder_cache: LadderCache,
}

impl KataEncoder {
    /// Encodes `position` under `symmetry`, from the perspective of the side to move.
    ///
    /// `planes` has shape `[version.plane_count(), area]`, in row-major order after applying the symmetry. `globals`
    /// has length `version.global_count()`.
    ///
    /// # Panics
    /// Panics if a slice has the wrong length.
    pub fn encode(
        &mut self,
        version: KataInputVersion,
        position: &Position,
        symmetry: Symmetry,
        options: KataOptions,
        planes: &mut [f32],
        globals: &mut [f32],
    ) {
        let size = position.size();
        let area = size.area();
        assert_eq!(
            planes.len(),
            version.plane_count() * area,
            "length of the planes"
        );
        assert_eq!(
            globals.len(),
            version.global_count(),
            "length of the global vector"
        );
        let features =
            KataPositionFeatures::new(version, position, options, &mut self.ladder_cache);
        planes.fill(0.0);
        for (plane, output) in version.planes().zip(planes.chunks_exact_mut(area)) {
            mark_points(output, (plane.value)(&features), size, symmetry);
        }
        for (global, output) in version.globals().zip(globals) {
            *output = (global.value)(&features);
        }
    }
}
