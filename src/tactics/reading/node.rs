//! A position in the line that is being read, and what is asked of it.

use crate::game::point::Point;

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

/// Whether the maker reaches the goal with so many moves, from a position of the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadingNode {
    /// Moves played since the root, passes not counted.
    pub(super) depth: usize,
    /// Who moves.
    pub(super) side: Side,
    /// Moves the maker has left.
    pub(super) moves_left: usize,
    /// Where a ko was just taken.
    pub(super) ko: Option<Point>,
}

impl ReadingNode {
    /// After a pass.
    pub(super) fn after_pass(self) -> Self {
        let used_moves = usize::from(self.side == Side::Maker);
        Self {
            side: self.side.other(),
            moves_left: self.moves_left.saturating_sub(used_moves),
            ko: None,
            ..self
        }
    }

    /// After a move that left this ko.
    pub(super) fn after_move(self, ko: Option<Point>) -> Self {
        Self {
            depth: self.depth + 1,
            ko,
            ..self.after_pass()
        }
    }
}
