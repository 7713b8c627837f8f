//! Time settings and clocks.

use crate::clock::time_control::{MAX_SECONDS, SYSTEMS, TimeControl, TimeControlError};
use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "time_settings",
        "MAIN PERIOD STONES",
        "Sets absolute (no period), Canadian or no time (no stones in a period), in seconds, and fills the clocks.",
        time_settings,
    ),
    Command::new(
        "time_left",
        "COLOR SECONDS STONES",
        "Sets what a clock shows: seconds, and the stones to play in them or the periods left, 0 in main time.",
        time_left,
    ),
    Command::new(
        "kgs-time_settings",
        "SYSTEM [SECONDS...]",
        "Sets the time: none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES.",
        kgs_time_settings,
    ),
    Command::new(
        "kata-time_settings",
        "SYSTEM [SECONDS...]",
        "Sets the time: also fischer MAIN INCREMENT, or fischer-capped with the clock's and the move's ceiling, -1 none.",
        kata_time_settings,
    ),
    Command::new(
        "kata-list_time_settings",
        "",
        "Lists the time systems.",
        list_time_settings,
    ),
];

/// How far below zero a client may count.
const MIN_SECONDS: f64 = -10.0;

fn set_time_control(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    parse: fn(&[&str]) -> Result<TimeControl, TimeControlError>,
) -> CommandResult {
    let time_control =
        parse(&args.remaining_words()).map_err(|error| GtpError::Syntax(error.to_string()))?;
    context.engine.clock_mut().set_time_control(time_control);
    Ok(Response::EMPTY)
}

fn time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    set_time_control(context, args, TimeControl::from_gtp)
}

fn kgs_time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    set_time_control(context, args, TimeControl::from_kgs)
}

fn kata_time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    set_time_control(context, args, TimeControl::from_kata)
}

fn time_left(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    let seconds = args.number("seconds", MIN_SECONDS..=MAX_SECONDS)?;
    let stones = args.number("stones or periods", 0..=u32::MAX)?;
    args.expect_end()?;
    context
        .engine
        .clock_mut()
        .set_time_left(color, seconds, stones);
    Ok(Response::EMPTY)
}

fn list_time_settings(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(SYSTEMS.join(" ")))
}
