//! Which move to try next: those that have lately decided a position at the same depth (killers), those near the chains,
//! then those that have decided most positions (history).

use crate::game::color::{ByColor, Color};
use crate::game::point::{NUM_POINTS, Point};
use crate::game::pointset::PointSet;
use crate::tactics::killers::Killers;

/// History above this is halved, all of it.
const HISTORY_LIMIT: u32 = 1 << 16;

/// What deciding moves have taught.
#[derive(Debug)]
pub(super) struct MoveOrder {
    killers: Killers<Point>,
    history: ByColor<Vec<u32>>,
}

impl MoveOrder {
    pub(super) fn new() -> Self {
        Self {
            killers: Killers::default(),
            history: ByColor::new(vec![0; NUM_POINTS], vec![0; NUM_POINTS]),
        }
    }

    /// Forgets everything: a new question.
    pub(super) fn clear(&mut self) {
        self.killers.clear();
        for color in Color::BOTH {
            self.history[color].fill(0);
        }
    }

    /// The move decided the position at that depth, with `moves_left` moves of the maker left.
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

    /// The most promising of the moves; `preferred` are those near the chains.
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
