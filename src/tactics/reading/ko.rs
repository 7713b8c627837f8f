//! Kos: who may take back at once.
//!
//! A goal is read up to three times: with the maker free of the ko rule (as if it had a threat for every ko), with
//! the breaker free of it, and with neither. A side that wins although the other is free of the rule wins
//! whatever threats there are.

use super::turn::{Side, Turn};
use crate::game::point::Point;

/// Who of the two may take a ko back at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    Maker,
    Nobody,
    Breaker,
}

impl Free {
    /// Whether the ko rule forbids a move at `mv`.
    pub(super) fn forbids(self, turn: Turn, mv: Point) -> bool {
        let is_free = match turn.side {
            Side::Maker => self == Self::Maker,
            Side::Breaker => self == Self::Breaker,
        };
        turn.ko == Some(mv) && !is_free
    }
}
