//! Neural networks: reading network files and evaluating encoded positions.
//!
//! [`desc::NetDesc`] describes the layers of a network and holds their weights. It is read from this engine's files
//! ([`own`]), KataGo's ([`katago`]) or Leela Zero's ([`leela_zero`]); [`recognise::read`] detects the format and calls
//! the right reader. [`model::Network`] is built from the description and runs it with one of two executors, both of
//! which take a [`model::NetInput`]:
//!
//! - the compiled CPU plan with packed weights ([`kernels`]);
//! - the reference used to test the plan (`modules`), written with candle operations and split into feature extractor,
//!   value head and policy head.
//!
//! [`readout`] decodes the raw head outputs into probabilities, points and expected errors.
//!
//! This module only handles numbers: the encoder defines the meaning of the input planes, and the evaluator turns
//! logits into priors and values for the search. No mask is needed, because all boards in a call have the same size and
//! the activations cover exactly the points of the board.
//!
//! The formulas of this engine's networks match the trainer (`honinbo_net.py` and `norm.py` in `scripts/learning`).

mod answer;
<<<<<<< ours
pub mod cpu;
=======
pub mod candle;
>>>>>>> theirs
pub mod desc;
pub mod error;
mod input;
pub mod katago;
pub mod leela_zero;
pub mod model;
mod modules;
pub mod own;
pub mod precision;
mod program;
pub mod readout;
pub mod recognise;
pub mod stream;
