//! Exact and cheap reading of local positions, without a network.

pub mod eyes;
pub mod killers;
pub mod ladder;
mod line;
pub mod patch;
pub mod reading;
pub mod solver;
pub mod table;
