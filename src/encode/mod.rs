//! Encoding of positions as network inputs.
//!
//! There are two tables, one of all spatial planes ([`planes::PLANES`]) and one of all global features
//! ([`globals::GLOBALS`]). A network file specifies which part of the tables the network uses: either the first 23
//! planes and no global features (the classic encoding), or both tables in full.
//!
//! This is the encoding of this engine's own networks. [`katago`] and [`leela_zero`] encode positions for other
//! networks.

pub mod globals;
pub mod katago;
pub mod leela_zero;
pub mod planes;
pub mod position_features;

use crate::game::point::BoardSize;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;
use crate::tactics::ladder::LadderReader;
use globals::GLOBALS;
use planes::{NUM_CLASSIC_PLANES, PLANES, PlaneContent};
use position_features::PositionFeatures;

/// Numbers of planes and global features that a network uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    planes: usize,
    globals: usize,
}

impl Encoding {
    /// All planes and global features.
    pub const FULL: Self = Self {
        planes: PLANES.len(),
        globals: GLOBALS.len(),
    };
    /// The 23 classic planes only.
    pub const CLASSIC: Self = Self {
        planes: NUM_CLASSIC_PLANES,
        globals: 0,
    };

    /// Returns the encoding with the given numbers of planes and global features. Returns `None` if it is neither
    /// [`FULL`](Self::FULL) nor [`CLASSIC`](Self::CLASSIC).
    pub fn with_counts(planes: usize, globals: usize) -> Option<Self> {
        [Self::FULL, Self::CLASSIC]
            .into_iter()
            .find(|candidate| *candidate == Self { planes, globals })
    }

    /// Returns the number of planes.
    pub const fn plane_count(self) -> usize {
        self.planes
    }

    /// Returns the number of global features.
    pub const fn global_count(self) -> usize {
        self.globals
    }

    /// Returns the names of the planes, in input order.
    pub fn plane_names(self) -> impl Iterator<Item = &'static str> {
        PLANES[..self.planes].iter().map(|plane| plane.name)
    }

    /// Returns the names of the global features, in input order.
    pub fn global_names(self) -> impl Iterator<Item = &'static str> {
        GLOBALS[..self.globals].iter().map(|global| global.name)
    }
}

/// Encoder for this engine's networks. Owns the scratch memory for ladder reading.
#[derive(Debug, Default)]
pub struct Encoder {
    ladders: LadderReader,
}

impl Encoder {
    /// Encodes `position` under `symmetry`, from the perspective of the side to move.
    ///
    /// `planes` has shape `[encoding.planes(), area]`, in row-major order after applying the symmetry. `globals` has
    /// length `encoding.globals()`.
    ///
    /// # Panics
    /// Panics if a slice has the wrong length.
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
            PositionFeatures::classic(position)
        } else {
            PositionFeatures::full(position, &mut self.ladders)
        };
        planes.fill(0.0);
        for (plane, output) in PLANES.iter().zip(planes.chunks_exact_mut(area)) {
            match plane.content {
                PlaneContent::Points(points) => {
                    mark_points(output, points(&features), size, symmetry)
                }
                PlaneContent::Constant(value) => output.fill(value(&features)),
            }
        }
        for (global, output) in GLOBALS.iter().zip(globals) {
            *output = (global.value)(position);
        }
    }
}

/// Sets `plane` to 1 at the given points after mapping them by `symmetry`. `size` is the size of the board before the
/// mapping.
fn mark_points(plane: &mut [f32], points: PointSet, size: BoardSize, symmetry: Symmetry) {
    let mapped_size = symmetry.map_size(size);
    for point in points {
        plane[mapped_size.index(symmetry.map_point(size, point))] = 1.0;
    }
}
