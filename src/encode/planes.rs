//! Table of the spatial input planes.

use super::position_features::PositionFeatures;
use crate::game::pointset::PointSet;

/// Content of a plane.
#[derive(Clone, Copy)]
pub enum PlaneContent {
    /// 1 at these points, 0 elsewhere.
    Points(fn(&PositionFeatures) -> PointSet),
    /// The same value at every point.
    Constant(fn(&PositionFeatures) -> f32),
}

/// Definition of an input plane.
#[derive(Clone, Copy)]
pub struct Plane {
    /// Name in network files and in the streams of training batches.
    pub name: &'static str,
    pub content: PlaneContent,
}

const fn point_plane(name: &'static str, points: fn(&PositionFeatures) -> PointSet) -> Plane {
    Plane {
        name,
        content: PlaneContent::Points(points),
    }
}

/// Number of planes of the classic encoding, which consists of the first planes in [`PLANES`].
pub const NUM_CLASSIC_PLANES: usize = 23;

/// All planes, in input order. "Own" refers to the side to move. For example, `own_3` marks the stones that the side to
/// move had on the board three moves ago. `black_to_move` is 1 if Black is to move and -1 if White is to move.
pub const PLANES: [Plane; 32] = [
    point_plane("own", |f| f.past_stones(0, f.own)),
    point_plane("own_1", |f| f.past_stones(1, f.own)),
    point_plane("own_2", |f| f.past_stones(2, f.own)),
    point_plane("own_3", |f| f.past_stones(3, f.own)),
    point_plane("own_4", |f| f.past_stones(4, f.own)),
    point_plane("own_5", |f| f.past_stones(5, f.own)),
    point_plane("own_6", |f| f.past_stones(6, f.own)),
    point_plane("own_7", |f| f.past_stones(7, f.own)),
    point_plane("own_1_liberty", |f| f.by_liberties[f.own][0]),
    point_plane("own_2_liberties", |f| f.by_liberties[f.own][1]),
    point_plane("own_3_liberties", |f| f.by_liberties[f.own][2]),
    point_plane("opponent", |f| f.past_stones(0, f.opponent)),
    point_plane("opponent_1", |f| f.past_stones(1, f.opponent)),
    point_plane("opponent_2", |f| f.past_stones(2, f.opponent)),
    point_plane("opponent_3", |f| f.past_stones(3, f.opponent)),
    point_plane("opponent_4", |f| f.past_stones(4, f.opponent)),
    point_plane("opponent_5", |f| f.past_stones(5, f.opponent)),
    point_plane("opponent_6", |f| f.past_stones(6, f.opponent)),
    point_plane("opponent_7", |f| f.past_stones(7, f.opponent)),
    point_plane("opponent_1_liberty", |f| f.by_liberties[f.opponent][0]),
    point_plane("opponent_2_liberties", |f| f.by_liberties[f.opponent][1]),
    point_plane("opponent_3_liberties", |f| f.by_liberties[f.opponent][2]),
    Plane {
        name: "black_to_move",
        content: PlaneContent::Constant(|f| f.own.to_perspective(1.0)),
    },
    point_plane("on_board", |f| *f.position.board().all_points()),
    point_plane("ko_forbidden", |f| f.position.ko_points()),
    point_plane("own_laddered", |f| f.ladders[f.own].captured),
    point_plane("opponent_laddered", |f| f.ladders[f.opponent].captured),
    point_plane("ladder_captures", |f| f.ladders[f.opponent].working_moves),
    point_plane("own_pass_alive", |f| f.pass_alive[f.own]),
    point_plane("opponent_pass_alive", |f| f.pass_alive[f.opponent]),
    point_plane("moves_leaving_1_liberty", |f| f.liberties_after[0]),
    point_plane("moves_leaving_2_liberties", |f| f.liberties_after[1]),
];
