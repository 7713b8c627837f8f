//! The interface between the search and the goals that it can read. The *maker* tries to reach the goal within a given
//! number of maker moves, and the *breaker* tries to prevent this.

use super::table::NodeResult;
use crate::game::board::Board;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// One of the two sides in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingSide {
    /// The side that tries to reach the goal.
    Maker,
    /// The side that tries to prevent the maker from reaching the goal.
    Breaker,
}

impl ReadingSide {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Maker => Self::Breaker,
            Self::Breaker => Self::Maker,
        }
    }
}

/// A goal of a reading search, which concerns chains on the board. The chains are identified by stones on the root
/// board.
///
/// Methods that return a zone follow the definition in [`zone`](super::zone).
pub(super) trait ReadingGoal: Copy {
    /// Returns a key that identifies the chains in question. Goals that concern different chains on the same board have
    /// different keys.
    fn key(&self, board: &Board) -> u64;

    /// Returns the zone of a simple proof that no number of maker moves reaches the goal. Returns `None` if the goal
    /// may still be reachable.
    fn unreachable_zone(&self, board: &Board) -> Option<PointSet>;

    /// Returns true if the goal is reached on `board`.
    fn is_reached(&self, board: &Board) -> bool;

    /// Returns the maker moves that reach the goal immediately, provided that they are legal.
    fn reaching_moves(&self, board: &Board) -> PointSet;

    /// Returns the zone of the result that `mv`, one of the [`reaching_moves`](Self::reaching_moves), reaches the goal.
    fn reaching_zone(&self, board: &Board, mv: Point) -> PointSet;

    /// Tries to prove with little effort that `moves` maker moves are not enough even if the breaker always passes.
    /// Returns the proved result, or `None` if this attempt does not find a proof.
    fn prove_too_few_moves(&self, board: &Board, moves: usize) -> Option<NodeResult>;

    /// Returns the forcing moves that the maker tries at the horizon (see [`search`](super::search)), such as ataris.
    /// If there is exactly one, it reaches the goal unless the breaker responds.
    fn forcing_moves(&self, board: &Board) -> PointSet;

    /// Returns promising maker moves, which are searched first.
    fn preferred_moves(&self, board: &Board) -> PointSet;

    /// Returns the moves that the breaker should consider when the maker has `moves` moves left.
    fn breaker_moves(&self, board: &Board, moves: usize) -> BreakerMoves;
}

/// Breaker moves, classified for move ordering and pruning.
pub(super) struct BreakerMoves {
    /// Move to try before a pass.
    pub(super) first: Option<Point>,
    /// Promising moves, which are searched first.
    pub(super) preferred: PointSet,
    /// All moves that may help the breaker.
    pub(super) candidates: PointSet,
}
