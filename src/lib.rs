//! Honinbo, a Go engine.

pub mod game;
pub mod rng;
pub mod sgf;
pub mod tactics;
