//! What a reading asks for: a goal that one side, the *maker*, wants to reach within so many moves, and the other, the
//! *breaker*, to prevent. The engine is the same for all goals; a goal says how it stands on a board.

use super::table::NodeResult;
use crate::game::board::Board;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Which of the two moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Wants to reach the goal.
    Maker,
    /// Wants to prevent it.
    Breaker,
}

impl Side {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Maker => Self::Breaker,
            Self::Breaker => Self::Maker,
        }
    }
}

/// A goal, of stones that are on the board when the reading begins.
///
/// Of the sets of points that are called zones here, the promise is that of [`zone`](super::zone).
pub(super) trait ReadingGoal: Copy {
    /// Before anything is asked.
    const UNSET: Self;

    /// Tells apart the boards of equal stones on which different chains are meant.
    fn key(&self, board: &Board) -> u64;

    /// If the maker can no longer reach it, however many moves it has: the zone of that.
    fn unreachable_zone(&self, board: &Board) -> Option<PointSet>;

    /// Whether it is reached.
    fn is_reached(&self, board: &Board) -> bool;

    /// The moves of the maker that reach it at once where they are legal.
    fn reaching_moves(&self, board: &Board) -> PointSet;

    /// The zone of the success of one of those moves.
    fn reaching_zone(&self, board: &Board, mv: Point) -> PointSet;

    /// A proof that so many moves of the maker are too few even if the breaker always passes, where this is easily seen.
    fn prove_too_few_moves(&self, board: &Board, moves: usize) -> Option<NodeResult>;

    /// The moves to try one after another beyond the depth of the search, each of which the breaker has to answer. If
    /// there is one only, it is the breaker's turn to answer it.
    fn forcing_moves(&self, board: &Board) -> PointSet;

    /// Moves that look good for the maker.
    fn preferred_moves(&self, board: &Board) -> PointSet;

    /// What the breaker may try, with `moves` moves of the maker to come.
    fn breaker_moves(&self, board: &Board, moves: usize) -> BreakerMoves;
}

/// Moves of the breaker.
pub(super) struct BreakerMoves {
    /// The one to try before anything else.
    pub(super) first: Option<Point>,
    /// Those that look good.
    pub(super) preferred: PointSet,
    /// All that can help.
    pub(super) candidates: PointSet,
}
