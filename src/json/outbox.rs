//! The way out: one object a line, each written whole and at once, by any number of threads.

use std::io::{self, Write};

use parking_lot::Mutex;
use serde::Serialize;

use crate::traffic::Log;

/// Where answers go, and the log of all traffic if there is one.
pub struct Outbox {
    output: Mutex<Box<dyn Write + Send>>,
    broken: Mutex<Option<io::Error>>,
    log: Log,
}

impl Outbox {
    /// Answers go to `output`; `log` gets `<` before what came in and `>` before what went out.
    #[must_use]
    pub const fn new(output: Box<dyn Write + Send>, log: Log) -> Self {
        Self {
            output: Mutex::new(output),
            broken: Mutex::new(None),
            log,
        }
    }

    /// Sends one object as a line; false once the output has failed.
    pub fn send(&self, object: &impl Serialize) -> bool {
        let sent = serde_json::to_string(object)
            .map_err(io::Error::from)
            .and_then(|text| self.line(&text));
        match sent {
            Ok(()) => true,
            Err(error) => {
                self.broken.lock().get_or_insert(error);
                false
            }
        }
    }

    fn line(&self, text: &str) -> io::Result<()> {
        let mut output = self.output.lock();
        output.write_all(format!("{text}\n").as_bytes())?;
        output.flush()?;
        self.log.record('>', text);
        Ok(())
    }

    /// The log.
    #[must_use]
    pub const fn log(&self) -> &Log {
        &self.log
    }

    /// Remembers a failure of the connection.
    pub fn fail(&self, error: io::Error) {
        self.broken.lock().get_or_insert(error);
    }

    /// The first failure, if there was one.
    pub fn failure(&self) -> Option<io::Error> {
        self.broken.lock().take()
    }
}
