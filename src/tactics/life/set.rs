//! The point set of a region.

/// The points of a piece. Pieces of up to 12 x 10 points fit.
pub(super) type Set = u128;
