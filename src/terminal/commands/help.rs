//! What there is to say, looking, and leaving.

use super::all_commands;
use crate::terminal::board_view::Marks;
use crate::terminal::command::{Availability, Command, expect_no_args};
use crate::terminal::error::TerminalError;
use crate::terminal::output::CommandOutput;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "show",
        alias: "",
        usage: "",
        summary: "shows the board without marks",
        availability: Availability::Always,
        run: |game, args| {
            expect_no_args(args)?;
            game.marks = Marks::None;
            Ok(CommandOutput::Board(Vec::new()))
        },
    },
    Command {
        name: "help",
        alias: "?",
        usage: "",
        summary: "shows this",
        availability: Availability::Always,
        run: |_, args| help(args),
    },
    Command {
        name: "quit",
        alias: "q",
        usage: "",
        summary: "leaves; the game is kept for honinbo play --resume",
        availability: Availability::Always,
        run: |_, args| {
            expect_no_args(args)?;
            Ok(CommandOutput::Quit)
        },
    },
];

fn help(args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    let mut lines = vec![format_entry("d4", "plays there")];
    lines.extend(all_commands().map(|command| {
        let name = format!("{} {}", command.name, command.usage);
        let alias = match command.alias {
            "" => String::new(),
            alias => format!(" ({alias})"),
        };
        format_entry(&name, &format!("{}{alias}", command.summary))
    }));
    Ok(CommandOutput::Messages(lines))
}

fn format_entry(name: &str, summary: &str) -> String {
    format!("{name:<19} {summary}")
}
