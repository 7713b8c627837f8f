//! CPU implementation of network evaluation.
//!
//! A program (`program`) is packed into a list of steps for an instruction set and a number format (`pack`). An
//! `executor` runs the steps in reusable memory (`workspace`). A run uses only the calling thread. The terms of every
//! sum are added in a fixed order, so the result for a position does not depend on the other positions in its batch.
//!
//! - Activations are stored with the channels last. The channels are padded with zeros to whole vectors, and the boards
//!   have a border of zeros (`layout`).
//! - All matrix multiplications have the same interface, with a kernel for each number format and instruction set
//!   (`gemm`). The kernel for bfloat16 multiplies the tiles of AMX (`bf16`). 3x3 and 5x5 convolutions use Winograd's
//!   algorithm where it is faster (`winograd`).
//! - Every numeric loop is written once, generic over the vector type, and compiled for each instruction set ([`isa`]).

mod activations;
mod aligned;
mod attention;
mod bf16;
mod direct_layers;
pub(super) mod executor;
mod frequency_maxima;
mod gemm;
pub mod isa;
mod layout;
mod pack;
mod peak_rate;
mod pointwise;
mod pooling;
mod rotary;
mod strided_view;
mod vectors;
mod winograd;
pub(super) mod workspace;
