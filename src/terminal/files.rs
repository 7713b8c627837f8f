//! Games in files: saved, loaded, and kept from one day to the next.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::TerminalError;
use super::players::Players;
use crate::engine::level::Level;
use crate::game::color::Color;
use crate::game::record::Record;
use crate::game::result::{EndReason, GameResult};
use crate::game::rules::Rules;
use crate::io::file;
use crate::sgf::convert::{PlayablePart, read_playable, set_application, write_game};
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::{self, Collection, GameTree, Value};

/// A game read from a file.
#[derive(Debug)]
pub struct LoadedGame {
    /// The main line, as far as its moves are legal.
    pub record: Record,
    /// Who played what, if it was played here.
    pub players: Option<Players>,
    /// The level that the program played at.
    pub level: Option<&'static Level>,
    /// Why the record ends before the file does.
    pub truncation: Option<String>,
    /// What in the file is not as the standard demands.
    pub warning: Option<String>,
}

/// Where the last game is kept, if the user has a place for data.
#[must_use]
pub fn autosave_path() -> Option<PathBuf> {
    Some(dirs::data_dir()?.join("honinbo").join("resume.sgf"))
}

/// The path that somebody means who writes `~/` for the home folder.
#[must_use]
pub fn expand_home(text: &str) -> PathBuf {
    let home = text.strip_prefix("~/").zip(dirs::home_dir());
    home.map_or_else(
        || PathBuf::from(text),
        |(relative, home)| home.join(relative),
    )
}

/// Reads a game; rules and komi that the file does not name are those of `rules`.
///
/// # Errors
/// When the file cannot be read or holds no game.
pub fn load(path: &Path, rules: Rules) -> Result<LoadedGame, TerminalError> {
    let file_error = |reason: String| TerminalError::file(path, reason);
    let bytes =
        file::read_regular_file(path, MAX_BYTES).map_err(|error| file_error(error.to_string()))?;
    let parsed = sgf::parse(&bytes).map_err(|error| file_error(error.to_string()))?;
    let tree = parsed.first_game();
    let result = read_playable(tree, rules);
    let PlayablePart {
        mut record, error, ..
    } = result.map_err(|error| file_error(error.to_string()))?;
    let truncation = error.map(|error| format!("read up to a fault: {error}"));
    if let Some(loser) = resigned_color(tree).filter(|_| truncation.is_none() && !record.ended()) {
        record.resign(loser);
    }
    let parsed_names =
        Players::from_names([&text_property(tree, "PB"), &text_property(tree, "PW")]);
    Ok(LoadedGame {
        record,
        players: parsed_names.map(|(players, _)| players),
        level: parsed_names.and_then(|(_, level)| level),
        truncation,
        warning: parsed
            .warning_summary()
            .map(|warning| format!("Read in spite of faults: {warning}")),
    })
}

fn text_property(tree: &GameTree, property: &str) -> String {
    let value = tree.node(tree.root()).value(property);
    value.map(Value::simple_text).unwrap_or_default()
}

/// Who resigned, as the result has it.
fn resigned_color(tree: &GameTree) -> Option<Color> {
    let result = GameResult::parse(&text_property(tree, "RE"))?;
    let winner = result
        .winner
        .filter(|_| result.reason == EndReason::Resigned);
    winner.map(Color::opposite)
}

/// Game and players to be written to a file.
#[derive(Clone, Copy, Debug)]
pub struct SavedGame<'a> {
    pub record: &'a Record,
    pub players: Players,
    /// Level of the program.
    pub level: &'a Level,
    /// Result in SGF notation, once the game is over.
    pub result: Option<&'a str>,
}

/// Writes a game with its players and its result to an SGF file.
///
/// # Errors
/// Fails if the file cannot be written; an existing file is then unchanged.
pub fn save(game: &SavedGame<'_>, path: &Path) -> Result<(), TerminalError> {
    let mut tree = write_game(game.record);
    set_application(&mut tree);
    let root = tree.root();
    let node = tree.node_mut(root);
    for (color, property) in [(Color::Black, "PB"), (Color::White, "PW")] {
        node.set(property, game.players.name(color, game.level).as_str());
    }
    if let Some(result) = game.result {
        node.set("RE", result);
    }
    let text = sgf::write(&Collection { games: vec![tree] });
    write_regular_file(path, &text).map_err(|error| TerminalError::file(path, error))
}

fn write_regular_file(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(file::not_a_file_error());
    }
    file::write_atomic(path, text)
}

/// Writes a game like [`save`], creating the folder if necessary.
///
/// # Errors
/// Fails if the folder cannot be created or the file cannot be written.
pub fn autosave(game: &SavedGame<'_>, path: &Path) -> Result<(), TerminalError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| TerminalError::file(folder, error))?;
    }
    save(game, path)
}
