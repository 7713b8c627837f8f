//! Optional log of the messages exchanged with clients.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::io::stderr;

/// Log file shared by all threads, or a disabled log that ignores all lines.
#[derive(Debug)]
pub struct ProtocolLog {
    file: Mutex<Option<LogFile>>,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: File,
}

/// Error for a log file that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the log {}: {source}", path.display())]
pub struct ProtocolLogError {
    path: PathBuf,
    source: io::Error,
}

impl ProtocolLog {
    /// Creates a disabled log, which ignores all lines.
    pub const fn disabled() -> Self {
        Self {
            file: Mutex::new(None),
        }
    }

    /// Opens a log file for appending, creating it if necessary.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened for writing.
    pub fn open(path: &Path) -> Result<Self, ProtocolLogError> {
        let path = path.to_owned();
        match File::options().create(true).append(true).open(&path) {
            Ok(file) => Ok(Self {
                file: Mutex::new(Some(LogFile { path, file })),
            }),
            Err(source) => Err(ProtocolLogError { path, source }),
        }
    }

    /// Returns true if lines are written to a file.
    pub fn is_enabled(&self) -> bool {
        self.file.lock().is_some()
    }

    /// Appends a line. `prefix` marks the sender.
    ///
    /// After the first write error, the log is disabled and a message is printed to standard error, so that the session
    /// can continue.
    pub fn write_line(&self, prefix: impl Display, line: impl Display) {
        let mut guard = self.file.lock();
        if let Some(LogFile { path, file }) = guard.as_mut()
            && let Err(error) = writeln!(file, "{prefix} {line}")
        {
            let path = path.display();
            stderr::eprint_line(format_args!("honinbo: logging to {path} stopped: {error}"));
            *guard = None;
        }
    }
}
