//! CPU implementation of network evaluation.
//!
//! A description ([`super::desc`]) is compiled once into packed weights and a list of steps (`compile`). A run
//! executes the steps in reusable scratch memory (`plan`, `scratch`), so that only the output is allocated. The
//! results agree with the reference (`net::modules`) up to rounding. A run uses only the calling thread.
//!
//! - Activations are stored with the channels last, zero-padded to whole vectors, on boards with a border of zeros
//!   (`boards`). The neighbours of a point therefore lie at fixed distances, and convolutions need no test for the
//!   edge.
//! - 3x3 and 5x5 convolutions use Winograd's algorithm if it is faster (`winograd`). All other convolutions, linear
//!   layers and attention products use one matrix product of rows and packed panels (`product`).
//! - Norms are folded into the preceding layer. If both a block and the next norm need a sum, the layer stores it
//!   twice, plain and normalised (`finish`).
//! - Every numeric loop is written once, generic over the vector type, and compiled for each instruction set
//!   (`vocabulary`). The result for a position does not depend on the other positions of its batch: every sum has a
//!   fixed order.
//!
//! Terms used in this module:
//!
//! - Vocabulary: the instruction set chosen at run time.
//! - Pairs: the 16-bit integer kernels. Tiles: the bfloat16 kernels (AMX); halves are bfloat16 numbers. A tile in
//!   `winograd` and `tiling` is a square of board points instead.
//! - Place: index of a cell in the padded memory layout of a batch of boards. Point: a cell on a board, without the
//!   border.
//! - Map: a linear layer applied to each row of a matrix (a 1x1 convolution if the rows are points).
//! - Finish: the epilogue of a layer. Room: workspace. Turns: tables of rotary position embeddings.

mod activations;
mod aligned;
mod attention;
mod boards;
mod buffers;
mod compile;
mod conv;
mod finish;
mod pairs;
mod peak;
mod plan;
mod pointwise;
mod pooling;
mod prefetch;
mod product;
pub mod ranges;
mod scratch;
mod steps;
mod strided;
mod tiles;
mod tiling;
pub mod vocabulary;
mod winograd;

pub(super) use compile::Numbers;
pub(super) use plan::Plan;
