//! The point set of a region.

/// Points of a region. Regions of up to 12x10 points fit.
pub(super) type Set = u128;
