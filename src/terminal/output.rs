//! Command results and phrases shared by the screen and line mode.

use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;

/// What comes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// Only words.
    Messages(Vec<String>),
    /// The board has changed or is to be shown again; words beside it.
    Board(Vec<String>),
    /// The player leaves.
    Quit,
}

impl CommandOutput {
    /// The board with one line of words.
    #[must_use]
    pub fn board(message: impl Into<String>) -> Self {
        Self::Board(vec![message.into()])
    }
}

/// The last move in a sentence; none before the first.
pub(super) fn last_move_text(position: &Position) -> Option<String> {
    let (color, mv) = position.last_move(0)?;
    let color = color_name(color);
    Some(match mv {
        Move::Pass => format!("{color} passed."),
        mv => format!("{color} played {}.", position.size().format_move(mv)),
    })
}

/// The colour's name at the beginning of a sentence.
#[must_use]
pub const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
