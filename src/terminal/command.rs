//! Definition of a command.

use super::error::TerminalError;
use super::game::Game;
use super::output::CommandOutput;

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
