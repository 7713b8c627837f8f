//! Move ordering: killer moves first, then the moves that the goal prefers, then the remaining moves.
//!
//! Moves of the same class are ordered by their history count: the number of cutoffs that a move of this colour at this
//! point has caused, weighted by the remaining number of maker moves.

use crate::game::color::{ByColor, Color};
use crate::game::point::{POINT_TABLE_LEN, Point};
use crate::game::pointset::PointSet;
use crate::tactics::killers::Killers;

/// Maximum history count. When a count exceeds it, all counts of that colour are halved.
const HISTORY_LIMIT: u32 = 1 << 16;

/// Killer moves and history counts of a search.
#[derive(Debug, Default)]
pub(super) struct MoveOrder {
    killers: Killers<Point>,
    history: ByColor<Vec<u32>>,
}

impl MoveOrder {
    /// Clears the killer moves and the history counts before a new query.
    pub(super) fn clear(&mut self) {
        self.killers.clear();
        for color in Color::BOTH {
            self.history[color].clear();
            self.history[color].resize(POINT_TABLE_LEN, 0);
        }
    }

    /// Records that the move `mv` of `color` caused a cutoff at `depth`, with `moves_left` maker moves remaining.
    pub(super) fn record_cutoff(
        &mut self,
        depth: usize,
        color: Color,
        mv: Point,
        moves_left: usize,
    ) {
        self.killers.add(depth, mv);
        let history = &mut self.history[color];
        history[mv.number()] += 1 + (moves_left * moves_left) as u32;
        if history[mv.number()] > HISTORY_LIMIT {
            history.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// Returns the most promising of `moves`, or `None` if there are none. `preferred` contains the moves that the goal
    /// prefers.
    pub(super) fn pick(
        &self,
        moves: &PointSet,
        depth: usize,
        color: Color,
        preferred: &PointSet,
    ) -> Option<Point> {
        let killers = self.killers.at(depth);
        let priority = |mv: &Point| {
            (
                killers.contains(&Some(*mv)),
                preferred.contains(*mv),
                self.history[color][mv.number()],
            )
        };
        moves.iter().max_by_key(priority)
    }
}
