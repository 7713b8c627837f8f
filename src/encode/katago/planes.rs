//! The planes of KataGo's inputs, one entry each: 1 on the points named, 0 elsewhere.

use super::KataInputVersion::{self, V3, V4, V5, V6, V7};
use super::features::KataFeatures;
use crate::game::pointset::PointSet;

/// One plane of the table.
pub struct KataPlane {
    /// Its name.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: &'static [KataInputVersion],
    /// Where it is 1.
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

/// For what there is in KataGo's clean-up phases alone.
const fn always_empty(_: &KataFeatures) -> PointSet {
    PointSet::EMPTY
}

/// All planes, in the order of the input. "Own" is the side to move.
pub const PLANES: [KataPlane; 22] = [
    plane("on_board", ALL, |f| f.board_points()),
    plane("own", ALL, |f| f.own_stones()),
    plane("opponent", ALL, |f| f.opponent_stones()),
    plane("1_liberty", ALL_BUT_V5, |f| f.with_liberties(1)),
    plane("2_liberties", ALL_BUT_V5, |f| f.with_liberties(2)),
    plane("3_liberties", ALL_BUT_V5, |f| f.with_liberties(3)),
    plane("ko_forbidden", ALL, |f| f.ko_forbidden()),
    plane("cleanup_ko_blocked", ALL, always_empty),
    plane("unused", ALL, always_empty),
    plane("last_move", ALL, |f| f.played_point(0)),
    plane("last_move_1", ALL, |f| f.played_point(1)),
    plane("last_move_2", ALL, |f| f.played_point(2)),
    plane("last_move_3", ALL, |f| f.played_point(3)),
    plane("last_move_4", ALL, |f| f.played_point(4)),
    plane("laddered", ALL_BUT_V5, |f| f.laddered(0)),
    plane("laddered_1", ALL_BUT_V5, |f| f.laddered(1)),
    plane("laddered_2", ALL_BUT_V5, |f| f.laddered(2)),
    plane("ladder_captures", ALL_BUT_V5, |f| f.ladder_captures()),
    plane("own_area", ALL_BUT_V5, |f| f.own_area()),
    plane("opponent_area", ALL_BUT_V5, |f| f.opponent_area()),
    plane("cleanup_start_own", ALL, always_empty),
    plane("cleanup_start_opponent", ALL, always_empty),
];
