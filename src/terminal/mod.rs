//! A game in the terminal: on the whole screen, with a cursor, or line by line where there is no screen.
//!
//! [`game::Game`] is the game and whatever is shown beside it; it knows neither keys nor screens. What the player types
//! are lines, found in the table of [`command`]; [`keys`] turns keys into such lines. [`picture`], [`page`] and [`sheet`]
//! draw into [`ink`], text with a purpose, which [`screen`] shows and [`lines`] prints.

pub mod board_view;
pub mod command;
mod commands;
pub mod error;
mod events;
pub mod files;
pub mod game;
pub mod keys;
pub mod layout;
pub mod line_mode;
pub mod output;
pub mod pager;
pub mod players;
pub mod screen;
pub mod style;
