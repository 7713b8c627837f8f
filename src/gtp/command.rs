//! Definition of a GTP command, and the state that commands can access.

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
    /// ID of the command, echoed in the response.
    pub id: Option<&'a str>,
}

/// A GTP command.
pub struct Command {
    pub name: &'static str,
    /// Arguments, with optional ones in brackets. Empty for a command without arguments.
    pub usage: &'static str,
    /// One-sentence description, printed by `help`.
    pub summary: &'static str,
    /// True if `list_commands` includes the command. Unlisted commands are accepted too. They are hidden because some
    /// clients misinterpret their presence in the list.
    pub listed: bool,
    run: CommandFn,
}

/// Implementation of a command.
type CommandFn = fn(&mut Context<'_, '_>, &mut Args<'_>) -> CommandResult;

impl Command {
    /// Defines a listed command.
    pub const fn new(
        name: &'static str,
        usage: &'static str,
        summary: &'static str,
        run: CommandFn,
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
    pub const fn unlisted(self) -> Self {
        Self {
            listed: false,
            ..self
        }
    }

    /// Runs the command. `args` is the text that follows the command name. It is ignored if the command takes no
    /// arguments, as in other engines: some clients send superfluous arguments, such as `undo 0`.
    pub fn execute(&self, context: &mut Context<'_, '_>, args: &str) -> CommandResult {
        let args = if self.usage.is_empty() { "" } else { args };
        (self.run)(context, &mut Args::new(args))
    }
}
