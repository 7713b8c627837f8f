//! Autosaving: every game has a separate file in a folder, so that no game replaces another one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::TerminalError;
use super::files::{self, SavedGame};
use crate::io::file;

/// Saves the games of a session in a folder.
#[derive(Debug)]
pub struct Autosave {
    folder: PathBuf,
    /// File of the current game; `None` until the game is first saved.
    file: Option<PathBuf>,
}

impl Autosave {
    /// Creates an autosave for a new game. The folder is created when the game is first saved.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder, file: None }
    }

    /// Returns the file of the current game, or `None` if the game has not been saved.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Saves the next game in a new file.
    pub fn start_game(&mut self) {
        self.file = None;
    }

    /// Saves the next game in `file`, from which it was loaded.
    pub fn resume_game(&mut self, file: PathBuf) {
        self.file = Some(file);
    }

    /// Saves the current game.
    ///
    /// # Errors
    /// Returns an error if the folder or the file cannot be written.
    pub fn save(&mut self, game: &SavedGame<'_>) -> Result<(), TerminalError> {
        let file = match self.file.take() {
            Some(file) => file,
            None => create_file(&self.folder)
                .map_err(|error| TerminalError::file(&self.folder, error))?,
        };
        files::save(&files::sgf_text(game), self.file.insert(file))
    }
}

/// Creates an empty file with the first free name `game-1.sgf`, `game-2.sgf` and so on.
fn create_file(folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    Ok(file::create_numbered(&folder.join("game.sgf"))?.1)
}

/// Returns the most recently saved game in `folder`, if any.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let games = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        let path = entry.path();
        let is_sgf = path.extension().is_some_and(|extension| extension == "sgf");
        // An empty file is a game that could not be saved.
        let is_game = is_sgf && metadata.is_file() && metadata.len() > 0;
        is_game.then_some((metadata.modified().ok()?, path))
    });
    games.max().map(|(_, path)| path)
}
