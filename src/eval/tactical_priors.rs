//! Heuristic priors from captures, escapes, ataris, the distance to the last move and the distance to the edge.
//!
//! The weights are rules of thumb. In a search with playouts, the priors only determine the order in which moves are
//! tried; the results of the playouts soon outweigh the priors.

use super::{Evaluation, priors};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Point};
use crate::game::position::Position;
use crate::tactics::eye::is_eye_like;

/// Weight added for each captured stone.
const CAPTURE_WEIGHT: f32 = 4.0;
/// Weight added for each stone of a friendly chain that escapes from atari.
const ESCAPE_WEIGHT: f32 = 3.0;
/// Maximum number of stones counted for a capture or an escape.
const MAX_COUNTED_STONES: usize = 6;
/// Weight added for each opposing chain that the move puts into atari.
const ATARI_WEIGHT: f32 = 2.0;
/// Factor for a move that captures nothing and leaves its own chain in atari.
const SELF_ATARI_FACTOR: f32 = 0.1;
/// Factors for moves at a distance of 2, 3 and 4 from the last move; see [`distance`].
const PROXIMITY_FACTORS: [f32; 3] = [3.0, 2.5, 1.5];
/// Factor for a move to a first-line point that has no adjacent stones.
const LONE_FIRST_LINE_FACTOR: f32 = 0.2;
/// Weight of a move that fills a friendly eye.
const EYE_FILLING_WEIGHT: f32 = 0.0;
/// Weight of a pass if there are other sensible moves and the last move was not a pass.
const EARLY_PASS_WEIGHT: f32 = 0.01;

/// Clears `evaluation` and writes the heuristic priors for `position` to its policy.
pub(super) fn write_priors(position: &Position, evaluation: &mut Evaluation) {
    let size = position.size();
    let last = position.past_move(0).and_then(|(_, mv)| mv.point());
    let mut has_sensible_move = false;
    evaluation.clear(size);
    for point in position.legal_points() {
        let weight = move_weight(position.board(), position.to_move(), point, last);
        has_sensible_move |= weight > EYE_FILLING_WEIGHT;
        evaluation.policy[size.index(point)] = weight;
    }
    evaluation.policy[size.area()] = match (has_sensible_move, position.last_move_was_pass()) {
        (true, false) => EARLY_PASS_WEIGHT,
        // No other move is sensible, or the pass ends the game, which may be won.
        _ => 1.0,
    };
    priors::normalise(&mut evaluation.policy);
}

fn move_weight(board: &Board, color: Color, point: Point, last: Option<Point>) -> f32 {
    let empty_neighbours = board.adjacent_empty_points(point).len();
    let factor = proximity_factor(point, last);
    let on_edge = edge_distance(board.size(), point) == 0;
    if empty_neighbours == 4 || (on_edge && board.chains_of_adjacent_stones(point).next().is_none())
    {
        return if on_edge {
            factor * LONE_FIRST_LINE_FACTOR
        } else {
            factor
        };
    }
    if is_eye_like(board, color, point) {
        return EYE_FILLING_WEIGHT;
    }
    let captured = board.captured_by_move(color, point).len();
    // With two adjacent empty points, the stone has at least two liberties.
    let liberties = match empty_neighbours {
        0 | 1 => board.liberties_after(color, point).len(),
        _ => empty_neighbours,
    };
    let mut weight = 1.0 + CAPTURE_WEIGHT * captured.min(MAX_COUNTED_STONES) as f32;
    for chain in board.chains_of_adjacent_stones(point) {
        match (chain.color == color, chain.liberties.len()) {
            (true, 1) if liberties > 1 => {
                weight += ESCAPE_WEIGHT * chain.stones.len().min(MAX_COUNTED_STONES) as f32;
            }
            (false, 2) => weight += ATARI_WEIGHT,
            _ => {}
        }
    }
    if liberties == 1 && captured == 0 {
        weight *= SELF_ATARI_FACTOR;
    }
    factor * weight
}

fn proximity_factor(point: Point, last: Option<Point>) -> f32 {
    let step = last.and_then(|last| distance(point, last).checked_sub(2));
    step.and_then(|step| PROXIMITY_FACTORS.get(step))
        .copied()
        .unwrap_or(1.0)
}

/// Returns the sum of the distances along both axes plus the larger of them: 2 for a neighbour, 3 for a diagonal
/// neighbour.
fn distance(a: Point, b: Point) -> usize {
    let columns = a.column().abs_diff(b.column());
    let rows = a.row().abs_diff(b.row());
    columns + rows + columns.max(rows)
}

/// Returns the distance to the nearest edge, which is 0 on the first line.
fn edge_distance(size: BoardSize, point: Point) -> usize {
    let column_distance = point.column().min(size.width() - 1 - point.column());
    let row_distance = point.row().min(size.height() - 1 - point.row());
    column_distance.min(row_distance)
}
