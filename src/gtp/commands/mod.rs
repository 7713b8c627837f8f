//! GTP commands, one module per group. Each module has a table of [`Command`](super::context::Command)s.

pub mod admin;
pub mod analyze;
pub mod board_info;
pub mod cgos;
pub mod debug;
pub mod evaluation;
pub mod files;
pub mod genmove;
pub mod goal_result;
pub mod gogui;
pub mod owl;
pub mod params;
pub mod play;
pub mod reading;
pub mod scoring;
pub mod setup;
pub mod time;
