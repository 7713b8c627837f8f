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
pub const HISTORY_BOARDS: usize = 8;
/// Number of planes.
pub const NUM_PLANES: usize = 2 * HISTORY_BOARDS + 2;

/// The symmetry in which Leela Zero looks at a board that it does not turn: its rows begin at the bottom, ours at the
/// top.
pub const NATIVE_ORIENTATION: Symmetry = Symmetry::FLIP_VERTICAL;

/// Writes `position` as seen through `symmetry`: `planes` has [`NUM_PLANES`] times the board's area numbers, plane after
/// plane, each in reading order of the turned board.
///
/// # Panics
/// When `planes` has another length.
pub fn encode(position: &Position, symmetry: Symmetry, planes: &mut [f32]) {
    let size = position.size();
    assert_eq!(
        planes.len(),
        NUM_PLANES * size.area(),
        "length of the planes"
    );
    planes.fill(0.0);
    let own = position.to_move();
    for (plane, output) in planes.chunks_exact_mut(size.area()).enumerate() {
        mark(output, plane_points(position, own, plane), size, symmetry);
    }
}

/// Where a plane is 1.
fn plane_points(position: &Position, own: Color, plane: usize) -> PointSet {
    let full_if_to_move = |color| match own == color {
        true => *position.board().area(),
        false => PointSet::EMPTY,
    };
    match plane {
        _ if plane < HISTORY_BOARDS => position.past_stones(plane, own),
        _ if plane < 2 * HISTORY_BOARDS => {
            position.past_stones(plane - HISTORY_BOARDS, own.opposite())
        }
        _ if plane == 2 * HISTORY_BOARDS => full_if_to_move(Color::Black),
        _ => full_if_to_move(Color::White),
    }
}
