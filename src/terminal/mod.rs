//! Terminal user interface of `honinbo play`: full screen with a cursor, or line by line.
//!
//! [`game::Game`] holds the engine, the players and the marks on the board, and is independent of keys and screens.
//! [`keys`] translates key presses into command lines, and [`Game::execute`](game::Game::execute) executes these lines.
//! [`board_view`], [`layout`] and [`pager`] produce lines of [styled text](style), which [`full_screen_mode`] and
//! [`line_mode`] display. The [start menu](start_menu) chooses a game before the board is shown.

pub mod autosave;
pub mod board_view;
pub mod command;
mod commands;
mod earlier_positions;
pub mod error;
mod events;
pub mod files;
pub mod full_screen_mode;
pub mod game;
pub mod human_colors;
pub mod keys;
pub mod layout;
pub mod line_mode;
pub mod output;
pub mod pager;
mod review;
pub mod start_menu;
pub mod style;
