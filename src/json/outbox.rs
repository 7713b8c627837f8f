//! The way out: one object a line, each written whole and at once, by any number of threads.

use std::io::{self, Write};

use parking_lot::Mutex;
use serde::Serialize;

use crate::io::protocol_log::ProtocolLog;

/// Where answers go, and the log of all traffic if there is one.
pub struct Outbox {
    output: Mutex<Box<dyn Write + Send>>,
    error: Mutex<Option<io::Error>>,
    log: ProtocolLog,
}

impl Outbox {
    /// Answers go to `output`; `log` gets `<` before what came in and `>` before what went out.
    pub const fn new(output: Box<dyn Write + Send>, log: ProtocolLog) -> Self {
        Self {
            output: Mutex::new(output),
            error: Mutex::new(None),
            log,
        }
    }

    /// Sends one object as a line; false once the output has failed.
    pub fn send(&self, object: &impl Serialize) -> bool {
        let result = serde_json::to_string(object)
            .map_err(io::Error::from)
            .and_then(|text| self.write_line(&text));
        match result {
            Ok(()) => true,
            Err(error) => {
                self.error.lock().get_or_insert(error);
                false
            }
        }
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        let mut output = self.output.lock();
        output.write_all(format!("{text}\n").as_bytes())?;
        output.flush()?;
        self.log.write_line('>', text);
        Ok(())
    }

    /// The log.
    pub const fn log(&self) -> &ProtocolLog {
        &self.log
    }

    /// Remembers a failure of the connection.
    pub fn set_error(&self, error: io::Error) {
        self.error.lock().get_or_insert(error);
    }

    /// The first failure, if there was one.
    pub fn take_error(&self) -> Option<io::Error> {
        self.error.lock().take()
    }
}
