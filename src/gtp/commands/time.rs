//! Time settings and clocks.

use crate::clock::settings::{MAX_SECONDS, SYSTEMS, TimeError, TimeSettings};
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;

/// The group.
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
const OVERDRAWN: f64 = -10.0;

fn set(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    read: fn(&[&str]) -> Result<TimeSettings, TimeError>,
) -> Outcome {
    let settings = read(&args.words()).map_err(|error| Failure::Syntax(error.to_string()))?;
    context.engine.clock_mut().set(settings);
    Ok(Answer::NOTHING)
}

fn time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    set(context, args, TimeSettings::from_gtp)
}

fn kgs_time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    set(context, args, TimeSettings::from_kgs)
}

fn kata_time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    set(context, args, TimeSettings::from_kata)
}

fn time_left(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    let seconds = args.number("seconds", OVERDRAWN..=MAX_SECONDS)?;
    let stones = args.number("stones or periods", 0..=u32::MAX)?;
    args.end()?;
    context.engine.clock_mut().set_left(color, seconds, stones);
    Ok(Answer::NOTHING)
}

fn list_time_settings(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::Text(SYSTEMS.join(" ")))
}
