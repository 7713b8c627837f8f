//! The two sides of a match, and their colours.

use std::fmt;

use crate::game::color::Color;

/// One of the two sides of a match, independent of colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side named first; results are given from its perspective.
    A,
    B,
}

impl Side {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// Returns the side that plays `color` if A plays `a_color`.
    pub fn of(color: Color, a_color: Color) -> Self {
        if color == a_color { Self::A } else { Self::B }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// Returns A's colour in a game.
pub const fn color_of_a(game_index: usize) -> Color {
    if game_index.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}
