//! Results for tactical goals, such as capturing a chain, with GNU Go's result codes.
//!
//! - 0: the goal fails.
//! - 1: the goal succeeds.
//! - 2: the goal succeeds by ko, and the opponent needs the first ko threat.
//! - 3: the goal succeeds by ko, and the side to move needs the first ko threat.
//!
//! If the search is inconclusive, the result is `unknown`.

use crate::game::color::Color;
use crate::game::point::{BoardSize, Move};
use crate::game::position::Position;

/// Way in which a goal succeeds. The discriminants are GNU Go's result codes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Success {
    /// Without ko.
    Unconditional = 1,
    /// By a ko in which the opponent needs the first ko threat.
    KoOpponentThreat = 2,
    /// By a ko in which the side to move needs the first ko threat.
    KoOwnThreat = 3,
}

impl Success {
    /// Returns the kind of success for a goal that succeeds only by ko. `needs_own_threat` is true if the side to move
    /// needs the first ko threat, and false if the opponent needs it.
    pub const fn by_ko(needs_own_threat: bool) -> Self {
        if needs_own_threat {
            Self::KoOwnThreat
        } else {
            Self::KoOpponentThreat
        }
    }
}

/// Result for a goal pursued by the side that moves first.
#[derive(Clone, Copy)]
pub enum GoalResult {
    /// The goal succeeds, starting with this move.
    Succeeds(Success, Move),
    Fails,
    Unknown,
}

impl GoalResult {
    /// Replaces a success with `Unknown` if its move is illegal for `mover`. This is possible because the searches
    /// ignore superko. The goal may still succeed by another move.
    pub fn unknown_if_illegal(self, position: &Position, mover: Color) -> Self {
        match self {
            Self::Succeeds(_, Move::Play(point))
                if position.check_legal_for(mover, point).is_err() =>
            {
                Self::Unknown
            }
            result => result,
        }
    }

    /// Formats the result as `unknown`, or as a result code, which is followed by the move if the goal succeeds.
    pub fn to_text(self, size: BoardSize) -> String {
        match self {
            Self::Fails => "0".to_owned(),
            Self::Unknown => "unknown".to_owned(),
            Self::Succeeds(success, mv) => {
                format!("{} {}", success as u8, gnugo_move_text(size, mv))
            }
        }
    }
}

/// Formats a move like GNU Go: a vertex, or `PASS` in capitals.
pub fn gnugo_move_text(size: BoardSize, mv: Move) -> String {
    mv.point()
        .map_or_else(|| "PASS".to_owned(), |point| size.vertex(point))
}
