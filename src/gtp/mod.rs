//! The Go Text Protocol, version 2, with the extensions that clients use.
//!
//! The path of a command: [`session`] reads a line, [`line`](mod@line) splits it into id, name and arguments,
//! [`table`] finds the command, one of [`commands`] parses its arguments with [`args`] and drives the engine, and
//! [`response`] formats the result. `CLIENTS.md` in this folder lists the clients that use each command.

pub mod analysis_output;
pub mod args;
pub mod commands;
pub mod connection;
pub mod context;
pub mod line;
pub mod response;
pub mod session;
pub mod table;
