//! The rules of Go: boards, positions and what may be played. No input or output, no threads.

pub mod alive;
pub mod axes;
pub mod board;
pub mod color;
pub mod dame;
pub mod diagram;
pub mod handicap;
pub mod hasher;
pub mod point;
pub mod pointset;
pub mod position;
pub mod record;
pub mod result;
pub mod rules;
pub mod score;
pub mod symmetry;
mod zobrist;
