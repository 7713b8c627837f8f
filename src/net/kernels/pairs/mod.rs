//! 16-bit integer kernels, used by the precision `fast`.
//!
//! A SIMD instruction that multiplies pairs of 16-bit integers and adds both products to a 32-bit sum performs twice
//! the multiply-adds of a 32-bit float instruction and reads half the bytes (`dot`, `product`). The sums cannot
//! overflow for any input: inputs saturate, and the weights are scaled so that the sum of their magnitudes is bounded
//! (`panels`).
//! The Winograd transforms (`winograd`), biases, activations and residual sums are computed in 32-bit floats. Linear
//! layers determine the scale of each input row at run time (`rows`, `gated`). Attention quantizes both factors of its
//! matrix products at run time (`matrix`, `attention`).
//!
//! ARM has no such instruction that is faster than 32-bit float arithmetic, so `fast` uses 32-bit floats there.
//!
//! Vocabulary:
//! - pair: two 16-bit integers in one `u32`, the first in the low half;
//! - unit: real value represented by the integer 1, that is, the reciprocal of the quantization scale;
//! - panel: packed weights of 1 to [`panels::VECTORS`] vectors of output columns;
//! - sheet: one of several equally sized matrices that are packed together;
//! - map: linear layer that is applied to each row of its input; a row is a point of a board, or a whole board;
//! - place: row index in a buffer of boards, counting the border points;
//! - room: workspace that is reused between runs.

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
