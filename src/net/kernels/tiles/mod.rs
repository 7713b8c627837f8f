//! Convolutions and maps of points in tiles of 16-bit floats: the matrix unit of some x86-64 servers (AMX) multiplies
//! 16x32 numbers with 32x16 in one instruction, fifteen times as many as their vectors do in 32-bit floats. Against that
//! Winograd's scheme gains nothing: its transforms alone take longer.
//!
//! - What goes into a product is rounded to bf16, weights and activations alike; sums and the trunk stay in 32-bit
//!   floats.
//! - Sixteen consecutive places of a board, its border included, are a tile's rows: rows of tiles never need to be
//!   gathered, and what is computed for the border is thrown away.
//! - `unit` is the machine, and its twin in plain Rust; `panels` holds weights in its order; `layer` runs a layer,
//!   `attention` mixes points; `rounding` makes 16-bit floats of what others left in 32 bits.

mod activations;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
pub mod attention;
pub mod half;
pub mod layer;
pub mod panels;
pub mod rounding;
pub mod unit;
