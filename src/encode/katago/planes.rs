//! Table of the planes in KataGo's inputs.

use super::features::KataFeatures;
use super::version::KataInputVersion::{self, V3, V4, V5, V6, V7};
use crate::game::pointset::PointSet;

/// Definition of an input plane.
pub struct KataPlane {
    pub name: &'static str,
    /// Versions that include the plane.
    pub versions: &'static [KataInputVersion],
    /// Returns the points at which the plane is 1; it is 0 elsewhere.
    pub points: fn(&KataFeatures) -> PointSet,
}

const fn plane(
    name: &'static str,
    versions: &'static [KataInputVersion],
    points: fn(&KataFeatures) -> PointSet,
) -> KataPlane {
    KataPlane {
        name,
        versions,
        points,
    }
}

const ALL: &[KataInputVersion] = &[V3, V4, V5, V6, V7];
const ALL_BUT_V5: &[KataInputVersion] = &[V3, V4, V6, V7];

/// Content of the planes for KataGo's clean-up phases, which do not occur in this engine.
const fn always_empty(_: &KataFeatures) -> PointSet {
    PointSet::EMPTY
}

/// All planes, in input order. "Own" refers to the side to move.
pub const PLANES: [KataPlane; 22] = [
    plane("on_board", ALL, |f| f.board_points()),
    plane("own", ALL, |f| f.stones(f.own)),
    plane("opponent", ALL, |f| f.stones(f.own.opposite())),
    plane("1_liberty", ALL_BUT_V5, |f| f.by_liberties[0]),
    plane("2_liberties", ALL_BUT_V5, |f| f.by_liberties[1]),
    plane("3_liberties", ALL_BUT_V5, |f| f.by_liberties[2]),
    plane("ko_forbidden", ALL, |f| f.ko_forbidden()),
    plane("cleanup_ko_blocked", ALL, always_empty),
    plane("unused", ALL, always_empty),
    plane("last_move", ALL, |f| f.played_point(0)),
    plane("last_move_1", ALL, |f| f.played_point(1)),
    plane("last_move_2", ALL, |f| f.played_point(2)),
    plane("last_move_3", ALL, |f| f.played_point(3)),
    plane("last_move_4", ALL, |f| f.played_point(4)),
    plane("laddered", ALL_BUT_V5, |f| f.laddered[0]),
    plane("laddered_1", ALL_BUT_V5, |f| f.laddered[1]),
    plane("laddered_2", ALL_BUT_V5, |f| f.laddered[2]),
    plane("ladder_captures", ALL_BUT_V5, |f| f.ladder_captures),
    plane("own_area", ALL_BUT_V5, |f| f.area[f.own]),
    plane("opponent_area", ALL_BUT_V5, |f| f.area[f.own.opposite()]),
    plane("cleanup_start_own", ALL, always_empty),
    plane("cleanup_start_opponent", ALL, always_empty),
];
