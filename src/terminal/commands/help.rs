//! Help, display and quitting.

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
        summary: "show the board without marks",
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
        summary: "show this help",
        availability: Availability::Always,
        run: |_, args| help(args),
    },
    Command {
        name: "quit",
        alias: "q",
        usage: "",
        summary: "quit; continue later with honinbo play --resume",
        availability: Availability::Always,
        run: |_, args| {
            expect_no_args(args)?;
            Ok(CommandOutput::Quit)
        },
    },
];

fn help(args: &str) -> Result<CommandOutput, TerminalError> {
    expect_no_args(args)?;
    let mut lines = vec![format_entry("d4", "play at a point")];
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
