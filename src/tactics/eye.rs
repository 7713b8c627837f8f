//! A cheap eye test that is accurate enough to end random playouts.

use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{MAX_SIDE, Point, STRIDE};
use crate::game::pointset::PointSet;

/// Returns true if the empty `point` looks like an eye of `color`. All its neighbours must be stones of `color`. The
/// opponent may occupy at most one of the diagonal points, or none of them if `point` is at the edge of the board.
///
/// A point that looks like a false eye can be a real eye as part of a larger shape. A playout that fills such an eye
/// wastes a move, but still ends.
#[inline]
pub fn is_eye_like(board: &Board, color: Color, point: Point) -> bool {
    let own = board.stones(color);
    let area = board.all_points();
    let index = point.number();
    let count_adjacent = |offsets: [usize; 4], stones: &PointSet| -> (usize, usize) {
        let mut on_board = 0;
        let mut matching = 0;
        for offset in offsets {
            let neighbour = index.wrapping_add(offset);
            if neighbour < STRIDE * MAX_SIDE {
                let neighbour = Point::from_number(neighbour);
                on_board += usize::from(area.contains(neighbour));
                matching += usize::from(stones.contains(neighbour));
            }
        }
        (on_board, matching)
    };
    let (num_neighbours, num_own) =
        count_adjacent([1, usize::MAX, STRIDE, STRIDE.wrapping_neg()], own);
    if num_own < num_neighbours {
        return false;
    }
    let diagonals = [
        STRIDE + 1,
        STRIDE - 1,
        (STRIDE + 1).wrapping_neg(),
        (STRIDE - 1).wrapping_neg(),
    ];
    let (num_diagonals, num_opponent) = count_adjacent(diagonals, board.stones(color.opposite()));
    num_opponent + usize::from(num_diagonals < 4) <= 1
}
