//! What GoGui asks of a program: positions set up, and which commands show their answers on the board.

use super::setup::{parse_stones, set_up};
use crate::gtp::args::Args;
use crate::gtp::context::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "gogui-setup",
        "[COLOR VERTEX]...",
        "Sets stones up on an empty board.",
        setup,
    ),
    Command::new(
        "gogui-setup_player",
        "COLOR",
        "Sets who moves first in the position set up.",
        setup_player,
    ),
    Command::new(
        "gogui-analyze_commands",
        "",
        "Lists commands whose answers GoGui can show, with their types and labels.",
        analyze_commands,
    ),
    Command::new(
        "gogui-version",
        "VERSION",
        "Tells in which version of GoGui the engine runs, which changes nothing.",
        version,
    ),
    Command::new(
        "gogui-interrupt",
        "",
        "Declares that the comment line \"# interrupt\" makes the engine move at once.",
        interrupt,
    ),
];

/// The answer's type in GoGui, the menu's label, and the command as GoGui is to send it (`%c`: a colour).
const ANALYZE_COMMANDS: [[&str; 3]; 10] = [
    ["dboard", "Ownership", "honinbo-ownership"],
    ["string", "Expected Score", "honinbo-score"],
    ["pspairs", "Policy in Per Cent", "honinbo-policy"],
    ["varc", "Principal Variation", "honinbo-pv %c"],
    ["pspairs", "Visits in Per Cent", "honinbo-visits %c"],
    ["hstring", "Last Move Explained", "gomill-explain_last_move"],
    ["plist", "Dead Stones", "final_status_list dead"],
    ["string", "Final Score", "final_score"],
    ["hstring", "Raw Evaluation", "kata-raw-nn 0"],
    ["param", "Parameters", "honinbo-param"],
];

fn setup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let stones = parse_stones(context, args)?;
    let record = context.engine.record();
    let stone_count = record.position().board().occupied().len();
    if stone_count > 0 || !record.moves().is_empty() {
        return Err(GtpError::BoardNotEmpty(format!(
            "expected an empty board without moves, found {stone_count} stones and {} moves",
            record.moves().len()
        )));
    }
    let to_move = record.position().to_move();
    set_up(context, stones, to_move)
}

fn setup_player(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let color = args.color()?;
    args.expect_end()?;
    let move_count = context.engine.record().moves().len();
    if move_count > 0 {
        return Err(GtpError::BoardNotEmpty(format!(
            "expected no moves since the board was set up, found {move_count}"
        )));
    }
    context.engine.set_first_player(color);
    Ok(Response::EMPTY)
}

fn analyze_commands(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::Text(
        ANALYZE_COMMANDS.map(|entry| entry.join("/")).join("\n"),
    ))
}

fn version(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.word("a version")?;
    Ok(Response::EMPTY)
}

fn interrupt(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    args.expect_end()?;
    Ok(Response::EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::table::find;

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
