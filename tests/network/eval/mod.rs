//! Evaluators and their wrappers: valid priors, equal results through all wrappers, and errors without deadlocks.

#[cfg(feature = "cpu-kernels")]
mod background;
mod batcher;
mod cache;
mod device;
mod network;
mod orient;
#[cfg(feature = "cpu-kernels")]
mod precision;
mod rollout;
mod simple;
mod stack;
pub mod support;
