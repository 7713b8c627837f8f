//! Exact and cheap reading of local positions, without a network.

pub mod eyes;
pub mod killers;
pub mod ladder;
pub mod life;
mod line;
pub mod patch;
pub mod reading;
pub mod solver;
pub mod table;
