//! The commands, grouped by what they are about. Each group is a table of [`Command`](super::context::Command)s.

pub mod admin;
pub mod analyze;
pub mod debug;
pub mod files;
pub mod play;
pub mod setup;
pub mod time;
