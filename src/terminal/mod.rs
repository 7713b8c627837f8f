//! A game in the terminal, line by line.
//!
//! [`game::Game`] is the game and whatever is shown beside it; it knows neither keys nor screens. What the player types are
//! lines, found in the table of [`command`]. [`picture`] draws into [`ink`], text with a purpose, which [`lines`] prints.

pub mod command;
mod commands;
pub mod files;
pub mod game;
pub mod ink;
pub mod lines;
pub mod picture;
pub mod seats;
pub mod trouble;
