//! Tests of the input encodings.
//!
//! - `diagrams`: hand-made positions
//! - `recomputed`: random games, compared with a naive computation and under the eight symmetries
//! - `katago`: inputs of KataGo networks
//! - `leela_zero`: inputs of Leela Zero networks

mod diagrams;
mod katago;
mod leela_zero;
mod recomputed;

use honinbo::encode::{Encoder, Encoding};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;

/// Returns all planes and globals of a position.
fn encode(position: &Position, symmetry: Symmetry) -> (Vec<f32>, Vec<f32>) {
    let encoding = Encoding::FULL;
    let mut planes = vec![9.0; encoding.planes() * position.size().area()];
    let mut globals = vec![9.0; encoding.globals()];
    Encoder::default().encode(encoding, position, symmetry, &mut planes, &mut globals);
    (planes, globals)
}
