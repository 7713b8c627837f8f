//! Definition of a command.

use super::error::TerminalError;
use super::game::Game;
use super::output::CommandOutput;
use crate::game::point::{BoardSize, Point};
use crate::io::error_text;

/// Availability of a command while a position is being set up or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    Always,
    /// Not available while a position is being set up.
    DuringGame,
    /// Starts setting up a position if necessary.
    DuringSetup,
}

/// A command of the terminal interface.
pub struct Command {
    pub name: &'static str,
    /// Short form of the name, or an empty string.
    pub alias: &'static str,
    /// Arguments, with optional ones in brackets.
    pub usage: &'static str,
    /// Description for `help`.
    pub summary: &'static str,
    pub availability: Availability,
    /// Executes the command with the text after its name.
    pub run: fn(&mut Game, &str) -> Result<CommandOutput, TerminalError>,
}

/// Checks that a command without arguments has none.
///
/// # Errors
/// Fails if there are arguments.
pub fn expect_no_args(args: &str) -> Result<(), TerminalError> {
    if args.is_empty() {
        Ok(())
    } else {
        Err(TerminalError::UnexpectedArgument(args.to_owned()))
    }
}

/// Parses a point. Returns `None` if the word does not have the form of a point, a letter and a number.
///
/// # Errors
/// Fails with [`TerminalError::OffBoard`] for points that are not on the board.
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
            found: error_text::truncated(word),
            size,
        });
    }
    Ok(None)
}
