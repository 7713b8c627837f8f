//! Definition of the commands of the terminal interface.

use super::error::TerminalError;
use super::game::Game;
use super::output::CommandOutput;
use crate::game::point::{BoardSize, Point};
use crate::io::error_text;

/// Condition under which a command is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Always,
    /// Not available while a position is being set up.
    DuringGame,
    /// Not available while a position is being set up or an earlier position of the game is shown.
    AtLatestPosition,
    /// Changes the position being set up. Executing the command starts the setup if it is not in progress.
    DuringSetup,
}

/// A command of the terminal interface.
pub struct Command {
    pub name: &'static str,
    /// Short form of the name, or an empty string.
    pub alias: &'static str,
    /// Arguments, with optional ones in brackets.
    pub usage: &'static str,
    /// Description printed by `help`.
    pub summary: &'static str,
    pub availability: Availability,
    /// Executes the command. The text is the part of the line after the command name.
    pub run: fn(&mut Game, &str) -> Result<CommandOutput, TerminalError>,
}

/// Checks that a command that takes no arguments received none.
///
/// # Errors
/// Returns an error that quotes the arguments if there are any.
pub fn expect_no_args(args: &str) -> Result<(), TerminalError> {
    if args.is_empty() {
        Ok(())
    } else {
        Err(TerminalError::UnexpectedArgument(args.to_owned()))
    }
}

/// Parses a point. Returns `None` if the word does not have the form of a point: a letter followed by a number.
///
/// # Errors
/// Returns [`TerminalError::OffBoard`] if the word has this form but the point is not on the board.
pub fn parse_point(size: BoardSize, word: &str) -> Result<Option<Point>, TerminalError> {
    if let Some(point) = size.parse_vertex(word) {
        return Ok(Some(point));
    }
    let mut chars = word.chars();
    let starts_with_letter = chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let digits = chars.as_str();
    if starts_with_letter
        && !digits.is_empty()
        && digits.chars().all(|digit| digit.is_ascii_digit())
    {
        return Err(TerminalError::OffBoard {
            found: error_text::excerpt(word),
            size,
        });
    }
    Ok(None)
}
