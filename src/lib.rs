//! Honinbo, a Go engine.

pub mod bench;
pub mod clock;
pub mod contest;
pub mod encode;
pub mod engine;
pub mod eval;
pub mod game;
pub mod gtp;
pub mod learn;
pub mod net;
pub mod rng;
pub mod search;
pub mod sgf;
pub mod tactics;
