//! What evaluators promise: priors of legal moves that sum to 1, the same answer through every wrapper, errors instead
//! of hangs.

mod batcher;
mod cache;
mod network;
mod orient;
mod precision;
mod rollout;
mod simple;
mod stack;
mod support;
