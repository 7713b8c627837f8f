//! Administrative commands: engine name, version, protocol version, and `quit`.

use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, Response};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "protocol_version",
        "",
        "Returns the protocol version.",
        protocol_version,
    ),
    Command::new("name", "", "Returns the engine's name.", name),
    Command::new("version", "", "Returns the engine's version.", version),
    Command::new("quit", "", "Ends the session.", quit),
    Command::new("stop", "", "Stops analysis and pondering.", stop),
    Command::new(
        "kgs-game_over",
        "",
        "Stops pondering; keeps the board, because the game may be resumed.",
        stop,
    ),
];

fn protocol_version(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text("2".to_owned()))
}

fn name(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(context.identity.name.clone()))
}

fn version(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(context.identity.version.clone()))
}

fn quit(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Quit)
}

fn stop(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    context.engine.disable_pondering();
    Ok(Response::EMPTY)
}
