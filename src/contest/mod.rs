//! Matches between programs that speak GTP: this project's yardstick of strength.
//!
//! From one program to the whole match: [`opponent`] is the seam (a command goes in, an answer comes out), [`program`] is
//! a child process behind it, [`time`] finds the words for the time, [`player`] speaks GTP to it, [`game`] plays one game
//! between two players and keeps their clocks, [`verdict`] asks who won, [`run`] plays the schedule on several threads,
//! each with programs of its own, [`entry`] is what is kept of a game, [`tally`] counts, [`elo`] judges the counts,
//! [`report`] writes the table and [`record`] the SGF of a game. [`results`] keeps the games in a file of [`row`]s to go
//! on from, [`standings`] is the table of more than two programs, by their [`ratings`]. Any programs may meet; nothing
//! here knows the engine.

pub mod elo;
pub mod entry;
pub mod game;
mod lineup;
pub mod opening;
pub mod opponent;
pub mod player;
mod process;
pub mod program;
pub mod ratings;
pub mod record;
pub mod report;
pub mod results;
pub mod row;
pub mod run;
pub mod sprt;
pub mod standings;
pub mod tally;
pub mod time;
pub mod verdict;
