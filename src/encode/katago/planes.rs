//! Table of the planes in KataGo's inputs.

use super::features::KataFeatures;
use super::version::KataInputVersion;
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

/// Content of the planes for KataGo's clean-up phases, which do not occur in this engine.
const fn always_empty(_: &KataFeatures) -> PointSet {
    PointSet::EMPTY
}

/// All planes, in input order. "Own" refers to the side to move.
pub const PLANES: [KataPlane; 22] = [
    plane("on_board", &KataInputVersion::ALL, |f| f.board_points()),
    plane("own", &KataInputVersion::ALL, |f| f.stones(f.own)),
    plane("opponent", &KataInputVersion::ALL, |f| {
        f.stones(f.own.opposite())
    }),
    plane("1_liberty", KataInputVersion::ALL_BUT_V5, |f| {
        f.by_liberties[0]
    }),
    plane("2_liberties", KataInputVersion::ALL_BUT_V5, |f| {
        f.by_liberties[1]
    }),
    plane("3_liberties", KataInputVersion::ALL_BUT_V5, |f| {
        f.by_liberties[2]
    }),
    plane("ko_forbidden", &KataInputVersion::ALL, |f| f.ko_forbidden()),
    plane("cleanup_ko_blocked", &KataInputVersion::ALL, always_empty),
    plane("unused", &KataInputVersion::ALL, always_empty),
    plane("last_move", &KataInputVersion::ALL, |f| f.played_point(0)),
    plane("last_move_1", &KataInputVersion::ALL, |f| f.played_point(1)),
    plane("last_move_2", &KataInputVersion::ALL, |f| f.played_point(2)),
    plane("last_move_3", &KataInputVersion::ALL, |f| f.played_point(3)),
    plane("last_move_4", &KataInputVersion::ALL, |f| f.played_point(4)),
    plane("laddered", KataInputVersion::ALL_BUT_V5, |f| f.laddered[0]),
    plane("laddered_1", KataInputVersion::ALL_BUT_V5, |f| {
        f.laddered[1]
    }),
    plane("laddered_2", KataInputVersion::ALL_BUT_V5, |f| {
        f.laddered[2]
    }),
    plane("ladder_captures", KataInputVersion::ALL_BUT_V5, |f| {
        f.ladder_captures
    }),
    plane("own_area", KataInputVersion::ALL_BUT_V5, |f| f.area[f.own]),
    plane("opponent_area", KataInputVersion::ALL_BUT_V5, |f| {
        f.area[f.own.opposite()]
    }),
    plane("cleanup_start_own", &KataInputVersion::ALL, always_empty),
    plane(
        "cleanup_start_opponent",
        &KataInputVersion::ALL,
        always_empty,
    ),
];
