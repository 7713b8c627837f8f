//! Commands: what a line may say besides a move, in one table, and how lines are understood.

use super::board_view::Marks;
use super::commands;
use super::error::TerminalError;
use super::game::Game;
use crate::game::point::{BoardSize, Move, Point};
use crate::io::error_text;

/// What comes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandOutput {
    /// Only words.
    Messages(Vec<String>),
    /// The board has changed or is to be shown again; words beside it.
    Board(Vec<String>),
    /// The player leaves.
    Quit,
}

impl CommandOutput {
    /// The board with one line of words.
    #[must_use]
    pub fn board(message: impl Into<String>) -> Self {
        Self::Board(vec![message.into()])
    }
}

/// When a command makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// At any time.
    Always,
    /// While no position is being set up.
    DuringGame,
    /// While one is, and at other times it begins that.
    DuringSetup,
}

/// A command: all that is known of it.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// A shorter one; empty if there is none.
    pub alias: &'static str,
    /// What follows the name; what may be left out in brackets.
    pub usage: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// When it makes sense.
    pub availability: Availability,
    /// Does it, with what followed the name.
    pub run: fn(&mut Game, &str) -> Result<CommandOutput, TerminalError>,
}

/// All commands, in the order of the help.
pub fn all_commands() -> impl Iterator<Item = &'static Command> {
    commands::GROUPS.iter().copied().flatten()
}

/// Does what a line says; an empty one does nothing.
///
/// # Errors
/// When it makes no sense or cannot be done; nothing has changed then.
pub fn run(game: &mut Game, line: &str) -> Result<CommandOutput, TerminalError> {
    let line = line.trim();
    let (word, args) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.is_empty() {
        return Ok(CommandOutput::Messages(Vec::new()));
    }
    let command = match find(word) {
        Some(command) => command,
        None => {
            let point = parse_point(game.record().size(), word)?;
            if game.draft().is_some() {
                return Err(SETUP_IN_PROGRESS);
            }
            expect_no_args(args.trim())?;
            return game.play(Move::Play(point));
        }
    };
    let in_setup = game.draft().is_some();
    match (command.availability, in_setup) {
        (Availability::DuringGame, true) => return Err(SETUP_IN_PROGRESS),
        (Availability::DuringSetup, false) => game.start_setup(),
        _ => {}
    }
    let result = (command.run)(game, args.trim());
    match result {
        Err(_) if !in_setup => game.draft = None,
        Ok(_) if game.draft().is_some() => game.marks = Marks::None,
        _ => {}
    }
    result
}

/// Refuses words behind what takes none.
///
/// # Errors
/// When there are some.
pub fn expect_no_args(args: &str) -> Result<(), TerminalError> {
    if args.is_empty() {
        Ok(())
    } else {
        Err(TerminalError::argument("nothing more", args))
    }
}

const SETUP_IN_PROGRESS: TerminalError = TerminalError::Unavailable(
    "a position is being set up: done begins to play from it, cancel goes back",
);

fn find(word: &str) -> Option<&'static Command> {
    let word = word.to_ascii_lowercase();
    all_commands().find(|command| command.name == word || command.alias == word)
}

/// The point that a word names.
///
/// # Errors
/// When it names none: whether it is another board's, or what command it may have been meant to be.
pub fn parse_point(size: BoardSize, word: &str) -> Result<Point, TerminalError> {
    if let Some(point) = size.parse_vertex(word) {
        return Ok(point);
    }
    let mut chars = word.chars();
    let starts_with_letter = chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let digits = chars.as_str();
    if starts_with_letter
        && !digits.is_empty()
        && digits.chars().all(|digit| digit.is_ascii_digit())
    {
        return Err(TerminalError::OffBoard {
            found: error_text::truncated(word),
            first: size.vertex(Point::at(0, size.height() - 1)),
            last: size.vertex(Point::at(size.width() - 1, 0)),
        });
    }
    Err(TerminalError::UnknownCommand {
        found: error_text::truncated(word),
        suggestion: error_text::suggest(word, all_commands().map(|command| command.name)),
    })
}

/// Whether a word could be the beginning of a command or a point.
#[must_use]
pub fn is_input_prefix(word: &str) -> bool {
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

/// The one command that begins so, with a space behind it; `None` where there is none or several.
#[must_use]
pub fn complete(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let mut matching = all_commands().filter(|command| command.name.starts_with(&word));
    let first = matching.next()?;
    matching
        .next()
        .is_none()
        .then(|| format!("{} ", first.name))
}
