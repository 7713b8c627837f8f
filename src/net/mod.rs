//! Neural networks: reading network files and evaluating encoded positions.
//!
//! [`spec::NetDesc`] describes the layers of a network and holds their weights. [`formats`] reads such descriptions
//! from files of this program, KataGo or Leela Zero. [`model::Network`] is built from a description and evaluates
//! positions with three candle modules ([`candle`]): features, policy head and value head. On the CPU, the modules run
//! this engine's fused kernels ([`cpu`]), whose weights are packed from a lowered form of the network (`program`). On
//! other devices, the modules consist of candle's own operations. The feature `cpu-kernels` can be disabled; the CPU
//! then also uses candle's operations.
//!
//! [`readout`] decodes the raw head outputs into probabilities, points and expected errors.
//!
//! This module only handles numbers: the encoder defines the meaning of the input planes, and the evaluator turns
//! logits into priors and values for the search. All boards in a call have the same size, and the activations cover
//! exactly the points of the board. Layers therefore need no mask for points outside it.
//!
//! The formulas of this engine's networks match the trainer (`honinbo_net.py` and `norm.py` in `scripts/learning`).

mod answer;
pub mod candle;
#[cfg_attr(not(feature = "cpu-kernels"), path = "no_cpu.rs")]
pub mod cpu;
pub mod error;
pub mod formats;
mod input;
pub mod model;
pub mod part;
pub mod precision;
#[cfg(feature = "cpu-kernels")]
mod program;
pub mod readout;
pub mod spec;
