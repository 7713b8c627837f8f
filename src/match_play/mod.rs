//! Matches between GTP engines, used to measure playing strength.
//!
//! A match is played between two sides, A and B, which alternate colours. Any GTP program can take part.
//!
//! * Engines: [`gtp_engine`] is the interface to an engine, and [`engine_process`] implements it with a child process
//!   and its descendants (`process_group`). [`player`] sends typed GTP commands, [`time_settings`] converts time
//!   settings to commands, and `worker_engines` contains the engines of a worker thread.
//! * Games: [`conditions`] contains the settings of a game, [`opening`] loads start positions, [`game`] plays a game,
//!   [`final_score`] determines the final score, and [`game_summary`] is the summary used for statistics and files.
//! * Matches: [`match_config`] contains the settings of a match, [`runner`] plays the match on several threads and
//!   passes each [`finished_game`] to a callback, [`match_stats`] counts the results of both [`side`]s, and [`elo`] and
//!   [`sprt`] evaluate the counts.
//! * Output: [`report`] formats the final report, [`game_sgf`] formats games as SGF, and [`results_file`] stores the
//!   games as [`results_row`]s, so that a match can be resumed. [`standings`] is the table of a tournament with
//!   [`ratings`].

pub mod conditions;
pub mod elo;
pub mod engine_process;
pub mod final_score;
pub mod finished_game;
pub mod game;
pub mod game_sgf;
pub mod game_summary;
pub mod gtp_engine;
pub mod match_config;
pub mod match_stats;
pub mod opening;
pub mod player;
mod process_group;
pub mod ratings;
pub mod report;
pub mod results_file;
pub mod results_row;
pub mod runner;
pub mod side;
pub mod sprt;
pub mod standings;
pub mod time_settings;
mod worker_engines;
