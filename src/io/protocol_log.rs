//! The log of all traffic with clients, if one is wished for.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::io::stderr;

/// A file that lines are noted in, by any number of threads; or nothing at all.
#[derive(Debug)]
pub struct ProtocolLog {
    file: Mutex<Option<LogFile>>,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: File,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the log {}: {source}", path.display())]
pub struct ProtocolLogError {
    path: PathBuf,
    source: io::Error,
}

impl ProtocolLog {
    /// Notes nothing.
    #[must_use]
    pub const fn disabled() -> Self {
        Self {
            file: Mutex::new(None),
        }
    }

    /// Opens a log; what the file already holds stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(path: &Path) -> Result<Self, ProtocolLogError> {
        let path = path.to_owned();
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Ok(Self {
                file: Mutex::new(Some(LogFile { path, file })),
            }),
            Err(source) => Err(ProtocolLogError { path, source }),
        }
    }

    /// Whether anything is noted at all.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.file.lock().is_some()
    }

    /// Notes a line, with a sign in front that tells where it came from. The first that cannot be written is the end of
    /// the log, and is told: clients matter more.
    pub fn write_line(&self, prefix: impl Display, line: impl Display) {
        let mut guard = self.file.lock();
        if let Some(LogFile { path, file }) = guard.as_mut()
            && let Err(error) = writeln!(file, "{prefix} {line}")
        {
            let path = path.display();
            stderr::eprint_line(format_args!("honinbo: the log {path} ends here: {error}"));
            *guard = None;
        }
    }
}
