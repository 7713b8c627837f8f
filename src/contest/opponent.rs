//! What a match needs of a program: one command in, one answer out, within a time.

use std::time::{Duration, Instant};

use crate::names;

/// Why a program gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpponentError {
    /// The process could not be started.
    #[error("expected a program that starts, found `{command_line}`: {reason}")]
    NotStarted {
        /// What was to be run.
        command_line: String,
        /// The system's words.
        reason: String,
    },
    /// The process ended or closed its output.
    #[error("expected an answer to `{command}`, found the program gone ({last_words})")]
    Died {
        /// The GTP command it was asked.
        command: String,
        /// Its exit status and the end of its error output.
        last_words: String,
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
    #[error("expected `{command}` to succeed, found `? {answer}`")]
    Refused {
        /// The GTP command it was asked.
        command: String,
        /// The text after the question mark.
        answer: String,
    },
    /// The answer is not what the protocol demands.
    #[error("expected {expected} in answer to `{command}`, found `{found}`")]
    Garbage {
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
        "expected {needed} among the program's commands, to tell it {purpose}, found no such command"
    )]
    Lacks {
        /// The commands, any of which would do.
        needed: &'static str,
        /// What they would say.
        purpose: String,
    },
}

/// Letters of what a program says that are told on.
const TOLD: usize = 200;

impl OpponentError {
    /// An answer `?` with this text, cut to what one can read.
    #[must_use]
    pub fn refused(command: &str, answer: &str) -> Self {
        Self::Refused {
            command: command.to_owned(),
            answer: excerpt(answer),
        }
    }

    /// An answer against the protocol, cut likewise.
    #[must_use]
    pub fn garbage(command: &str, expected: &'static str, found: &str) -> Self {
        Self::Garbage {
            command: command.to_owned(),
            expected,
            found: excerpt(found),
        }
    }
}

/// The first letters of a program's words.
pub fn excerpt(words: &str) -> String {
    names::beginning(words, TOLD)
}

/// Starts a program, another one each time.
pub type Launch<'a> = dyn Fn() -> Result<Box<dyn Opponent>, OpponentError> + 'a;

/// A program that plays by GTP.
pub trait Opponent: Send {
    /// Sends one command and gives the text of its answer: without the `=`, trimmed, its lines joined by `\n`.
    ///
    /// # Errors
    /// Any [`OpponentError`] but `NotStarted` and `Lacks`. After one other than `Refused` the program is not to be asked
    /// again.
    fn ask(&mut self, command: &str, limit: Duration) -> Result<String, OpponentError>;

    /// The same, with the time from sending the command to the answer's end.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    fn ask_timed(
        &mut self,
        command: &str,
        limit: Duration,
    ) -> Result<(String, Duration), OpponentError> {
        let asked = Instant::now();
        let answer = self.ask(command, limit)?;
        Ok((answer, asked.elapsed()))
    }
}
