//! A cheap test for eyes, good enough to end random playouts.

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{MAX_SIDE, Point, STRIDE};
use crate::game::pointset::PointSet;

/// Whether the empty `point` looks like an eye of `color`: all neighbours are `color`'s stones, and of the diagonal
/// points at most one is the opponent's (none at the edge of the board).
///
/// False eyes that a larger shape makes real are missed; that costs a playout a move, not its end.
#[must_use]
#[inline]
pub fn is_eye(board: &Board, color: Color, point: Point) -> bool {
    let own = board.stones(color);
    let area = board.area();
    let at = point.number();
    let counts = |steps: [usize; 4], wanted: &PointSet| -> (usize, usize) {
        let mut on_board = 0;
        let mut found = 0;
        for step in steps {
            let neighbour = at.wrapping_add(step);
            if neighbour < STRIDE * MAX_SIDE {
                let neighbour = Point::from_number(neighbour);
                on_board += usize::from(area.contains(neighbour));
                found += usize::from(wanted.contains(neighbour));
            }
        }
        (on_board, found)
    };
    let (sides, own_sides) = counts([1, usize::MAX, STRIDE, STRIDE.wrapping_neg()], own);
    if own_sides < sides {
        return false;
    }
    let diagonals = [
        STRIDE + 1,
        STRIDE - 1,
        (STRIDE + 1).wrapping_neg(),
        (STRIDE - 1).wrapping_neg(),
    ];
    let (corners, enemy) = counts(diagonals, board.stones(color.opposite()));
    enemy + usize::from(corners < 4) <= 1
}
