//! Exact reading of local fights, without a network.

pub mod ladder;
