//! Layers in pairs of 16-bit integers: what the precision `fast` is made of.
//!
//! A vector instruction that multiplies pairs of 16-bit integers and adds both products to a 32-bit sum does twice the
//! work of one for 32-bit floats, on half the bytes (`dot`, `product`). The sums cannot overflow, whatever the input:
//! inputs saturate, and weights are scaled so that their sizes add up to what 32 bits hold (`panels`). All else, the
//! transforms of Winograd's scheme, biases, activations and sums of blocks, stays in 32-bit floats (`winograd`). Maps of
//! rows find the scale of each row when they run (`rows`, `gated`); attention rounds both factors of its products then
//! (`matrix`, `attention`).
//!
//! ARM's vectors have no such instruction that gains over 32-bit floats; there the precision is that of floats.

pub mod attention;
pub mod dot;
pub mod gated;
mod matrix;
pub mod multiplier;
pub mod panels;
pub mod product;
mod rounding;
pub mod rows;
pub mod winograd;
