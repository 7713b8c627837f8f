//! What there is to say, looking, and leaving.

use crate::terminal::command::{Command, Reply, When, all, nothing_after};
use crate::terminal::picture::Marks;
use crate::terminal::trouble::Trouble;

/// The group.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "show",
        short: "",
        usage: "",
        summary: "shows the board without marks",
        when: When::Always,
        run: |game, rest| {
            nothing_after(rest)?;
            game.marks = Marks::None;
            Ok(Reply::Board(Vec::new()))
        },
    },
    Command {
        name: "help",
        short: "?",
        usage: "",
        summary: "shows this",
        when: When::Always,
        run: |_, rest| help(rest),
    },
    Command {
        name: "quit",
        short: "q",
        usage: "",
        summary: "leaves; the game is kept for honinbo play --resume",
        when: When::Always,
        run: |_, rest| {
            nothing_after(rest)?;
            Ok(Reply::Quit)
        },
    },
];

fn help(rest: &str) -> Result<Reply, Trouble> {
    nothing_after(rest)?;
    let mut lines = vec![entry("d4", "plays there")];
    lines.extend(all().map(|command| {
        let name = format!("{} {}", command.name, command.usage);
        let short = match command.short {
            "" => String::new(),
            short => format!(" ({short})"),
        };
        entry(&name, &format!("{}{short}", command.summary))
    }));
    Ok(Reply::Said(lines))
}

fn entry(name: &str, summary: &str) -> String {
    format!("{name:<19} {summary}")
}
