//! The definition of a command and the state that it can access.

use super::args::Args;
use super::connection::Connection;
use super::response::CommandResult;
use crate::engine::Engine;
use crate::engine::identity::Identity;

/// State that a command can access.
pub struct Context<'a, 'w> {
    pub engine: &'a mut Engine,
    pub identity: &'a Identity,
    /// Connection to the client, for commands that stream their response while they run.
    pub connection: &'a mut Connection<'w>,
    /// Id of the command, echoed in the response.
    pub id: Option<&'a str>,
}

/// A GTP command.
pub struct Command {
    pub name: &'static str,
    /// Arguments, with optional ones in brackets.
    pub usage: &'static str,
    /// One-sentence description, printed by `help`.
    pub summary: &'static str,
    /// True if `list_commands` includes the command. Unlisted commands are accepted too; they are hidden because some
    /// clients misinterpret their presence.
    pub listed: bool,
    pub run: fn(&mut Context<'_, '_>, &mut Args<'_>) -> CommandResult,
}

impl Command {
    /// Defines a listed command.
    #[must_use]
    pub const fn new(
        name: &'static str,
        usage: &'static str,
        summary: &'static str,
        run: fn(&mut Context<'_, '_>, &mut Args<'_>) -> CommandResult,
    ) -> Self {
        Self {
            name,
            usage,
            summary,
            listed: true,
            run,
        }
    }

    /// Hides the command from `list_commands`.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self {
            listed: false,
            ..self
        }
    }
}
