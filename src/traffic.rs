//! The log of all traffic with clients, if one is wished for.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::notice;

/// A file that lines are noted in, by any number of threads; or nothing at all.
#[derive(Debug)]
pub struct Log {
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    path: PathBuf,
    file: File,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the log {}: {source}", path.display())]
pub struct LogError {
    path: PathBuf,
    source: io::Error,
}

impl Log {
    /// Notes nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            kept: Mutex::new(None),
        }
    }

    /// Opens a log; what the file already holds stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let path = path.to_owned();
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Ok(Self {
                kept: Mutex::new(Some(Kept { path, file })),
            }),
            Err(source) => Err(LogError { path, source }),
        }
    }

    /// Whether anything is noted at all.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.kept.lock().is_some()
    }

    /// Notes a line, with a sign in front that tells where it came from. The first that cannot be written is the end of
    /// the log, and is told: clients matter more.
    pub fn record(&self, sign: impl Display, line: impl Display) {
        let mut kept = self.kept.lock();
        if let Some(Kept { path, file }) = kept.as_mut()
            && let Err(error) = writeln!(file, "{sign} {line}")
        {
            let path = path.display();
            notice::say(format_args!("honinbo: the log {path} ends here: {error}"));
            *kept = None;
        }
    }
}
