//! The files of the games: `games-000001.sgf` and so on, a line a game.
//!
//! A game is written by one write, at the end of the last file. What a crash leaves of a line is dropped when the folder
//! is opened again. A file is held by one process at a time.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::line;
use crate::file;

/// Games of a file at most.
pub const GAMES_PER_FILE: usize = 1_000;

/// Why games cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
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
    Taken {
        /// The file.
        path: PathBuf,
    },
}

/// The last file of a folder, to be added to.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    /// The file's number.
    number: usize,
    path: PathBuf,
    file: File,
    /// Its whole games and their bytes.
    games: usize,
    bytes: u64,
}

impl Files {
    /// Opens a folder, which is made where there is none, behind its last whole game; the numbers of all its games.
    ///
    /// # Errors
    /// When it cannot be read or written, or another process does so.
    pub fn open(folder: &Path) -> Result<(Self, BTreeSet<u64>), FilesError> {
        let wrap = |path: &Path| {
            let path = path.to_owned();
            move |cause| FilesError::Io { path, cause }
        };
        fs::create_dir_all(folder).map_err(wrap(folder))?;
        let mut present = present(folder).map_err(wrap(folder))?;
        let mut files = Self::at(folder, present.pop_last().unwrap_or(1))?;
        let mut numbers = BTreeSet::new();
        for earlier in present {
            let path = path(folder, earlier);
            let file = File::open(&path).map_err(wrap(&path))?;
            scan(&file, &mut numbers).map_err(wrap(&path))?;
        }
        (files.games, files.bytes) = scan(&files.file, &mut numbers).map_err(wrap(&files.path))?;
        files.cut().map_err(wrap(&files.path))?;
        Ok((files, numbers))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// When it cannot be written; the file is as it was then, as far as it can be.
    pub fn append(&mut self, line: &str) -> Result<(), FilesError> {
        if self.games >= GAMES_PER_FILE {
            *self = Self::at(&self.folder, self.number + 1)?;
        }
        if let Err(cause) = self.file.write_all(line.as_bytes()) {
            // What the next start would drop; that this fails too changes nothing.
            let _ = self.cut();
            let path = self.path.clone();
            return Err(FilesError::Io { path, cause });
        }
        self.games += 1;
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// The file of that number, held, before it has been looked into.
    fn at(folder: &Path, number: usize) -> Result<Self, FilesError> {
        let path = path(folder, number);
        let wrap = |cause| FilesError::Io {
            path: path.clone(),
            cause,
        };
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(wrap)?;
        if !file::hold(&file) {
            return Err(FilesError::Taken { path });
        }
        Ok(Self {
            folder: folder.to_owned(),
            number,
            path,
            file,
            games: 0,
            bytes: 0,
        })
    }

    /// Drops what follows the last whole game.
    fn cut(&self) -> io::Result<()> {
        self.file.set_len(self.bytes)
    }
}

fn path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("games-{number:06}.sgf"))
}

/// The numbers of the files that there are; some may have been taken away.
fn present(folder: &Path) -> io::Result<BTreeSet<usize>> {
    let mut numbers = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = (name.to_str())
            .and_then(|name| name.strip_prefix("games-")?.strip_suffix(".sgf"))
            .and_then(|digits| digits.parse().ok());
        numbers.extend(number.filter(|&number| path(folder, number).ends_with(&name)));
    }
    Ok(numbers)
}

/// Collects the numbers of the games; how many whole lines there are, and their bytes.
fn scan(file: &File, numbers: &mut BTreeSet<u64>) -> io::Result<(usize, u64)> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut games, mut bytes) = (0, 0);
    let mut text = Vec::new();
    loop {
        text.clear();
        let read = reader.read_until(b'\n', &mut text)?;
        if text.last() != Some(&b'\n') {
            return Ok((games, bytes));
        }
        games += 1;
        bytes += read as u64;
        numbers.extend(line::number(&text));
    }
}
