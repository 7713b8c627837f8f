//! All commands: the groups joined, and the commands that answer about them.

use super::args::{Args, unexpected};
use super::commands::{
    admin, analyze, cgos, debug, ending, explain, files, gogui, look, owl, params, play, read,
    search, setup, time,
};
use super::context::{Answer, Command, Context, Outcome};
use super::reply::Failure;
use crate::names;

const ABOUT: &[Command] = &[
    Command::new("list_commands", "", "Lists the commands.", list_commands),
    Command::new(
        "known_command",
        "NAME",
        "Says whether there is a command of that name.",
        known_command,
    ),
    Command::new(
        "help",
        "[NAME]",
        "Explains one command or all of them.",
        help,
    ),
];

const GROUPS: &[&[Command]] = &[
    admin::COMMANDS,
    ABOUT,
    setup::COMMANDS,
    files::COMMANDS,
    play::COMMANDS,
    ending::COMMANDS,
    look::COMMANDS,
    read::COMMANDS,
    owl::COMMANDS,
    time::COMMANDS,
    analyze::COMMANDS,
    search::COMMANDS,
    cgos::COMMANDS,
    params::COMMANDS,
    explain::COMMANDS,
    gogui::COMMANDS,
    debug::COMMANDS,
];

/// All commands in the order they are listed.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().copied().flatten()
}

/// The command of that name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Command, Failure> {
    commands()
        .find(|command| command.name == name)
        .ok_or_else(|| {
            let found = names::found(name, commands().map(|command| command.name));
            Failure::UnknownCommand(format!("expected one of list_commands, {found}"))
        })
}

fn list_commands(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let names: Vec<_> = commands()
        .filter(|command| command.listed)
        .map(|command| command.name)
        .collect();
    Ok(Answer::Text(names.join("\n")))
}

fn known_command(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.word("the name of a command")?;
    args.end()?;
    Ok(Answer::Text(find(name).is_ok().to_string()))
}

fn help(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    if args.is_empty() {
        let lines: Vec<_> = commands()
            .filter(|command| command.listed)
            .map(explained)
            .collect();
        return Ok(Answer::Text(lines.join("\n")));
    }
    let name = args.word("the name of a command")?;
    args.end()?;
    let command = find(name).map_err(|_| unexpected("the name of a command", name))?;
    Ok(Answer::Text(explained(command)))
}

fn explained(command: &Command) -> String {
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
    fn names_are_distinct_words_and_explained() {
        let mut seen = HashSet::new();
        for command in commands() {
            assert!(seen.insert(command.name), "{} twice", command.name);
            assert!(!command.name.contains(char::is_whitespace));
            assert!(command.summary.ends_with('.'), "{}", command.name);
        }
    }

    #[test]
    fn what_misleads_clients_is_understood_but_not_listed() {
        for name in ["analyze", "genmove_analyze"] {
            assert!(find(name).is_ok_and(|command| !command.listed), "{name}");
        }
        assert!(find("kgs-chat").is_err());
        assert!(find("Play").is_err());
    }
}
