//! Commands for time controls and clocks.

use crate::clock::time_control::{MAX_SECONDS, TIME_SYSTEMS, TimeControl, TimeControlError};
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "time_settings",
        "MAIN PERIOD STONES",
        "Sets the time control in seconds and resets both clocks: absolute if PERIOD is 0; otherwise Canadian, or no limit if STONES is 0.",
        |context, args| set_time_control(context, args, TimeControl::from_gtp),
    ),
    Command::new(
        "time_left",
        "COLOR SECONDS STONES",
        "Sets the seconds left on a clock, and the stones to play (Canadian) or periods left (Japanese); STONES is 0 in main time.",
        time_left,
    ),
    Command::new(
        "kgs-time_settings",
        "SYSTEM [SECONDS...]",
        "Sets the time control: none, absolute MAIN, byoyomi MAIN PERIOD PERIODS, or canadian MAIN PERIOD STONES.",
        |context, args| set_time_control(context, args, TimeControl::from_kgs),
    ),
    Command::new(
        "kata-time_settings",
        "SYSTEM [SECONDS...]",
        "Sets the time control: as kgs-time_settings, fischer MAIN INCREMENT, or fischer-capped MAIN INCREMENT MAX_CLOCK MAX_MOVE (-1 for no maximum).",
        |context, args| set_time_control(context, args, TimeControl::from_kata),
    ),
    Command::new(
        "kata-list_time_settings",
        "",
        "Lists the supported time controls.",
        |_, _| text(TIME_SYSTEMS.join(" ")),
    ),
];

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

fn time_left(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    // Some clients send a negative time for a clock that has run out; the clock treats it as 0.
    let seconds = args.number("number of seconds", -MAX_SECONDS..=MAX_SECONDS)?;
    let stones =
        args.parse_last(|args| args.number("number of stones or periods", 0..=u32::MAX))?;
    let clock = context.engine.clock_mut();
    clock.set_time_left(color, seconds, stones);
    Ok(Response::EMPTY)
}
