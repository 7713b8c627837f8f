//! Game review: evaluates every position of a game, and finds mistakes and better alternatives.
//!
//! [`main_line`] extracts the moves of a game file with their nodes, [`analysis`] searches every position, [`grading`]
//! compares the positions before and after each move, and [`statistics`] summarises the moves. The resulting [`Review`]
//! can be written into the game tree ([`annotate`]), drawn as a chart ([`chart`]), or output as text ([`text_report`]) or
//! JSON ([`json`]).

pub mod analysis;
pub mod annotate;
pub mod background_review;
pub mod chart;
mod difficulty;
mod formatting;
mod game_review;
pub mod grading;
pub mod json;
pub mod main_line;
mod markers;
pub mod phase;
#[cfg(feature = "png")]
pub mod png;
pub mod statistics;
pub mod text_report;

pub use game_review::Review;
