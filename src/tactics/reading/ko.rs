//! Kos: who may take back at once, and what the answers under each rule say together.
//!
//! A capture is read up to three times: with the attacker free of the ko rule (as if it had a threat for every ko),
//! with the defender free of it, and with neither. A side that wins although the other is free of the rule wins
//! whatever threats there are, and under every superko rule.

use crate::game::point::Point;

/// Who of the two may take a ko back at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    Attacker,
    Nobody,
    Defender,
}

/// Which of the two moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Attacker,
    Defender,
}

impl Side {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

impl Free {
    /// Whether the side, to move, is kept from playing at `mv` by the ko at `ko`.
    pub(super) fn forbids(self, side: Side, ko: Option<Point>, mv: Point) -> bool {
        ko == Some(mv) && !self.is(side)
    }

    /// Whether the side is free of the rule.
    pub(super) fn is(self, side: Side) -> bool {
        matches!(
            (self, side),
            (Self::Attacker, Side::Attacker) | (Self::Defender, Side::Defender)
        )
    }
}
