//! A game in the terminal: on the whole screen, with a cursor, or line by line where there is no screen.
//!
//! [`game::Game`] is the game and whatever is shown beside it; it knows neither keys nor screens. What the player types
//! are lines, found in the table of [`command`]; [`keys`] turns keys into such lines. [`picture`], [`page`] and [`sheet`]
//! draw into [`ink`], text with a purpose, which [`screen`] shows and [`lines`] prints.

pub mod command;
mod commands;
mod events;
pub mod files;
pub mod game;
pub mod ink;
pub mod keys;
pub mod lines;
pub mod page;
pub mod picture;
pub mod screen;
pub mod seats;
pub mod sheet;
pub mod trouble;
