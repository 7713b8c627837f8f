//! What GoGui asks of a program: positions set up, and which commands show their answers on the board.

use super::setup::{read_stones, set_up};
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;

/// The group.
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
const ANALYSES: [[&str; 3]; 10] = [
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

fn setup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let stones = read_stones(context, args)?;
    let record = context.engine.record();
    let found = record.position().board().occupied().len();
    if found > 0 || !record.moves().is_empty() {
        return Err(Failure::BoardNotEmpty(format!(
            "expected an empty board without moves, found {found} stones and {} moves",
            record.moves().len()
        )));
    }
    let to_move = record.position().to_move();
    set_up(context, stones, to_move)
}

fn setup_player(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let color = args.color()?;
    args.end()?;
    let made = context.engine.record().moves().len();
    if made > 0 {
        return Err(Failure::BoardNotEmpty(format!(
            "expected no moves since the board was set up, found {made}"
        )));
    }
    context.engine.set_first_player(color);
    Ok(Answer::NOTHING)
}

fn analyze_commands(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::Text(
        ANALYSES.map(|entry| entry.join("/")).join("\n"),
    ))
}

fn version(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.word("a version")?;
    Ok(Answer::NOTHING)
}

fn interrupt(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::table::find;

    #[test]
    fn analyses_name_listed_commands_and_parts_without_the_separator() {
        for [kind, label, command] in ANALYSES {
            let name = command.split(' ').next().unwrap();
            assert!(find(name).is_ok_and(|command| command.listed), "{name}");
            assert!(![kind, label, command].iter().any(|part| part.contains('/')));
        }
    }
}
