//! Neural networks: reading network files and evaluating encoded positions.
//!
//! [`spec::NetSpec`] describes the layers of a network and holds their weights. [`formats`] reads such descriptions
//! from files of this engine, KataGo or Leela Zero. [`model::Network`] is built from a description and evaluates
//! positions with three candle modules ([`candle`]): features, policy head and value head. On the CPU, the modules run
//! this engine's fused kernels ([`cpu`]). For this purpose, the description is lowered to a list of operations
//! (`program`), and the weights are packed for the kernels. On other devices, the modules consist of candle's own
//! operations. If the feature `cpu-kernels` is disabled, the modules consist of these operations on the CPU, too.
//!
//! [`readout`] decodes the raw head outputs into probabilities, scores in points, and expected errors.
//!
//! This module only handles numbers: the encoder defines the meaning of the input planes, and the evaluator turns
//! logits into priors and values for the search. All boards of a batch have the same size, and the activations cover
//! exactly the points of the boards. Layers therefore need no mask for points outside the board.
//!
//! The formulas of this engine's networks match the trainer (`honinbo_net.py` and `norm.py` in `scripts/learning`).

pub mod calibration;
pub mod candle;
#[cfg_attr(not(feature = "cpu-kernels"), path = "no_cpu.rs")]
pub mod cpu;
mod dtype;
mod encoded_batch;
pub mod error;
pub mod folded;
pub mod formats;
pub mod model;
pub mod part;
pub mod precision;
#[cfg(feature = "cpu-kernels")]
mod program;
pub mod readout;
pub mod spec;
