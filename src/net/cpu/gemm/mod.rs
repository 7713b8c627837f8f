//! Matrix products of rows and packed weights, the most expensive loops of every network.
//!
//! All products are computed by a [`Kernel`](kernel::Kernel): one number format on one instruction set. It multiplies
//! rows by panels of packed weights, and passes the sums to a [`Sink`](kernel::Sink), which stores them, usually through
//! the epilogue of a layer ([`epilogue`]). Kernels for vectors use the loops of [`blocks`]; the kernel for bfloat16
//! ([`bf16`](super::bf16)) multiplies the tiles of a matrix unit.
//!
//! Terms:
//! - element: 32 bits of a row or a column: a float, or a pair of 16-bit numbers, which belong to two channels;
//! - vector of columns: consecutive columns, one per lane of a SIMD vector;
//! - panel: weights for the columns of a block, packed in the order in which the loop reads them ([`packing`]);
//! - tap: one of the segments of equal length that make up a row, at a fixed offset from the start of the row. In a
//!   convolution, each tap contains the channels of a point under the kernel;
//! - unit of a quantised row or column: number that the integer 1 represents.

pub mod blocks;
pub mod epilogue;
pub mod f32;
pub mod i16;
#[cfg(target_arch = "x86_64")]
pub mod i16_x86;
pub mod kernel;
pub mod packing;
#[cfg(test)]
mod tests;
