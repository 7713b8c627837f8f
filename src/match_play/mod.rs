//! Matches between GTP engines, used to measure playing strength.
//!
//! A match has two sides, A and B, which alternate colours. Any GTP program can take part.
//!
//! * Engines: [`gtp_engine`] is the interface to an engine, [`engine_process`] implements it with a child process,
//!   [`player`] sends typed GTP commands, [`time`] translates time settings, and `engine_pool` holds the engines of
//!   one thread.
//! * Games: [`conditions`] describes a game, [`opening`] loads start positions, [`game`] plays one game,
//!   [`adjudication`] determines its [`final_score`], and [`game_record`] is the summary that is stored and counted.
//! * Matches: [`config`] describes a match, [`runner`] plays it on several threads, [`match_stats`] counts the games of
//!   both [`side`]s, and [`elo`] and [`sprt`] evaluate the counts.
//! * Output: [`report`] formats the final table, [`game_sgf`] writes SGF files, [`results_file`] stores games as
//!   [`results_row`]s so that a match can be resumed, and [`standings`] is the table of a tournament with [`ratings`].

pub mod adjudication;
pub mod conditions;
pub mod config;
pub mod elo;
mod engine_pool;
pub mod engine_process;
pub mod final_score;
pub mod finished_game;
pub mod game;
pub mod game_record;
pub mod game_sgf;
pub mod gtp_engine;
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
pub mod time;
