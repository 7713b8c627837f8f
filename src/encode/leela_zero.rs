//! Positions as the input of Leela Zero's networks: 18 planes and no globals.
//!
//! The mover's stones now and on the boards of one to seven moves ago, the opponent's likewise, then a plane of ones
//! where Black is to move and one where White is. Passes are moves; before the start of the game, handicap stones
//! placed, there is nothing. The networks are made for the 19x19 board.

use super::mark;
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// Boards shown of each side, the present one included.
pub const BOARDS: usize = 8;
/// Number of planes.
pub const PLANES: usize = 2 * BOARDS + 2;

/// The symmetry in which Leela Zero looks at a board that it does not turn: its rows begin at the bottom, ours at the
/// top.
pub const UNTURNED: Symmetry = Symmetry::UPSIDE_DOWN;

/// Writes `position` as seen through `symmetry`: `planes` has [`PLANES`] times the board's area numbers, plane after
/// plane, each in reading order of the turned board.
///
/// # Panics
/// When `planes` has another length.
pub fn encode(position: &Position, symmetry: Symmetry, planes: &mut [f32]) {
    let size = position.size();
    assert_eq!(planes.len(), PLANES * size.area(), "length of the planes");
    planes.fill(0.0);
    let own = position.to_move();
    for (plane, out) in planes.chunks_exact_mut(size.area()).enumerate() {
        mark(out, points(position, own, plane), size, symmetry);
    }
}

/// Where a plane is 1.
fn points(position: &Position, own: Color, plane: usize) -> PointSet {
    let everywhere_for = |color| match own == color {
        true => *position.board().area(),
        false => PointSet::EMPTY,
    };
    match plane {
        _ if plane < BOARDS => position.stones_before(plane, own),
        _ if plane < 2 * BOARDS => position.stones_before(plane - BOARDS, own.opposite()),
        _ if plane == 2 * BOARDS => everywhere_for(Color::Black),
        _ => everywhere_for(Color::White),
    }
}
