//! Kos: who may take back at once.
//!
//! A goal is read up to three times: with the maker free of the ko rule (as if it had a threat for every ko), with
//! the breaker free of it, and with neither. A side that wins although the other is free of the rule wins
//! whatever threats there are.

use super::node::{ReadingNode, Side};
use crate::game::point::Point;

/// Who of the two may take a ko back at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KoImmunity {
    Maker,
    Neither,
    Breaker,
}

impl KoImmunity {
    /// Whether the ko rule forbids a move at `mv`.
    pub(super) fn forbids(self, node: ReadingNode, mv: Point) -> bool {
        let is_immune = match node.side {
            Side::Maker => self == Self::Maker,
            Side::Breaker => self == Self::Breaker,
        };
        node.ko == Some(mv) && !is_immune
    }
}
