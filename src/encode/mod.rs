//! Positions as a network's input.
//!
//! One table ([`planes::PLANES`]) names every spatial plane and one ([`globals::GLOBALS`]) every number of the global
//! vector. A net takes the first planes and globals of the tables, as many as its file says: 23 and none for the
//! classic preset, all of them for the others.
//!
//! That is the input of this engine's own nets. [`katago`] and [`leela_zero`] write what theirs expect.

pub mod features;
pub mod globals;
pub mod katago;
pub mod leela_zero;
pub mod planes;

use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::tactics::ladder::LadderReader;
use features::PositionFeatures;
use globals::GLOBALS;
use planes::{NUM_CLASSIC_PLANES, PLANES, PlaneContent};

/// How much of the tables a net takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    planes: usize,
    globals: usize,
}

impl Encoding {
    /// All planes and globals.
    pub const FULL: Self = Self {
        planes: PLANES.len(),
        globals: GLOBALS.len(),
    };
    /// The 23 planes alone.
    pub const CLASSIC: Self = Self {
        planes: NUM_CLASSIC_PLANES,
        globals: 0,
    };

    /// The encoding with those counts: [`FULL`](Self::FULL) or [`CLASSIC`](Self::CLASSIC).
    #[must_use]
    pub fn with_counts(planes: usize, globals: usize) -> Option<Self> {
        [Self::FULL, Self::CLASSIC]
            .into_iter()
            .find(|candidate| *candidate == Self { planes, globals })
    }

    /// Number of planes.
    #[must_use]
    pub const fn planes(self) -> usize {
        self.planes
    }

    /// Length of the global vector.
    #[must_use]
    pub const fn globals(self) -> usize {
        self.globals
    }

    /// The planes' names, in order.
    pub fn plane_names(self) -> impl Iterator<Item = &'static str> {
        PLANES[..self.planes].iter().map(|plane| plane.name)
    }

    /// The globals' names, in order.
    pub fn global_names(self) -> impl Iterator<Item = &'static str> {
        GLOBALS[..self.globals].iter().map(|global| global.name)
    }
}

/// Writes encodings; keeps the scratch that ladder reading needs.
#[derive(Debug, Default)]
pub struct Encoder {
    ladders: LadderReader,
}

impl Encoder {
    /// An encoder without scratch yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes `position` as seen through `symmetry`: `planes` has `encoding.planes() * area` numbers, plane after
    /// plane, each in reading order of the turned board; `globals` has `encoding.globals()`. All from the side of the
    /// player to move.
    ///
    /// # Panics
    /// When a slice has another length.
    pub fn encode(
        &mut self,
        encoding: Encoding,
        position: &Position,
        symmetry: Symmetry,
        planes: &mut [f32],
        globals: &mut [f32],
    ) {
        let size = position.size();
        let area = size.area();
        assert_eq!(planes.len(), encoding.planes * area, "length of the planes");
        assert_eq!(
            globals.len(),
            encoding.globals,
            "length of the global vector"
        );
        let features = if encoding == Encoding::CLASSIC {
            PositionFeatures::basic(position)
        } else {
            PositionFeatures::full(position, &mut self.ladders)
        };
        planes.fill(0.0);
        for (plane, output) in PLANES.iter().zip(planes.chunks_exact_mut(area)) {
            match plane.content {
                PlaneContent::Points(points) => mark(output, points(&features), size, symmetry),
                PlaneContent::Constant(value) => output.fill(value(&features)),
            }
        }
        for (global, output) in GLOBALS.iter().zip(globals) {
            *output = (global.value)(position);
        }
    }
}

/// Writes 1 into a plane at these points of a board of `size`, seen through `symmetry`.
fn mark(plane: &mut [f32], points: PointSet, size: BoardSize, symmetry: Symmetry) {
    let mapped_size = symmetry.map_size(size);
    for point in points {
        plane[mapped_size.index(symmetry.map_point(size, point))] = 1.0;
    }
}
