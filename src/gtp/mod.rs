//! The Go Text Protocol, version 2, with the extensions that clients use.
//!
//! [`session`] reads a line, [`line`](mod@line) splits it into ID, name and arguments, and [`command_table`] finds the
//! command. The implementation of the command, in `commands`, parses the arguments with `args` and drives the engine.
//! `response` formats the result. `CLIENTS.md` in this folder lists the clients that use each command.

mod analysis_output;
mod args;
pub mod command;
pub mod command_table;
mod commands;
mod connection;
pub mod line;
mod report_timer;
mod response;
pub mod session;
