//! Input encodings, network files, inference and evaluators.

mod encode;
mod eval;
mod net;
mod net_broken;
mod nets;
