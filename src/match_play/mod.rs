//! Matches between programs that speak GTP: this project's yardstick of strength.
//!
//! From one program to the whole match: [`opponent`] is the seam (a command goes in, an answer comes out), [`program`] is
//! a child process behind it, [`time`] finds the words for the time, [`player`] speaks GTP to it, [`game`] plays one game
//! between two players and keeps their clocks, [`verdict`] asks who won, [`run`] plays the schedule on several threads,
//! each with programs of its own, [`entry`] is what is kept of a game, [`tally`] counts, [`elo`] judges the counts,
//! [`report`] writes the table and [`record`] the SGF of a game. [`results`] keeps the games in a file of [`row`]s to go
//! on from, [`standings`] is the table of more than two programs, by their [`ratings`]. Any programs may meet; nothing
//! here knows the engine.

pub mod adjudication;
pub mod elo;
mod engine_pool;
pub mod engine_process;
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
pub mod sprt;
pub mod standings;
pub mod time;
