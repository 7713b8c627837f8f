//! Output stream shared by all threads of a session. Each object is written as a complete line and flushed.

use std::io::{self, Write};

use parking_lot::Mutex;
use serde::Serialize;

use crate::io::protocol_log::ProtocolLog;

/// Writer of responses that stores the first error and logs each line.
pub struct ResponseWriter {
    output: Mutex<Box<dyn Write + Send>>,
    error: Mutex<Option<io::Error>>,
    log: ProtocolLog,
}

impl ResponseWriter {
    /// Creates a writer. In `log`, input lines are marked `<` and output lines `>`.
    pub const fn new(output: Box<dyn Write + Send>, log: ProtocolLog) -> Self {
        Self {
            output: Mutex::new(output),
            error: Mutex::new(None),
            log,
        }
    }

    /// Writes an object as a line. If writing fails, records the error and returns false.
    pub fn send(&self, object: &impl Serialize) -> bool {
        let result = serde_json::to_string(object)
            .map_err(io::Error::from)
            .and_then(|text| self.write_line(&text));
        match result {
            Ok(()) => true,
            Err(error) => {
                self.set_error(error);
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

    pub const fn protocol_log(&self) -> &ProtocolLog {
        &self.log
    }

    /// Records a connection error. Only the first error is stored.
    pub fn set_error(&self, error: io::Error) {
        self.error.lock().get_or_insert(error);
    }

    /// Returns the stored error, if any, and clears it.
    pub fn take_error(&self) -> Option<io::Error> {
        self.error.lock().take()
    }
}
