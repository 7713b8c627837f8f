//! Games in files: saved, loaded, and kept from one day to the next.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::game::Game;
use super::seats::Seats;
use super::trouble::Trouble;
use crate::engine::level::Level;
use crate::file;
use crate::game::color::Color;
use crate::game::record::Record;
use crate::game::result::{GameResult, How};
use crate::game::rules::Rules;
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::record::{Sound, read_sound, sign, write_game};
use crate::sgf::{self, Collection, GameTree, Value};

/// A game read from a file.
#[derive(Debug)]
pub struct Loaded {
    /// The main line, as far as its moves are legal.
    pub record: Record,
    /// Who played what, if it was played here.
    pub seats: Option<Seats>,
    /// The level that the program played at.
    pub level: Option<&'static Level>,
    /// Why the record ends before the file does.
    pub cut: Option<String>,
    /// What in the file is not as the standard demands.
    pub warning: Option<String>,
}

/// Where the last game is kept, if the user has a place for data.
#[must_use]
pub fn kept_game() -> Option<PathBuf> {
    Some(dirs::data_dir()?.join("honinbo").join("resume.sgf"))
}

/// The path that somebody means who writes `~/` for the home folder.
#[must_use]
pub fn expanded(text: &str) -> PathBuf {
    let home = text.strip_prefix("~/").zip(dirs::home_dir());
    home.map_or_else(|| PathBuf::from(text), |(rest, home)| home.join(rest))
}

/// Reads a game; rules and komi that the file does not name are those of `rules`.
///
/// # Errors
/// When the file cannot be read or holds no game.
pub fn load(path: &Path, rules: Rules) -> Result<Loaded, Trouble> {
    let wrong = |reason: String| Trouble::file(path, reason);
    let bytes = file::read_file(path, MAX_BYTES).map_err(|error| wrong(error.to_string()))?;
    let parsed = sgf::parse(&bytes).map_err(|error| wrong(error.to_string()))?;
    let tree = parsed.first();
    let read = read_sound(tree, rules);
    let Sound {
        mut record, fault, ..
    } = read.map_err(|error| wrong(error.to_string()))?;
    let cut = fault.map(|error| format!("read up to a fault: {error}"));
    if let Some(loser) = resigned(tree).filter(|_| cut.is_none() && !record.ended()) {
        record.resign(loser);
    }
    let known = Seats::named([&name(tree, "PB"), &name(tree, "PW")]);
    Ok(Loaded {
        record,
        seats: known.map(|(seats, _)| seats),
        level: known.and_then(|(_, level)| level),
        cut,
        warning: parsed
            .warning_summary()
            .map(|warning| format!("Read in spite of faults: {warning}")),
    })
}

fn name(tree: &GameTree, property: &str) -> String {
    let value = tree.node(tree.root()).value(property);
    value.map(Value::simple_text).unwrap_or_default()
}

/// Who resigned, as the result has it.
fn resigned(tree: &GameTree) -> Option<Color> {
    let result = GameResult::parse(&name(tree, "RE"))?;
    let winner = result.winner.filter(|_| result.how == How::Resigned);
    winner.map(Color::opposite)
}

/// Writes the game with its players and its result.
///
/// # Errors
/// When the file cannot be written; one that was there before is as it was then.
pub fn save(game: &Game, path: &Path) -> Result<(), Trouble> {
    let mut tree = write_game(game.record());
    sign(&mut tree);
    let root = tree.root();
    let node = tree.node_mut(root);
    let level = game.engine().settings().level;
    for (color, property) in [(Color::Black, "PB"), (Color::White, "PW")] {
        node.set(property, game.seats().name(color, level).as_str());
    }
    if let Some(result) = game.result() {
        node.set("RE", result.as_str());
    }
    let text = sgf::write(&Collection { games: vec![tree] });
    put_in_place(path, &text).map_err(|error| Trouble::file(path, error))
}

fn put_in_place(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(file::not_a_file());
    }
    file::put(path, text)
}

/// The same, in a folder that need not be there yet.
///
/// # Errors
/// Those of [`save`], and when there can be no such folder.
pub fn keep(game: &Game, path: &Path) -> Result<(), Trouble> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Trouble::file(folder, error))?;
    }
    save(game, path)
}
