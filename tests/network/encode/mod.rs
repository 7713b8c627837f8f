//! The planes and the global vector.
//!
//! - `drawn`: positions drawn by hand, plane by plane
//! - `recomputed`: random games against a naive recomputation and through the eight symmetries
//! - `katago`: the inputs of KataGo's networks
//! - `leela_zero`: the inputs of Leela Zero's

mod drawn;
mod katago;
mod leela_zero;
mod recomputed;

use honinbo::encode::{Encoder, Encoding};
use honinbo::game::position::Position;
use honinbo::game::symmetry::Symmetry;

/// All planes and globals of a position.
fn encode(position: &Position, symmetry: Symmetry) -> (Vec<f32>, Vec<f32>) {
    let encoding = Encoding::FULL;
    let mut planes = vec![9.0; encoding.planes() * position.size().area()];
    let mut globals = vec![9.0; encoding.globals()];
    Encoder::new().encode(encoding, position, symmetry, &mut planes, &mut globals);
    (planes, globals)
}
