//! GTP commands, one module per group. Each module has a table of [`Command`](super::command::Command)s.

pub mod admin;
pub mod analyze;
pub mod board_info;
pub mod cgos;
pub mod diagnostics;
pub mod engine_params;
pub mod evaluation;
pub mod files;
pub mod genmove;
pub mod goal_result;
pub mod gogui;
pub mod life_and_death;
pub mod play;
pub mod reading;
pub mod scoring;
pub mod setup;
pub mod time;
