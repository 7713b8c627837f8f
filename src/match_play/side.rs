//! The two sides of a match, and their colours.

use std::fmt;

use crate::game::color::Color;

/// Side of a match. A side keeps its letter when the colours change after each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side specified first. Results are reported from its perspective.
    A,
    B,
}

impl Side {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// Returns the side that plays `color` in a game in which A plays `a_color`.
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

/// Returns A's colour in the game with index `game_index`: Black if the index is even, White otherwise.
pub const fn color_of_a(game_index: usize) -> Color {
    if game_index.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}
