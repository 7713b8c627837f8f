//! Input and output shared by all front ends: files, lines of text, wording of messages, and protocol logs.

pub mod error_text;
pub mod file;
pub mod line_reader;
pub mod plural;
pub mod protocol_log;
pub mod stderr;
pub mod user_folders;
