//! Command output and phrases shared by full-screen mode and line mode.

use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::position::Position;

/// Output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// Messages only.
    Messages(Vec<String>),
    /// The board must be drawn again, followed by these messages.
    Board(Vec<String>),
    /// Request to exit the program.
    Quit,
}

impl CommandOutput {
    /// Creates a [`Board`](Self::Board) output with a single message.
    pub fn board(message: impl Into<String>) -> Self {
        Self::Board(vec![message.into()])
    }
}

/// Describes the last move in a sentence. Returns `None` before the first move.
pub(super) fn last_move_text(position: &Position) -> Option<String> {
    let (color, mv) = position.past_move(0)?;
    let color = color_name(color);
    Some(match mv {
        Move::Pass => format!("{color} passed."),
        mv => format!("{color} played {}.", position.size().format_move(mv)),
    })
}

/// Returns the capitalised name of a colour.
pub const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}
