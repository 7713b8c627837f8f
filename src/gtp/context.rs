//! What a command may touch, and what a command is.

use super::args::Args;
use super::connection::Connection;
use super::response::CommandResult;
use crate::engine::Engine;

/// Who the engine says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The answer to `name`.
    pub name: String,
    /// The answer to `version`.
    pub version: String,
    /// What its network is called.
    pub model: String,
    /// Whether that imitates people whom one may name.
    pub uses_human_sl_profile: bool,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            name: "Honinbo".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: "default".to_owned(),
            uses_human_sl_profile: false,
        }
    }
}

/// What a command may touch.
pub struct Context<'a, 'w> {
    /// The player.
    pub engine: &'a mut Engine,
    /// Who it says it is.
    pub identity: &'a Identity,
    /// The client, for commands that answer while they run.
    pub connection: &'a mut Connection<'w>,
    /// The number the client gave the command.
    pub id: Option<&'a str>,
}

/// A command: all that is known of it.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments; optional ones in brackets.
    pub usage: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Whether `list_commands` names it. Some forms are better understood than advertised.
    pub listed: bool,
    /// Carries it out.
    pub run: fn(&mut Context<'_, '_>, &mut Args<'_>) -> CommandResult,
}

impl Command {
    /// A command that is listed.
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

    /// The same command, understood but not listed.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self {
            listed: false,
            ..self
        }
    }
}
