//! The log of all traffic, if one is wished for.

use std::fmt::Display;
use std::fs::File;
use std::io::Write;

use parking_lot::Mutex;

use crate::notice;

/// A file that lines are noted in, by any number of threads; or nothing at all.
#[derive(Debug)]
pub struct Log {
    file: Mutex<Option<File>>,
}

impl Log {
    /// Notes go to the file, if there is one.
    #[must_use]
    pub const fn new(file: Option<File>) -> Self {
        Self {
            file: Mutex::new(file),
        }
    }

    /// Whether anything is noted at all.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.file.lock().is_some()
    }

    /// Notes a line, with a sign in front that tells where it came from.
    pub fn record(&self, sign: impl Display, text: impl Display) {
        let mut log = self.file.lock();
        if let Some(file) = log.as_mut()
            && let Err(error) = writeln!(file, "{sign} {text}")
        {
            // The answers matter more than the log: say it once and go on without.
            notice::say(format_args!("honinbo: the log ends here: {error}"));
            *log = None;
        }
    }
}
