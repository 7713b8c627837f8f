//! The game of Go: boards, positions, rules, records and scoring. No input or output, no threads.
//!
//! - [`point`], [`pointset`], [`symmetry`] and [`color`] are the basic types.
//! - [`board`] stores stones and chains; [`position`] adds the side to move, rules, ko and history; [`record`] is a
//!   whole game with undo.
//! - [`rules`] lists rule sets; [`score`] counts finished games with the help of [`dame`] and [`benson`].
//! - [`handicap`] places handicap stones; [`result`] parses results; [`diagram`] reads and draws boards
//!   as text.

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
pub mod score;
pub mod symmetry;
mod zobrist;
