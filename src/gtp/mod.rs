//! The Go Text Protocol, version 2, with the extensions that clients use.
//!
//! The road of a command: [`session`] takes a line, [`line`] splits it, [`table`] finds the command, one of
//! [`commands`] takes its arguments through [`args`] and drives the engine, and [`reply`] writes the answer. `CLIENTS.md`
//! beside this file tells which clients use which command.

pub mod analysis_output;
pub mod args;
pub mod commands;
pub mod connection;
pub mod context;
pub mod line;
pub mod response;
pub mod session;
pub mod table;
