//! Loading and saving games as SGF files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::TerminalError;
use super::human_colors::HumanColors;
use crate::engine::level::Level;
use crate::game::color::Color;
use crate::game::record::{IllegalMove, Record};
use crate::game::result::{EndReason, GameResult};
use crate::game::rules::Rules;
use crate::io::{file, user_folders};
use crate::sgf::convert::{PlayablePart, read_playable, write_game};
use crate::sgf::parse::MAX_BYTES;
use crate::sgf::write::set_application;
use crate::sgf::{self, Collection, GameTree, Value};

/// A game read from a file.
#[derive(Debug)]
pub struct LoadedGame {
    /// Main line, up to the first illegal move.
    pub record: Record,
    /// Players named in the file, or `None` if another program wrote the file.
    pub human_colors: Option<HumanColors>,
    /// Level named in the file, or `None` if another program wrote the file or neither player is the engine.
    pub level: Option<&'static Level>,
    /// Reason why the record ends before the end of the main line, if it does.
    pub truncation: Option<String>,
    /// Summary of the moves that the rules of the game forbid, if any. They are part of the record.
    pub illegal_moves: Option<String>,
    /// Summary of the parts of the file that were tolerated or not understood, if any.
    pub warning: Option<String>,
}

/// Returns the folder of the autosaved games, or `None` if the user has no data folder.
pub fn autosave_folder() -> Option<PathBuf> {
    Some(user_folders::data()?.join("played"))
}

/// Converts text to a path, replacing a leading `~/` with the home folder.
pub fn expand_home(text: &str) -> PathBuf {
    let home = text.strip_prefix("~/").zip(dirs::home_dir());
    home.map_or_else(
        || PathBuf::from(text),
        |(relative, home)| home.join(relative),
    )
}

/// Loads a game. `rules` contains the rules and the komi to use if the file does not specify them.
///
/// # Errors
/// Returns an error if the file cannot be read or contains no game.
pub fn load(path: &Path, rules: Rules) -> Result<LoadedGame, TerminalError> {
    let file_error = |reason: String| TerminalError::file(path, reason);
    let bytes =
        file::read_regular_file(path, MAX_BYTES).map_err(|error| file_error(error.to_string()))?;
    let parsed = sgf::parse(&bytes).map_err(|error| file_error(error.to_string()))?;
    let tree = parsed.first_game();
    let result = read_playable(tree, rules);
    let part = result.map_err(|error| file_error(error.to_string()))?;
    let illegal_moves = IllegalMove::summarise_all(part.illegal_moves());
    let PlayablePart {
        mut record,
        error,
        warnings,
        ..
    } = part;
    let truncation = error.map(|error| format!("Stopped at an illegal move: {error}"));
    if let Some(loser) = resigned_color(tree).filter(|_| truncation.is_none() && !record.ended()) {
        record.resign(loser);
    }
    let summary = parsed.warning_summary().into_iter();
    let errors: Vec<String> = summary
        .chain(warnings.iter().map(ToString::to_string))
        .collect();
    let parsed_names =
        HumanColors::from_player_names([&text_property(tree, "PB"), &text_property(tree, "PW")]);
    Ok(LoadedGame {
        record,
        human_colors: parsed_names.map(|(human_colors, _)| human_colors),
        level: parsed_names.and_then(|(_, level)| level),
        truncation,
        illegal_moves: illegal_moves.map(|moves| format!("Illegal under these rules: {moves}")),
        warning: (!errors.is_empty())
            .then(|| format!("The file has errors: {}", errors.join("; "))),
    })
}

fn text_property(tree: &GameTree, property: &str) -> String {
    let value = tree.node(tree.root()).value(property);
    value.map(Value::simple_text).unwrap_or_default()
}

/// Returns the colour that resigned according to the `RE` property.
fn resigned_color(tree: &GameTree) -> Option<Color> {
    let result = GameResult::parse(&text_property(tree, "RE"))?;
    let winner = result
        .winner
        .filter(|_| result.reason == EndReason::Resigned);
    winner.map(Color::opposite)
}

/// Contents of a game file to be written.
#[derive(Clone, Copy, Debug)]
pub struct SavedGame<'a> {
    pub record: &'a Record,
    pub human_colors: HumanColors,
    /// Level of the program.
    pub level: &'a Level,
    /// Result in SGF notation, or `None` during the game.
    pub result: Option<&'a str>,
}

/// Returns a game with its players and its result as SGF.
pub fn sgf_text(game: &SavedGame<'_>) -> String {
    let mut tree = write_game(game.record);
    set_application(&mut tree);
    let root = tree.root();
    let node = tree.node_mut(root);
    for (color, property) in [(Color::Black, "PB"), (Color::White, "PW")] {
        node.set(
            property,
            game.human_colors.player_name(color, game.level).as_str(),
        );
    }
    if let Some(result) = game.result {
        node.set("RE", result);
    }
    sgf::write(&Collection { games: vec![tree] })
}

/// Writes a file.
///
/// # Errors
/// Returns an error if the file cannot be written. An existing file is then left unchanged.
pub fn save(text: &str, path: &Path) -> Result<(), TerminalError> {
    write_regular_file(path, text).map_err(|error| TerminalError::file(path, error))
}

fn write_regular_file(path: &Path, text: &str) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(file::not_a_file_error());
    }
    file::write_atomic(path, text)
}

/// Writes a file like [`save`]. If the file already exists, is not empty and differs from `expected`, copies it first
/// and returns the path of the copy.
///
/// # Errors
/// Returns an error if the existing file cannot be copied or the file cannot be written.
pub fn save_preserving(
    text: &str,
    path: &Path,
    expected: Option<&str>,
) -> Result<Option<PathBuf>, TerminalError> {
    let file_error = |error| TerminalError::file(path, error);
    let copy = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let content = fs::read(path).map_err(file_error)?;
            match content.is_empty() || expected.map(str::as_bytes) == Some(&content) {
                true => None,
                false => Some(file::write_numbered(path, content).map_err(file_error)?),
            }
        }
        _ => None,
    };
    save(text, path)?;
    Ok(copy)
}
