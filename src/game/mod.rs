//! The rules of Go: boards, positions and what may be played. No input or output, no threads.

pub mod benson;
pub mod board;
pub mod color;
pub mod dame;
pub mod diagram;
pub mod handicap;
pub mod point;
pub mod pointset;
pub mod position;
pub mod record;
pub mod result;
pub mod rules;
pub mod rules_text;
pub mod score;
pub mod symmetry;
mod zobrist;
