//! The spatial planes, one entry each.

use super::facts::Facts;
use crate::game::pointset::PointSet;

/// What stands in a plane.
#[derive(Clone, Copy)]
pub enum Fill {
    /// 1 on these points, 0 elsewhere.
    Points(fn(&Facts) -> PointSet),
    /// This number on every point of the board.
    Constant(fn(&Facts) -> f32),
}

/// One plane of the table.
#[derive(Clone, Copy)]
pub struct Plane {
    /// Its name, as net files and sample streams know it.
    pub name: &'static str,
    /// Its content.
    pub fill: Fill,
}

const fn points(name: &'static str, points: fn(&Facts) -> PointSet) -> Plane {
    Plane {
        name,
        fill: Fill::Points(points),
    }
}

/// Planes of the classic preset, the first of the table.
pub const CLASSIC_PLANES: usize = 23;

/// All planes, in the order of the input. "Own" is the side to move; `own_3` are its stones three moves ago.
pub const PLANES: [Plane; 32] = [
    points("own", |f| f.own_before(0)),
    points("own_1", |f| f.own_before(1)),
    points("own_2", |f| f.own_before(2)),
    points("own_3", |f| f.own_before(3)),
    points("own_4", |f| f.own_before(4)),
    points("own_5", |f| f.own_before(5)),
    points("own_6", |f| f.own_before(6)),
    points("own_7", |f| f.own_before(7)),
    points("own_1_liberty", |f| f.own_with_liberties(1)),
    points("own_2_liberties", |f| f.own_with_liberties(2)),
    points("own_3_liberties", |f| f.own_with_liberties(3)),
    points("opponent", |f| f.opponent_before(0)),
    points("opponent_1", |f| f.opponent_before(1)),
    points("opponent_2", |f| f.opponent_before(2)),
    points("opponent_3", |f| f.opponent_before(3)),
    points("opponent_4", |f| f.opponent_before(4)),
    points("opponent_5", |f| f.opponent_before(5)),
    points("opponent_6", |f| f.opponent_before(6)),
    points("opponent_7", |f| f.opponent_before(7)),
    points("opponent_1_liberty", |f| f.opponent_with_liberties(1)),
    points("opponent_2_liberties", |f| f.opponent_with_liberties(2)),
    points("opponent_3_liberties", |f| f.opponent_with_liberties(3)),
    Plane {
        name: "black_to_move",
        fill: Fill::Constant(|f| f.black_to_move()),
    },
    points("on_board", |f| f.on_board()),
    points("ko_forbidden", |f| f.ko_points()),
    points("own_laddered", |f| f.own_ladders().captured),
    points("opponent_laddered", |f| f.opponent_ladders().captured),
    points("ladder_captures", |f| f.opponent_ladders().working_moves),
    points("own_pass_alive", |f| f.own_alive()),
    points("opponent_pass_alive", |f| f.opponent_alive()),
    points("moves_leaving_1_liberty", |f| f.moves_leaving(1)),
    points("moves_leaving_2_liberties", |f| f.moves_leaving(2)),
];
