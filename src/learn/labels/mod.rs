//! Labels: what a strong network, the teacher, predicts for many positions, stored for training.
//!
//! [`label`] is the prediction for one position and [`game`] a game with labels of some of its positions. A
//! [`store`] keeps them in [`shard`] files. [`source`] draws the positions, [`labeller`] has the teacher evaluate them,
//! and [`import`] reads labels from elsewhere. The teacher may run in another process ([`teacher_process`]).

pub mod game;
pub mod import;
pub mod label;
pub mod labeller;
mod le_bytes;
pub mod position_source;
mod shard;
pub mod store;
pub mod teacher_process;

pub use shard::ShardError;
