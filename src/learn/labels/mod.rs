//! Labels: stored predictions of a strong network, the *teacher*, used for training.
//!
//! A [`label`] is the prediction for one position, and a [labelled game](labelled_game) contains labels for some of its
//! positions. A [`store`] is a folder of files, called shards, each with many games. [`position_sampling`] chooses
//! positions, [`labeller`] labels these positions with the teacher, and [`import`] reads labels in another format. The
//! teacher can run in a separate process ([`teacher_process`]).

pub mod import;
pub mod label;
pub mod labelled_game;
pub mod labeller;
mod little_endian;
pub mod position_sampling;
mod shard;
pub mod store;
pub mod teacher_process;

pub use shard::ShardError;
