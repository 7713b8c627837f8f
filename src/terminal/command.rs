//! Commands: what a line may say besides a move, in one table, and how lines are understood.

use super::commands;
use super::game::Game;
use super::picture::Marks;
use super::trouble::Trouble;
use crate::game::point::{BoardSize, Move, Point};
use crate::names;

/// What comes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Only words.
    Said(Vec<String>),
    /// The board has changed or is to be shown again; words beside it.
    Board(Vec<String>),
    /// The player leaves.
    Quit,
}

impl Reply {
    /// The board with one line of words.
    #[must_use]
    pub fn board(words: impl Into<String>) -> Self {
        Self::Board(vec![words.into()])
    }
}

/// When a command makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time.
    Always,
    /// While no position is being set up.
    Game,
    /// While one is, and at other times it begins that.
    Setup,
}

/// A command: all that is known of it.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// A shorter one; empty if there is none.
    pub short: &'static str,
    /// What follows the name; what may be left out in brackets.
    pub usage: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// When it makes sense.
    pub when: When,
    /// Does it, with what followed the name.
    pub run: fn(&mut Game, &str) -> Result<Reply, Trouble>,
}

/// All commands, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static Command> {
    commands::GROUPS.iter().copied().flatten()
}

/// Does what a line says; an empty one does nothing.
///
/// # Errors
/// When it makes no sense or cannot be done; nothing has changed then.
pub fn run(game: &mut Game, line: &str) -> Result<Reply, Trouble> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.is_empty() {
        return Ok(Reply::Said(Vec::new()));
    }
    let command = match find(word) {
        Some(command) => command,
        None => {
            let point = point_of(game.record().size(), word)?;
            if game.draft().is_some() {
                return Err(SETTING_UP);
            }
            nothing_after(rest.trim())?;
            return game.play(Move::Play(point));
        }
    };
    let setting_up = game.draft().is_some();
    match (command.when, setting_up) {
        (When::Game, true) => return Err(SETTING_UP),
        (When::Setup, false) => game.begin_setup(),
        _ => {}
    }
    let outcome = (command.run)(game, rest.trim());
    match outcome {
        Err(_) if !setting_up => game.draft = None,
        Ok(_) if game.draft().is_some() => game.marks = Marks::None,
        _ => {}
    }
    outcome
}

/// Refuses words behind what takes none.
///
/// # Errors
/// When there are some.
pub fn nothing_after(rest: &str) -> Result<(), Trouble> {
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Trouble::argument("nothing more", rest))
    }
}

const SETTING_UP: Trouble =
    Trouble::NotNow("a position is being set up: done begins to play from it, cancel goes back");

fn find(word: &str) -> Option<&'static Command> {
    let word = word.to_ascii_lowercase();
    all().find(|command| command.name == word || command.short == word)
}

/// The point that a word names.
///
/// # Errors
/// When it names none: whether it is another board's, or what command it may have been meant to be.
pub fn point_of(size: BoardSize, word: &str) -> Result<Point, Trouble> {
    if let Some(point) = size.parse_vertex(word) {
        return Ok(point);
    }
    let mut chars = word.chars();
    let letter = chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let digits = chars.as_str();
    if letter && !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit()) {
        return Err(Trouble::OffBoard {
            found: names::shortened(word),
            first: size.vertex(Point::at(0, size.height() - 1)),
            last: size.vertex(Point::at(size.width() - 1, 0)),
        });
    }
    Err(Trouble::Unknown {
        found: names::shortened(word),
        meant: names::meant(word, all().map(|command| command.name)),
    })
}

/// Whether a word could be the beginning of a command or a point.
#[must_use]
pub fn may_begin(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let mut chars = word.chars();
    let letter = chars
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic() && letter != 'i');
    let digits = chars.as_str();
    let point = letter && digits.len() <= 2 && digits.chars().all(|digit| digit.is_ascii_digit());
    point || all().any(|command| command.name.starts_with(&word))
}

/// The one command that begins so, with a space behind it; `None` where there is none or several.
#[must_use]
pub fn completed(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    let mut fitting = all().filter(|command| command.name.starts_with(&word));
    let first = fitting.next()?;
    fitting.next().is_none().then(|| format!("{} ", first.name))
}
