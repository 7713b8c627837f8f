//! The operators, by what they are about.

pub mod about;
pub mod games;
pub mod play;
pub mod read_game;
pub mod review;
pub mod run;
