//! The commands, grouped by what they are about. Each group is a table of [`Command`](super::context::Command)s.

pub mod admin;
pub mod analyze;
pub mod cgos;
pub mod debug;
pub mod ending;
pub mod explain;
pub mod files;
pub mod gogui;
pub mod look;
pub mod owl;
pub mod params;
pub mod play;
pub mod read;
pub mod search;
pub mod setup;
pub mod time;
