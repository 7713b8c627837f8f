//! The interface between the search and its goals. The *maker* tries to reach the goal within a number of moves,
//! and the *breaker* tries to prevent this.

use super::table::NodeResult;
use crate::game::board::Board;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Side of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The side that tries to reach the goal.
    Maker,
    /// The side that tries to prevent it.
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

/// A goal about stones that are on the board at the root.
///
/// Methods that return a zone follow the definition in [`zone`](super::zone).
pub(super) trait ReadingGoal: Copy {
    /// Placeholder for a search that has not started.
    const UNSET: Self;

    /// Returns a key that identifies the chains in question. It distinguishes goals on boards with equal stones.
    fn key(&self, board: &Board) -> u64;

    /// Returns the zone of a proof that the maker cannot reach the goal with any number of moves, if there is one.
    fn unreachable_zone(&self, board: &Board) -> Option<PointSet>;

    /// Returns true if the goal is reached on `board`.
    fn is_reached(&self, board: &Board) -> bool;

    /// Returns the maker moves that reach the goal immediately if they are legal.
    fn reaching_moves(&self, board: &Board) -> PointSet;

    /// Returns the zone of the success of such a move.
    fn reaching_zone(&self, board: &Board, mv: Point) -> PointSet;

    /// Returns a proof that `moves` maker moves are not enough even if the breaker always passes. Only tries cheap
    /// proofs.
    fn prove_too_few_moves(&self, board: &Board, moves: usize) -> Option<NodeResult>;

    /// Returns the maker moves to try at the horizon, each of which is a threat. If there is a single one, the
    /// breaker must respond to it.
    fn forcing_moves(&self, board: &Board) -> PointSet;

    /// Returns promising maker moves, which are searched first.
    fn preferred_moves(&self, board: &Board) -> PointSet;

    /// Returns the breaker's moves when the maker has `moves` moves left.
    fn breaker_moves(&self, board: &Board, moves: usize) -> BreakerMoves;
}

/// Breaker moves for move ordering and pruning.
pub(super) struct BreakerMoves {
    /// Move to try before passing.
    pub(super) first: Option<Point>,
    /// Promising moves, which are searched first.
    pub(super) preferred: PointSet,
    /// All moves that can help.
    pub(super) candidates: PointSet,
}
