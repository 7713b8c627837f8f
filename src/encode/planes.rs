//! The spatial planes, one entry each.

use super::features::PositionFeatures;
use crate::game::pointset::PointSet;

/// What stands in a plane.
#[derive(Clone, Copy)]
pub enum PlaneContent {
    /// 1 on these points, 0 elsewhere.
    Points(fn(&PositionFeatures) -> PointSet),
    /// This number on every point of the board.
    Constant(fn(&PositionFeatures) -> f32),
}

/// One plane of the table.
#[derive(Clone, Copy)]
pub struct Plane {
    /// Its name, as net files and sample streams know it.
    pub name: &'static str,
    /// Its content.
    pub content: PlaneContent,
}

const fn plane(name: &'static str, points: fn(&PositionFeatures) -> PointSet) -> Plane {
    Plane {
        name,
        content: PlaneContent::Points(points),
    }
}

/// Planes of the classic preset, the first of the table.
pub const NUM_CLASSIC_PLANES: usize = 23;

/// All planes, in the order of the input. "Own" is the side to move; `own_3` are its stones three moves ago.
pub const PLANES: [Plane; 32] = [
    plane("own", |f| f.own_stones(0)),
    plane("own_1", |f| f.own_stones(1)),
    plane("own_2", |f| f.own_stones(2)),
    plane("own_3", |f| f.own_stones(3)),
    plane("own_4", |f| f.own_stones(4)),
    plane("own_5", |f| f.own_stones(5)),
    plane("own_6", |f| f.own_stones(6)),
    plane("own_7", |f| f.own_stones(7)),
    plane("own_1_liberty", |f| f.own_with_liberties(1)),
    plane("own_2_liberties", |f| f.own_with_liberties(2)),
    plane("own_3_liberties", |f| f.own_with_liberties(3)),
    plane("opponent", |f| f.opponent_stones(0)),
    plane("opponent_1", |f| f.opponent_stones(1)),
    plane("opponent_2", |f| f.opponent_stones(2)),
    plane("opponent_3", |f| f.opponent_stones(3)),
    plane("opponent_4", |f| f.opponent_stones(4)),
    plane("opponent_5", |f| f.opponent_stones(5)),
    plane("opponent_6", |f| f.opponent_stones(6)),
    plane("opponent_7", |f| f.opponent_stones(7)),
    plane("opponent_1_liberty", |f| f.opponent_with_liberties(1)),
    plane("opponent_2_liberties", |f| f.opponent_with_liberties(2)),
    plane("opponent_3_liberties", |f| f.opponent_with_liberties(3)),
    Plane {
        name: "black_to_move",
        content: PlaneContent::Constant(|f| f.black_to_move()),
    },
    plane("on_board", |f| f.board_points()),
    plane("ko_forbidden", |f| f.ko_points()),
    plane("own_laddered", |f| f.own_ladders().captured),
    plane("opponent_laddered", |f| f.opponent_ladders().captured),
    plane("ladder_captures", |f| f.opponent_ladders().working_moves),
    plane("own_pass_alive", |f| f.own_pass_alive()),
    plane("opponent_pass_alive", |f| f.opponent_pass_alive()),
    plane("moves_leaving_1_liberty", |f| {
        f.moves_with_liberties_after(1)
    }),
    plane("moves_leaving_2_liberties", |f| {
        f.moves_with_liberties_after(2)
    }),
];
