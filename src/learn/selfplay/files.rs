//! The files of the games: `game_count-000001.sgf` and so on, a line a game.
//!
//! A game is written by one write, at the end of the last file. What a crash leaves of a line is dropped when the folder
//! is opened again. A file is held by one process at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::sgf_line;
use crate::io::file;

/// Games of a file at most.
pub const MAX_GAMES_PER_FILE: usize = 1_000;

/// Why games cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayFilesError {
    /// Reading or writing failed.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What happened.
        cause: io::Error,
    },
    /// Another process writes there.
    #[error("{}: expected a file of this process alone, found another writing to it", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
}

/// The last file of a folder, to be added to.
#[derive(Debug)]
pub struct SelfplayFiles {
    folder: PathBuf,
    /// The file's number.
    number: usize,
    path: PathBuf,
    file: File,
    /// Its whole games and their bytes.
    game_count: usize,
    byte_len: u64,
}

impl SelfplayFiles {
    /// Opens a folder, which is made where there is none, behind its last whole game; the numbers of all its games.
    ///
    /// # Errors
    /// When it cannot be read or written, or another process does so.
    pub fn open(folder: &Path) -> Result<(Self, BTreeSet<u64>), SelfplayFilesError> {
        let wrap = |path: &Path| {
            let path = path.to_owned();
            move |cause| SelfplayFilesError::Io { path, cause }
        };
        fs::create_dir_all(folder).map_err(wrap(folder))?;
        let mut file_numbers = file_numbers(folder).map_err(wrap(folder))?;
        let mut files = Self::open_file(folder, file_numbers.pop_last().unwrap_or(1))?;
        let mut numbers = BTreeSet::new();
        for number in file_numbers {
            let path = file_path(folder, number);
            let file = File::open(&path).map_err(wrap(&path))?;
            scan_games(&file, &mut numbers).map_err(wrap(&path))?;
        }
        (files.game_count, files.byte_len) =
            scan_games(&files.file, &mut numbers).map_err(wrap(&files.path))?;
        files.truncate().map_err(wrap(&files.path))?;
        Ok((files, numbers))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When it cannot be written; the file is as it was then, as far as it can be.
    pub fn append(&mut self, line: &str) -> Result<(), SelfplayFilesError> {
        if self.game_count >= MAX_GAMES_PER_FILE {
            *self = Self::open_file(&self.folder, self.number + 1)?;
        }
        if let Err(cause) = self.file.write_all(line.as_bytes()) {
            // What the next start would drop; that this fails too changes nothing.
            let _ = self.truncate();
            let path = self.path.clone();
            return Err(SelfplayFilesError::Io { path, cause });
        }
        self.game_count += 1;
        self.byte_len += line.len() as u64;
        Ok(())
    }

    /// The file of that number, held, before it has been looked into.
    fn open_file(folder: &Path, number: usize) -> Result<Self, SelfplayFilesError> {
        let path = file_path(folder, number);
        let wrap = |cause| SelfplayFilesError::Io {
            path: path.clone(),
            cause,
        };
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(wrap)?;
        if !file::try_lock(&file) {
            return Err(SelfplayFilesError::InUse { path });
        }
        Ok(Self {
            folder: folder.to_owned(),
            number,
            path,
            file,
            game_count: 0,
            byte_len: 0,
        })
    }

    /// Drops what follows the last whole game.
    fn truncate(&self) -> io::Result<()> {
        self.file.set_len(self.byte_len)
    }
}

fn file_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("games-{number:06}.sgf"))
}

/// The numbers of the files that there are; some may have been taken away.
fn file_numbers(folder: &Path) -> io::Result<BTreeSet<usize>> {
    let mut numbers = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = (name.to_str())
            .and_then(|name| name.strip_prefix("games-")?.strip_suffix(".sgf"))
            .and_then(|digits| digits.parse().ok());
        numbers.extend(number.filter(|&number| file_path(folder, number).ends_with(&name)));
    }
    Ok(numbers)
}

/// Collects the numbers of the games; how many whole lines there are, and their bytes.
fn scan_games(file: &File, numbers: &mut BTreeSet<u64>) -> io::Result<(usize, u64)> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut line_count, mut byte_len) = (0, 0);
    let mut text = Vec::new();
    loop {
        text.clear();
        let line_len = reader.read_until(b'\n', &mut text)?;
        if text.last() != Some(&b'\n') {
            return Ok((line_count, byte_len));
        }
        line_count += 1;
        byte_len += line_len as u64;
        numbers.extend(sgf_line::game_number(&text));
    }
}
