//! Kernel for bfloat16 on AMX, the matrix unit of some x86-64 server processors.
//!
//! AMX multiplies a 16x32 matrix by a 32x16 matrix in a single instruction, with fifteen times the throughput of 32-bit
//! float vectors on the same core. Winograd convolution is not used, because its transforms would take longer than a
//! complete direct convolution.
//!
//! - Both operands of a matrix product are rounded to bfloat16. The sums and the trunk stay in 32-bit floats.
//! - The rows of a tile of inputs are 16 consecutive cells of a board, including the border. Rows therefore need not be
//!   gathered; the results for border cells are discarded.
//! - [`block`] defines the sizes, inputs and sums of a tile multiplication. [`matrix_unit`] executes it, on AMX or in
//!   portable Rust. [`kernel`] divides the matrix products of layers and attention into such multiplications.
//!
//! Terms:
//! - tile: content of an AMX register, 16 rows of 64 bytes (32 bfloat16 inputs or 16 float sums);
//! - block: the sums of two tiles of rows by one or two tiles of columns, which are computed together;
//! - tap: one of the points under the kernel of a convolution;
//! - step: part of a matrix product over 32 inputs of a tap, executed by a single instruction per tile of sums;
//! - column, or tile of columns: 16 outputs.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
pub mod block;
pub mod kernel;
pub mod matrix_unit;
