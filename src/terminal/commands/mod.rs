//! Command table, and execution of input lines as moves or commands.

mod games;
mod play;
mod review;
mod setup;

use super::board_view::Marks;
use super::command::{Availability, Command, expect_no_args, parse_point};
use super::error::TerminalError;
use super::game::Game;
use super::output::CommandOutput;
use crate::game::point::Move;
use crate::io::error_text;

/// Command groups, in the order in which `help` lists them.
const GROUPS: &[&[Command]] = &[
    play::COMMANDS,
    review::COMMANDS,
    games::COMMANDS,
    setup::COMMANDS,
    GENERAL_COMMANDS,
];

/// Commands for display, help and quitting. They are defined here because `help` needs the complete table.
const GENERAL_COMMANDS: &[Command] = &[
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

/// Returns all commands, in the order in which `help` lists them.
pub fn all_commands() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().copied().flatten()
}

impl Game {
    /// Cancels the search in progress, executes a line (a move or a command), and autosaves the game if it has changed.
    ///
    /// # Errors
    /// Returns an error if the line is invalid or the command fails. Unless an evaluation failed, the game is then left
    /// unchanged.
    pub fn execute(&mut self, line: &str) -> Result<CommandOutput, TerminalError> {
        self.cancel_search();
        let mut output = run_line(self, line)?;
        if let CommandOutput::Board(messages) = &mut output {
            messages.extend(self.autosave());
        }
        Ok(output)
    }
}

/// Executes a line as a command or, if it is a point, as a move. An empty line does nothing.
fn run_line(game: &mut Game, line: &str) -> Result<CommandOutput, TerminalError> {
    let line = line.trim();
    let (word, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.is_empty() {
        return Ok(CommandOutput::Messages(Vec::new()));
    }
    let command = match find(word) {
        Some(command) => command,
        None => {
            let point = parse_point(game.record().size(), word)?;
            let point = point.ok_or_else(|| unknown_command(word))?;
            if game.setup_draft().is_some() {
                return Err(TerminalError::SetupInProgress);
            }
            game.expect_latest_position()?;
            expect_no_args(args.trim())?;
            return game.play_human_move(Move::Play(point));
        }
    };
    let in_setup = game.setup_draft().is_some();
    match (command.availability, in_setup) {
        (Availability::DuringGame | Availability::AtLatestPosition, true) => {
            return Err(TerminalError::SetupInProgress);
        }
        (Availability::AtLatestPosition, false) => game.expect_latest_position()?,
        (Availability::DuringSetup, false) => game.start_setup(),
        _ => {}
    }
    let result = (command.run)(game, args.trim());
    match result {
        Err(_) if !in_setup => game.draft = None,
        Ok(_) if game.setup_draft().is_some() => game.marks = Marks::None,
        _ => {}
    }
    result
}

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

fn find(word: &str) -> Option<&'static Command> {
    let word = word.to_ascii_lowercase();
    all_commands().find(|command| command.name == word || command.alias == word)
}

fn unknown_command(word: &str) -> TerminalError {
    TerminalError::UnknownCommand {
        found: error_text::excerpt(word),
        suggestion: error_text::suggest(word, all_commands().map(|command| command.name)),
    }
}

/// Returns true if `word` is the beginning of a point or of a command name.
pub fn starts_point_or_command(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let mut chars = word.chars();
    let starts_with_letter = chars
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic() && letter != 'i');
    let digits = chars.as_str();
    let is_point_prefix = starts_with_letter
        && digits.len() <= 2
        && digits.chars().all(|digit| digit.is_ascii_digit());
    is_point_prefix || all_commands().any(|command| command.name.starts_with(&word))
}

/// Completes `word` to the only command name that starts with it, and appends a space. Returns `None` if no name or
/// several names match.
pub fn complete_command_name(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let mut matching = all_commands().filter(|command| command.name.starts_with(&word));
    let first = matching.next()?;
    matching
        .next()
        .is_none()
        .then(|| format!("{} ", first.name))
}
