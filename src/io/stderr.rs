//! Words to whoever started the program, on standard error, beside all that commands answer and print.

use std::fmt::Display;
use std::io::{self, Write};

/// Says a line. Where it cannot be written it is dropped: neither a game nor long work ends for want of a listener, which
/// `eprintln!` would see to.
pub fn eprint_line(message: impl Display) {
    // In one piece, so that lines of several programs stay apart.
    let line = format!("{message}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
