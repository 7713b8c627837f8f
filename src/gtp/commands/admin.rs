//! Administrative commands: engine name, version, protocol version, and `quit`.

use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, Response, text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "protocol_version",
        "",
        "Returns the protocol version.",
        |_, _| text(2),
    ),
    Command::new("name", "", "Returns the engine's name.", |context, _| {
        text(&context.identity.name)
    }),
    Command::new(
        "version",
        "",
        "Returns the engine's version.",
        |context, _| text(&context.identity.version),
    ),
    Command::new("quit", "", "Ends the session.", |_, _| Ok(Response::Quit)),
    Command::new("stop", "", "Stops analysis and pondering.", pause_pondering),
    Command::new(
        "kgs-game_over",
        "",
        "Stops pondering; keeps the board, because the game may be resumed.",
        pause_pondering,
    ),
];

fn pause_pondering(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    context.engine.pause_pondering();
    Ok(Response::EMPTY)
}
