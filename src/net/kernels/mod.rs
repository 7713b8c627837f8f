//! The packed plan: how a network runs on a CPU.
//!
//! A description ([`super::desc`]) is compiled once into packed weights and a list of steps (`compile`); a run works the
//! steps off from scratch that is kept between runs (`plan`), so that nothing is allocated but the answer. It agrees
//! with the reference (`net::modules`) but for rounding, and runs on the calling thread alone.
//!
//! - Activations lie channels last, the channels filled up with zeros to whole vectors, on boards with a border of zeros
//!   (`boards`): a convolution's neighbours are at fixed distances and need no test for the edge.
//! - 3x3 and 5x5 convolutions multiply in Winograd's transformed space where that pays (`winograd`); all others, the maps
//!   of rows and the attention's products are the same product of rows and packed panels (`product`).
//! - Norms are folded into the maps before them, or written beside a sum that both a block and the next norm want
//!   (`finish`).
//! - Every loop over numbers is written once, generic over the vector type, and compiled for each vocabulary
//!   (`vocabulary`). A position's numbers do not depend on what else is in its batch: every sum runs in one order.

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
