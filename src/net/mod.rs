//! The neural network: from encoded positions to a policy, a value, a score and ownership.
//!
//! One description, many sources, executors apart. [`desc::NetDesc`] says what layers a net has and holds their
//! weights. It is filled from this engine's own files ([`own`]), KataGo's ([`katago`]) and Leela Zero's
//! ([`leela_zero`]); [`recognise::read`] opens any of them. [`model::Network`] runs it by one of two executors, which
//! start from the same description and answer the same [`model::NetInput`]: the packed plan for CPUs ([`kernels`]), and
//! the reference that it is tested against, written with candle's operations as three separate parts, the feature
//! extractor, the value head and the policy head (`modules`). [`readout`] turns the heads' numbers into chances, points
//! and errors.
//!
//! The room knows numbers only: which plane means what is the encoder's business, and what a logit is worth to a search
//! the evaluator's. There is no mask: all boards of a call have the same size, and activations cover just their points.
//! The formulas of own nets are those of the trainer in `scripts/learning/honinbo_net.py` and `norm.py` beside it.

mod answer;
pub mod desc;
pub mod error;
mod input;
pub mod katago;
pub mod kernels;
pub mod leela_zero;
pub mod model;
mod modules;
pub mod own;
pub mod precision;
pub mod readout;
pub mod recognise;
pub mod stream;
