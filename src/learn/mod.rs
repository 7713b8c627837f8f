//! Training data: self-play, recorded games, teacher labels, and their conversion to batches for the trainer.
//!
//! [`selfplay`] plays games. [`game_files`] reads self-play games, SGF collections and [archives](game_archive) of
//! recorded games. [`sample`] converts positions to training samples, and [`batch_writer`] streams these samples to the
//! trainer. [`labels`] stores the predictions of a teacher, a strong network, for many positions. [`accuracy`] measures
//! how accurately an evaluator predicts recorded games.

pub mod accuracy;
pub mod batch_writer;
pub mod final_ownership;
pub mod game;
pub mod game_archive;
pub mod game_files;
pub mod labels;
pub mod replay_window;
pub mod sample;
pub mod search_target;
pub mod selfplay;
pub mod targets;
mod xz;
