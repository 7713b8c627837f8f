//! A game looked at move by move: what each was worth, what would have been better, and how the game went.
//!
//! [`main_line`] finds the moves of the file's main line and their nodes, [`judge`] searches every position, and [`verdict`]
//! compares the positions before and after each move. What it finds is written into the game's tree by [`annotate`],
//! drawn by [`chart`], listed by [`table`] and told to programs by [`json`].

pub mod analysis;
pub mod annotate;
pub mod chart;
mod game_review;
pub mod grading;
pub mod json;
pub mod main_line;
#[cfg(feature = "png")]
pub mod png;
pub mod table;
mod text_format;

pub use game_review::Review;
