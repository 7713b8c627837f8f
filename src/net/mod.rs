//! The neural network: from encoded positions to a policy, a value, a score lead and ownership.
//!
//! One description, executors apart. [`config::NetConfig`] says how large a net is and which tensors it has;
//! [`weights::Weights`] are those tensors, read from a net file and checked once. An executor is built from weights.
//! [`model::Network`] is the first of them, written with candle's operations as three separate parts: the feature
//! extractor (`tower`), the value head and the policy head. Faster executors can stand beside it, and be tested
//! against it, since they start from the same weights and answer the same [`model::NetInput`].
//!
//! The room knows numbers only: which plane means what is the encoder's business, and what a logit is worth to a search
//! the evaluator's. There is no mask: all boards of a call have the same size, and activations cover just their points.
//! The net file and the formulas are those of the trainer in `scripts/honinbo_net.py`.

mod block;
pub mod config;
pub mod desc;
pub mod error;
mod layer;
pub mod model;
mod policy;
mod product;
mod tower;
mod value;
pub mod weights;
