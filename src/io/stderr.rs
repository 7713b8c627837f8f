//! Messages for the user on standard error, separate from protocol output on standard output.

use std::fmt::Display;
use std::io::{self, Write};

use super::error_text::printable;

/// Prints a line to standard error and ignores write errors. Control characters, for example in file names, become `?`.
///
/// Unlike `eprintln!`, this does not panic if standard error is closed, so a game or a long computation continues.
pub fn eprint_line(message: impl Display) {
    // With a single write, the line is not mixed with the output of other processes.
    let line = format!("{message}\n");
    let _ = io::stderr().write_all(printable(&line).as_bytes());
}
