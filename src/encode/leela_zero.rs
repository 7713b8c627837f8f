//! Input encoding of Leela Zero networks: 18 planes and no global features.
//!
//! The planes contain, in this order: the stones of the side to move on the current board and on the boards 1 to 7
//! moves ago (8 planes), the opponent's stones on the same boards (8 planes), ones if Black is to move, and ones if
//! White is to move. Passes count as moves. Boards before the initial position (which includes handicap stones) are
//! empty. The networks support only the 19x19 board.

use super::mark_points;
use crate::game::color::Color;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::symmetry::Symmetry;

/// Number of boards per colour, including the current one.
pub const NUM_HISTORY_BOARDS: usize = 8;
/// Number of input planes.
pub const NUM_PLANES: usize = 2 * NUM_HISTORY_BOARDS + 2;

/// Symmetry that produces the orientation of Leela Zero's own input. Leela Zero numbers rows from the bottom, this
/// engine from the top.
pub const NATIVE_ORIENTATION: Symmetry = Symmetry::FLIP_VERTICAL;

/// Encodes `position` under `symmetry` into `planes` (`[NUM_PLANES, area]`, in row-major order after applying the
/// symmetry).
///
/// # Panics
/// Panics if the length of `planes` is not [`NUM_PLANES`] times the area of the board.
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
        mark_points(output, plane_points(position, own, plane), size, symmetry);
    }
}

/// Returns the points at which the plane with index `plane` is 1.
fn plane_points(position: &Position, own: Color, plane: usize) -> PointSet {
    let full_if_to_move = |color| match own == color {
        true => *position.board().all_points(),
        false => PointSet::EMPTY,
    };
    match plane {
        _ if plane < NUM_HISTORY_BOARDS => position.past_stones(plane, own),
        _ if plane < 2 * NUM_HISTORY_BOARDS => {
            position.past_stones(plane - NUM_HISTORY_BOARDS, own.opposite())
        }
        _ if plane == 2 * NUM_HISTORY_BOARDS => full_if_to_move(Color::Black),
        _ => full_if_to_move(Color::White),
    }
}
