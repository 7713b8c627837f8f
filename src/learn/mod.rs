//! Training data: self-play, reading of recorded games, teacher labels, and conversion to batches for the trainer.
//!
//! [`selfplay`] plays games and [`game_files`] reads them back, together with [archives](archive) of recorded games.
//! [`sample`] turns positions of games into training samples, and [`batch_writer`] streams these to the trainer.
//! [`labels`] stores the predictions of a teacher for many positions. [`accuracy`] and [`agreement`] measure
//! evaluators.

pub mod accuracy;
pub mod agreement;
pub mod archive;
pub mod batch_writer;
mod draw;
pub mod final_ownership;
pub mod game;
pub mod game_files;
pub mod labels;
pub mod replay_window;
pub mod sample;
pub mod search_target;
pub mod selfplay;
pub mod targets;
