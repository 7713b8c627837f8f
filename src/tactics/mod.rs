//! Exact and cheap reading of local positions, without a network.

pub mod bitboard;
mod board_stack;
pub mod eye;
pub mod killers;
pub mod ladder;
pub mod life;
pub mod reading;
pub mod solver;
pub mod transposition_table;
