//! Table of all commands, and the commands that query it, such as `list_commands`.

use super::args::{Args, invalid_argument};
use super::command::{Command, Context};
use super::commands::{
    admin, analyze, board_info, cgos, diagnostics, engine_params, evaluation, files, genmove,
    gogui, life_and_death, play, reading, scoring, setup, time,
};
use super::response::{CommandResult, GtpError, text};
use crate::io::error_text;

const HELP_COMMANDS: &[Command] = &[
    Command::new(
        "list_commands",
        "",
        "Lists all commands, one per line.",
        |_, _| text(format_listed_commands(|command| command.name.to_owned())),
    ),
    Command::new(
        "known_command",
        "NAME",
        "Returns true if the command exists, false otherwise.",
        known_command,
    ),
    Command::new(
        "help",
        "[NAME]",
        "Describes one command, or all commands.",
        help,
    ),
];

const GROUPS: &[&[Command]] = &[
    admin::COMMANDS,
    HELP_COMMANDS,
    setup::COMMANDS,
    files::COMMANDS,
    play::COMMANDS,
    genmove::COMMANDS,
    scoring::COMMANDS,
    board_info::COMMANDS,
    reading::COMMANDS,
    life_and_death::COMMANDS,
    time::COMMANDS,
    analyze::COMMANDS,
    cgos::COMMANDS,
    engine_params::COMMANDS,
    evaluation::COMMANDS,
    gogui::COMMANDS,
    diagnostics::COMMANDS,
];

/// Returns all commands, including unlisted ones, in the order of `list_commands`.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().copied().flatten()
}

/// Finds a command by name.
///
/// # Errors
/// Returns an error if the command does not exist.
pub fn find(name: &str) -> Result<&'static Command, GtpError> {
    commands()
        .find(|command| command.name == name)
        .ok_or_else(|| {
            let names = commands().map(|command| command.name);
            GtpError::UnknownCommand(error_text::quote_with_fallback_hint(
                name,
                names,
                "list_commands lists all commands",
            ))
        })
}

/// Returns one line for each command that `list_commands` includes. `format` produces the line.
fn format_listed_commands(format: fn(&Command) -> String) -> String {
    let listed = commands().filter(|command| command.listed);
    listed.map(format).collect::<Vec<_>>().join("\n")
}

fn known_command(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.parse_last(|args| args.word("command name"))?;
    text(find(name).is_ok())
}

fn help(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    if args.is_empty() {
        return text(format_listed_commands(help_text));
    }
    let name = args.parse_last(|args| args.word("command name"))?;
    let command = find(name).map_err(|_| invalid_argument("command name", name))?;
    text(help_text(command))
}

fn help_text(command: &Command) -> String {
    let gap = if command.usage.is_empty() { "" } else { " " };
    format!(
        "{}{gap}{}: {}",
        command.name, command.usage, command.summary
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn command_names_are_unique_and_documented() {
        let mut seen = HashSet::new();
        for command in commands() {
            assert!(seen.insert(command.name), "{} twice", command.name);
            assert!(!command.name.contains(char::is_whitespace));
            assert!(command.summary.ends_with('.'), "{}", command.name);
        }
    }

    #[test]
    fn unlisted_commands_are_accepted() {
        for name in ["analyze", "genmove_analyze"] {
            assert!(find(name).is_ok_and(|command| !command.listed), "{name}");
        }
        assert!(find("kgs-chat").is_err());
        assert!(find("Play").is_err());
    }
}
