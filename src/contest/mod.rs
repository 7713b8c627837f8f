//! Matches between programs that speak GTP: this project's yardstick of strength.
//!
//! From one program to the whole match: [`opponent`] is the seam (a command goes in, an answer comes out), [`program`] is
//! a child process behind it, [`time`] finds the words for the time, [`player`] speaks GTP to it, [`game`] plays one game
//! between two players and keeps their clocks, [`verdict`] asks who won, [`run`] plays the schedule on several threads,
//! [`tally`] counts, [`elo`] judges the counts, [`report`] writes the table and [`record`] the SGF of a game. Any two
//! programs may meet; nothing here knows the engine.

pub mod elo;
pub mod game;
pub mod opening;
pub mod opponent;
pub mod player;
pub mod program;
pub mod record;
pub mod report;
pub mod run;
pub mod sprt;
pub mod tally;
pub mod time;
pub mod verdict;
