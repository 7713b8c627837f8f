//! Positions as the input of KataGo's networks.
//!
//! A network's file says which version of the inputs it takes ([`KataInputVersion`]). One table names every plane
//! ([`planes::PLANES`]) and one every number of the global vector ([`globals::GLOBALS`]), each with the versions that
//! have it; a version's input is its entries in the order of the table.
//!
//! What is written is what KataGo shows a network that it asks outside a search: draws count half, no side plays with
//! more playouts than the other, a pass at the root is taken to end the game where it does. This engine scores
//! territory without playing on in KataGo's two clean-up phases, so their entries are always zero. After two passes in a
//! row a position counts as KataGo's does in a game by the Go Text Protocol, where these phases are never entered.
//!
//! Where a player moved out of turn KataGo forgets all that was before; here the last moves, kos, passes and ladders
//! shown begin anew likewise.
//!
//! Two differences are known, both without weight. Where the defender of a ladder can capture on its last liberty and
//! elsewhere too, KataGo sometimes takes the ladder for broken though it works, depending on the order in which the chain
//! was joined. And a move out of turn makes it forget button, handicap and the boards that superko forbids as well; here
//! these stay what the game has made them.

pub mod area;
pub mod features;
pub mod globals;
pub mod history;
pub mod ladders;
pub mod planes;
pub mod profile;
pub mod profile_name;

use super::mark;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use features::KataFeatures;
use globals::{GLOBALS, KataGlobalFeature};
use ladders::LadderCache;
use planes::{KataPlane, PLANES};

/// The versions of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KataInputVersion {
    /// Networks of the versions 3 and 4.
    V3,
    /// Networks of version 5: areas are pass-alive ones under all rules.
    V4,
    /// Networks of version 6: no liberties, ladders and areas.
    V5,
    /// Networks of version 7: taxes, and areas where they count under the rules.
    V6,
    /// Networks from version 8: the button, and games between unequal players.
    V7,
}

/// What a network wants besides its version of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KataOptions {
    /// Judge pass-alive areas as if suicide were legal even where it is not, as the files of some networks ask for.
    pub suicide_areas: bool,
}

impl KataInputVersion {
    /// All versions, the oldest first.
    pub const ALL: [Self; 5] = [Self::V3, Self::V4, Self::V5, Self::V6, Self::V7];

    /// The inputs of that version, from 3 to 7.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            3 => Some(Self::V3),
            4 => Some(Self::V4),
            5 => Some(Self::V5),
            6 => Some(Self::V6),
            7 => Some(Self::V7),
            _ => None,
        }
    }

    /// The planes in order.
    pub fn planes(self) -> impl Iterator<Item = &'static KataPlane> {
        PLANES
            .iter()
            .filter(move |plane| plane.versions.contains(&self))
    }

    /// The global vector in order.
    pub fn globals(self) -> impl Iterator<Item = &'static KataGlobalFeature> {
        GLOBALS
            .iter()
            .filter(move |global| global.versions.contains(&self))
    }

    /// Number of planes.
    #[must_use]
    pub fn plane_count(self) -> usize {
        self.planes().count()
    }

    /// Length of the global vector.
    #[must_use]
    pub fn global_count(self) -> usize {
        self.globals().count()
    }
}

/// Writes KataGo's inputs; keeps the scratch that ladder reading needs and what was read lately.
#[derive(Debug, Default)]
pub struct KataEncoder {
    ladder_cache: LadderCache,
}

impl KataEncoder {
    /// An encoder without scratch yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `position` as seen through `symmetry`: `planes` has `from_number.plane_count() * area` numbers, plane after
    /// plane, each in reading order of the turned board; `globals` has `from_number.global_count()`. All from the side of
    /// the player to move.
    ///
    /// # Panics
    /// When a slice has another length.
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
        let features = KataFeatures::new(version, position, options, &mut self.ladder_cache);
        planes.fill(0.0);
        for (plane, output) in version.planes().zip(planes.chunks_exact_mut(area)) {
            mark(output, (plane.points)(&features), size, symmetry);
        }
        for (global, output) in version.globals().zip(globals) {
            *output = (global.value)(&features);
        }
    }
}
