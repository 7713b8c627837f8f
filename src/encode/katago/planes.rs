//! The planes of KataGo's inputs, one entry each: 1 on the points named, 0 elsewhere.

use super::KataInputs::{self, V3, V4, V5, V6, V7};
use super::facts::Facts;
use crate::game::pointset::PointSet;

/// One plane of the table.
pub struct Plane {
    /// Its name.
    pub name: &'static str,
    /// The versions that have it.
    pub versions: &'static [KataInputs],
    /// Where it is 1.
    pub points: fn(&Facts) -> PointSet,
}

const fn plane(
    name: &'static str,
    versions: &'static [KataInputs],
    points: fn(&Facts) -> PointSet,
) -> Plane {
    Plane {
        name,
        versions,
        points,
    }
}

const ALL: &[KataInputs] = &[V3, V4, V5, V6, V7];
const NOT_V5: &[KataInputs] = &[V3, V4, V6, V7];

/// For what there is in KataGo's clean-up phases alone.
const fn nowhere(_: &Facts) -> PointSet {
    PointSet::EMPTY
}

/// All planes, in the order of the input. "Own" is the side to move.
pub const PLANES: [Plane; 22] = [
    plane("on_board", ALL, |f| f.on_board()),
    plane("own", ALL, |f| f.own()),
    plane("opponent", ALL, |f| f.opponent()),
    plane("1_liberty", NOT_V5, |f| f.with_liberties(1)),
    plane("2_liberties", NOT_V5, |f| f.with_liberties(2)),
    plane("3_liberties", NOT_V5, |f| f.with_liberties(3)),
    plane("ko_forbidden", ALL, |f| f.ko_forbidden()),
    plane("cleanup_ko_blocked", ALL, nowhere),
    plane("unused", ALL, nowhere),
    plane("last_move", ALL, |f| f.moved(0)),
    plane("last_move_1", ALL, |f| f.moved(1)),
    plane("last_move_2", ALL, |f| f.moved(2)),
    plane("last_move_3", ALL, |f| f.moved(3)),
    plane("last_move_4", ALL, |f| f.moved(4)),
    plane("laddered", NOT_V5, |f| f.laddered(0)),
    plane("laddered_1", NOT_V5, |f| f.laddered(1)),
    plane("laddered_2", NOT_V5, |f| f.laddered(2)),
    plane("ladder_captures", NOT_V5, |f| f.ladder_captures()),
    plane("own_area", NOT_V5, |f| f.own_area()),
    plane("opponent_area", NOT_V5, |f| f.opponent_area()),
    plane("cleanup_start_own", ALL, nowhere),
    plane("cleanup_start_opponent", ALL, nowhere),
];
