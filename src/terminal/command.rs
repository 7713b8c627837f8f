//! Definition of a command.

use super::error::TerminalError;
use super::game::Game;
use super::output::CommandOutput;

/// When a command makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// At any time.
    Always,
    /// While no position is being set up.
    DuringGame,
    /// While one is, and at other times it begins that.
    DuringSetup,
}

/// A command: all that is known of it.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// A shorter one; empty if there is none.
    pub alias: &'static str,
    /// What follows the name; what may be left out in brackets.
    pub usage: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// When it makes sense.
    pub availability: Availability,
    /// Does it, with what followed the name.
    pub run: fn(&mut Game, &str) -> Result<CommandOutput, TerminalError>,
}

/// Refuses words behind what takes none.
///
/// # Errors
/// When there are some.
pub fn expect_no_args(args: &str) -> Result<(), TerminalError> {
    if args.is_empty() {
        Ok(())
    } else {
        Err(TerminalError::argument("nothing more", args))
    }
}
