//! GoGui's commands: set-up positions, and the list of analyze commands for GoGui's menu.

use super::setup::{parse_stones, set_up_position};
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "gogui-setup",
        "[COLOR VERTEX]...",
        "Sets up stones on an empty board.",
        setup,
    ),
    Command::new(
        "gogui-setup_player",
        "COLOR",
        "Sets the colour that moves first in a position set up with gogui-setup.",
        setup_player,
    ),
    Command::new(
        "gogui-analyze_commands",
        "",
        "Lists the commands whose responses GoGui can display, with their types and labels.",
        |_, _| text(ANALYZE_COMMANDS.map(|entry| entry.join("/")).join("\n")),
    ),
    Command::new(
        "gogui-interrupt",
        "",
        "Announces that the comment line \"# interrupt\" makes the engine move immediately.",
        |_, _| Ok(Response::EMPTY),
    ),
];

/// Analyze commands for GoGui: response type, menu label, and command line. GoGui replaces `%c` with a colour.
const ANALYZE_COMMANDS: [[&str; 3]; 10] = [
    ["dboard", "Ownership", "honinbo-ownership"],
    ["string", "Expected Score", "honinbo-score"],
    ["pspairs", "Policy in Percent", "honinbo-policy"],
    ["varc", "Principal Variation", "honinbo-pv %c"],
    ["pspairs", "Visits in Percent", "honinbo-visits %c"],
    ["hstring", "Last Move Explained", "gomill-explain_last_move"],
    ["plist", "Dead Stones", "final_status_list dead"],
    ["string", "Final Score", "final_score"],
    ["hstring", "Raw Evaluation", "kata-raw-nn 0"],
    ["param", "Parameters", "honinbo-param"],
];

fn setup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = parse_stones(context, args)?;
    let record = context.engine.record();
    if !record.position().board().occupied_points().is_empty() || !record.moves().is_empty() {
        let message = "stones can only be set up before the first move, on an empty board";
        return Err(GtpError::BoardNotEmpty(message.to_owned()));
    }
    let to_move = record.position().to_move();
    set_up_position(context, stones, to_move)
}

fn setup_player(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.parse_last(Args::color)?;
    if !context.engine.record().moves().is_empty() {
        let message = "the first player can only be set before the first move";
        return Err(GtpError::BoardNotEmpty(message.to_owned()));
    }
    context.engine.restart_with_first_player(color);
    Ok(Response::EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::command_table::find;

    #[test]
    fn analyze_commands_are_listed_and_well_formed() {
        for [response_type, label, command] in ANALYZE_COMMANDS {
            let name = command.split(' ').next().unwrap();
            assert!(find(name).is_ok_and(|command| command.listed), "{name}");
            assert!(
                ![response_type, label, command]
                    .iter()
                    .any(|field| field.contains('/'))
            );
        }
    }
}
