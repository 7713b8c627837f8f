//! What a match needs of a program: one command in, one answer out, within a time.

use std::time::{Duration, Instant};

use crate::io::error_text;

/// Why a program gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GtpEngineError {
    /// The process could not be started.
    #[error("expected a program that starts, found `{command_line}`: {reason}")]
    StartFailed {
        /// What was to be run.
        command_line: String,
        /// The system's words.
        reason: String,
    },
    /// The process ended or closed its output.
    #[error("expected an answer to `{command}`, found the program gone ({details})")]
    Exited {
        /// The GTP command it was asked.
        command: String,
        /// Its exit status and the end of its error output.
        details: String,
    },
    /// No complete answer came in time.
    #[error("expected an answer to `{command}` within {} s, found none", limit.as_secs_f64())]
    TimedOut {
        /// The GTP command it was asked.
        command: String,
        /// The time it had.
        limit: Duration,
    },
    /// The program answered `?`.
    #[error("expected `{command}` to succeed, found `? {response}`")]
    CommandFailed {
        /// The GTP command it was asked.
        command: String,
        /// The text after the question mark.
        response: String,
    },
    /// The answer is not what the protocol demands.
    #[error("expected {expected} in answer to `{command}`, found `{found}`")]
    InvalidResponse {
        /// The GTP command it was asked.
        command: String,
        /// What the protocol demands.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// Whoever asked was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The program cannot be told what it must know.
    #[error(
        "expected {required} among the program's commands, to tell it {purpose}, found no such command"
    )]
    UnsupportedCommand {
        /// The commands, any of which would do.
        required: &'static str,
        /// What they would say.
        purpose: String,
    },
}

/// Letters of what a program says that are told on.
const MAX_EXCERPT_CHARS: usize = 200;

impl GtpEngineError {
    /// An answer `?` with this text, cut to what one can read.
    #[must_use]
    pub fn command_failed(command: &str, response: &str) -> Self {
        Self::CommandFailed {
            command: command.to_owned(),
            response: excerpt(response),
        }
    }

    /// An answer against the protocol, cut likewise.
    #[must_use]
    pub fn invalid_response(command: &str, expected: &'static str, found: &str) -> Self {
        Self::InvalidResponse {
            command: command.to_owned(),
            expected,
            found: excerpt(found),
        }
    }
}

/// The first letters of a program's words.
pub fn excerpt(text: &str) -> String {
    error_text::printable_prefix(text, MAX_EXCERPT_CHARS)
}

/// Starts a program, another one each time.
pub type Launcher<'a> = dyn Fn() -> Result<Box<dyn GtpEngine>, GtpEngineError> + 'a;

/// A program that plays by GTP.
pub trait GtpEngine: Send {
    /// Sends one command and gives the text of its answer: without the `=`, trimmed, its lines joined by `\n`.
    ///
    /// # Errors
    /// Any [`GtpEngineError`] but `StartFailed` and `UnsupportedCommand`. After one other than `CommandFailed` the program is not to be asked
    /// again.
    fn send(&mut self, command: &str, limit: Duration) -> Result<String, GtpEngineError>;

    /// The same, with the time from sending the command to the answer's end.
    ///
    /// # Errors
    /// Those of [`send`](Self::send).
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
