//! Storage of self-play games in files `games-000001.sgf`, `games-000002.sgf` and so on, with one game per line.
//!
//! A game is appended to the last file in a single write. An incomplete line left by a crash is removed when the folder
//! is opened again. The last file is locked, so that only one process can write to the folder.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::sgf_line;
use crate::io::file::{self, LockedFile};

/// Maximum number of games per file.
pub const MAX_GAMES_PER_FILE: usize = 1_000;

/// Error while storing games.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayFilesError {
    #[error("{}: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    #[error("{} is in use by another process; stop it or use another folder", path.display())]
    InUse { path: PathBuf },
}

/// Folder of self-play files. The last file is open for appending.
#[derive(Debug)]
pub struct SelfplayFiles {
    folder: PathBuf,
    /// Number of the last file.
    number: usize,
    path: PathBuf,
    file: LockedFile,
    /// Number of complete games in the last file.
    game_count: usize,
    /// Length of the complete games in bytes.
    byte_len: u64,
}

impl SelfplayFiles {
    /// Opens `folder`, creating it if it does not exist. Also returns the numbers of all games in the folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read or written, or if another process has it open.
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

    /// Appends a game. `line` must end with a line break and contain no other line breaks. Starts a new file if the
    /// last one is full.
    ///
    /// # Errors
    /// Returns an error if the game cannot be written. The file is restored to its previous length if possible.
    pub fn append(&mut self, line: &str) -> Result<(), SelfplayFilesError> {
        if self.game_count >= MAX_GAMES_PER_FILE {
            *self = Self::open_file(&self.folder, self.number + 1)?;
        }
        if let Err(cause) = self.file.write_all(line.as_bytes()) {
            // If this fails too, the next `open` removes the incomplete line.
            let _ = self.truncate();
            let path = self.path.clone();
            return Err(SelfplayFilesError::Io { path, cause });
        }
        self.game_count += 1;
        self.byte_len += line.len() as u64;
        Ok(())
    }

    /// Opens and locks file `number`. Does not read its content.
    fn open_file(folder: &Path, number: usize) -> Result<Self, SelfplayFilesError> {
        let path = file_path(folder, number);
        let wrap = |cause| SelfplayFilesError::Io {
            path: path.clone(),
            cause,
        };
        let file = file::open_append(&path).map_err(wrap)?;
        let Some(file) = LockedFile::try_lock(file) else {
            return Err(SelfplayFilesError::InUse { path });
        };
        Ok(Self {
            folder: folder.to_owned(),
            number,
            path,
            file,
            game_count: 0,
            byte_len: 0,
        })
    }

    /// Removes an incomplete line at the end of the last file.
    fn truncate(&mut self) -> io::Result<()> {
        file::truncate(&mut self.file, self.byte_len)
    }
}

fn file_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("games-{number:06}.sgf"))
}

/// Returns the numbers of the self-play files in `folder`, which need not be consecutive.
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

/// Adds the numbers of all games in a file to `numbers`. Returns the number of complete lines and the length of these
/// lines in bytes.
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
