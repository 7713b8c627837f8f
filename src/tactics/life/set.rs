//! The point set of a region.

/// Set of points in a region. The largest regions that fit are 19x6, 16x7, 15x8 and 12x10 points.
pub(super) type Set = u128;
