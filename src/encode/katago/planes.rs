//! Table of the planes in KataGo's inputs.

use super::position_features::KataPositionFeatures;
use super::version::KataInputVersion::{self, V3, V4, V6, V7};
use crate::game::pointset::PointSet;

/// Definition of a plane (`T` is its set of points) or of a global feature (`T` is a number).
pub struct InputFeature<T> {
    pub name: &'static str,
    /// Versions that include the feature.
    pub versions: &'static [KataInputVersion],
    /// Computes the value. A plane is 1 at the points of the computed set and 0 elsewhere.
    pub value: fn(&KataPositionFeatures) -> T,
}

pub(super) const fn feature<T>(
    name: &'static str,
    versions: &'static [KataInputVersion],
    value: fn(&KataPositionFeatures) -> T,
) -> InputFeature<T> {
    InputFeature {
        name,
        versions,
        value,
    }
}

pub(super) const ALL_VERSIONS: &[KataInputVersion] = &KataInputVersion::ALL;
/// All versions except [`KataInputVersion::V5`], which omits some features.
pub(super) const ALL_BUT_V5: &[KataInputVersion] = &[V3, V4, V6, V7];

/// Returns the empty set. Used for the planes of KataGo's clean-up phases, which do not occur in this engine.
const fn always_empty(_: &KataPositionFeatures) -> PointSet {
    PointSet::EMPTY
}

/// All planes, in input order. "Own" refers to the side to move.
pub const PLANES: [InputFeature<PointSet>; 22] = [
    feature("on_board", ALL_VERSIONS, |f| f.board_points()),
    feature("own", ALL_VERSIONS, |f| f.stones(f.own)),
    feature("opponent", ALL_VERSIONS, |f| f.stones(f.own.opposite())),
    feature("1_liberty", ALL_BUT_V5, |f| f.by_liberties[0]),
    feature("2_liberties", ALL_BUT_V5, |f| f.by_liberties[1]),
    feature("3_liberties", ALL_BUT_V5, |f| f.by_liberties[2]),
    feature("ko_forbidden", ALL_VERSIONS, |f| f.ko_forbidden()),
    feature("cleanup_ko_blocked", ALL_VERSIONS, always_empty),
    feature("unused", ALL_VERSIONS, always_empty),
    feature("last_move", ALL_VERSIONS, |f| f.played_point(0)),
    feature("last_move_1", ALL_VERSIONS, |f| f.played_point(1)),
    feature("last_move_2", ALL_VERSIONS, |f| f.played_point(2)),
    feature("last_move_3", ALL_VERSIONS, |f| f.played_point(3)),
    feature("last_move_4", ALL_VERSIONS, |f| f.played_point(4)),
    feature("laddered", ALL_BUT_V5, |f| f.laddered[0]),
    feature("laddered_1", ALL_BUT_V5, |f| f.laddered[1]),
    feature("laddered_2", ALL_BUT_V5, |f| f.laddered[2]),
    feature("ladder_captures", ALL_BUT_V5, |f| f.ladder_captures),
    feature("own_area", ALL_BUT_V5, |f| f.area[f.own]),
    feature("opponent_area", ALL_BUT_V5, |f| f.area[f.own.opposite()]),
    feature("cleanup_start_own", ALL_VERSIONS, always_empty),
    feature("cleanup_start_opponent", ALL_VERSIONS, always_empty),
];
