//! Input encodings, network files, inference and evaluators.

#[path = "../support/candle_backend.rs"]
mod candle_backend;
mod encode;
mod eval;
// Only partly used here.
#[allow(dead_code)]
#[path = "../support/naive/mod.rs"]
mod naive;
mod net;
mod net_broken;
mod nets;
mod stored;
