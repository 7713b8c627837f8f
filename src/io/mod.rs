//! Files, lines of text and messages: what every front end reads and writes.

pub mod error_text;
pub mod file;
pub mod line_reader;
pub mod protocol_log;
pub mod stderr;
