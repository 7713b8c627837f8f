//! Interface between a match and an engine: sends a command and waits for the response.

use std::time::{Duration, Instant};

use crate::io::error_text;

/// Error in the communication with a GTP engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GtpEngineError {
    /// The process could not be started.
    #[error("cannot start `{command_line}`: {reason}")]
    StartFailed {
        command_line: String,
        reason: String,
    },
    /// The process exited or closed its output before it responded.
    #[error("the program exited without responding to `{command}` ({details})")]
    Exited {
        command: String,
        /// Exit status, and the last lines of the error output.
        details: String,
    },
    /// No complete response arrived within the time limit.
    #[error("no response to `{command}` within {} s", limit.as_secs_f64())]
    TimedOut { command: String, limit: Duration },
    /// The engine returned an error response (`?`).
    #[error("`{command}` failed: {response}")]
    CommandFailed {
        command: String,
        /// Error message in the response.
        response: String,
    },
    /// The response violates the protocol.
    #[error("expected {expected} in response to `{command}`, found `{found}`")]
    InvalidResponse {
        command: String,
        expected: &'static str,
        found: String,
    },
    /// The match was interrupted while waiting for a response.
    #[error("interrupted")]
    Interrupted,
    /// The engine does not support a required command.
    #[error("the program does not support {required}, needed for {purpose}")]
    UnsupportedCommand {
        /// Names of the commands, one of which must be supported.
        required: &'static str,
        /// Setting for which the command is needed.
        purpose: String,
    },
}

/// Maximum number of characters of engine output quoted in a message.
const MAX_EXCERPT_CHARS: usize = 200;

impl GtpEngineError {
    /// Creates an error for a `?` response. Shortens a long response.
    pub fn command_failed(command: &str, response: &str) -> Self {
        Self::CommandFailed {
            command: command.to_owned(),
            response: excerpt(response),
        }
    }

    /// Creates an error for a response that violates the protocol. Shortens a long response.
    pub fn invalid_response(command: &str, expected: &'static str, found: &str) -> Self {
        Self::InvalidResponse {
            command: command.to_owned(),
            expected,
            found: excerpt(found),
        }
    }
}

/// Returns the first `MAX_EXCERPT_CHARS` characters of an engine's output as one printable line: each white space
/// character becomes a space, and other control characters become `?`. Appends `…` if the output is longer.
pub fn excerpt(text: &str) -> String {
    error_text::excerpt_up_to(text, MAX_EXCERPT_CHARS)
}

/// Function that starts a new engine.
pub type Launcher<'a> = dyn Fn() -> Result<Box<dyn GtpEngine>, GtpEngineError> + 'a;

/// Connection to a running GTP engine.
pub trait GtpEngine: Send {
    /// Sends a command and waits up to `limit` for the response. Returns the text of the response without the `=` and
    /// surrounding white space; lines are separated by `\n`.
    ///
    /// # Errors
    /// Returns any [`GtpEngineError`] except `StartFailed` and `UnsupportedCommand`. After an error other than
    /// `CommandFailed`, the engine must not be used again.
    fn send(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError>;

    /// Like [`send`](Self::send), but also returns the time between sending the command and receiving the end of the
    /// response.
    ///
    /// # Errors
    /// Returns the same errors as [`send`](Self::send).
    fn send_timed(
        &mut self,
        command: &str,
        limit: Duration,
    ) -> Result<(String, Duration), GtpEngineError> {
        let started = Instant::now();
        let response = self.send(command, limit)?;
        Ok((response, started.elapsed()))
    }
}
