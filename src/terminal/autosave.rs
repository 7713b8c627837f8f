//! Autosaving: every game has a file of its own in a folder, so that no game replaces another one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::TerminalError;
use super::files::{self, SavedGame};

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
        if self.file.is_none() {
            let created = create_file(&self.folder);
            self.file = Some(created.map_err(|error| TerminalError::file(&self.folder, error))?);
        }
        match &self.file {
            Some(file) => files::save(game, file),
            None => Ok(()),
        }
    }
}

/// Creates an empty file with the first free name `game-1.sgf`, `game-2.sgf` and so on.
fn create_file(folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut number = 1;
    loop {
        let path = folder.join(format!("game-{number}.sgf"));
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            result => return result.map(|_| path),
        }
    }
}

/// Returns the most recently saved game in `folder`, or `None` if there is none.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let games = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        let path = entry.path();
        let is_game = path.extension().is_some_and(|extension| extension == "sgf");
        // An empty file is a game that could not be saved.
        (is_game && metadata.is_file() && metadata.len() > 0)
            .then(|| Some((metadata.modified().ok()?, path)))?
    });
    games.max().map(|(_, path)| path)
}
