//! Evaluating positions: what a search asks, and everything that can answer.

pub mod playout;
