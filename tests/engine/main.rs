//! Tests of the search and the engine.

mod accuracy;
mod bench_signature;
mod endings;
mod engine;
#[path = "../support/evaluator_fn.rs"]
mod evaluator_fn;
mod life_guess;
#[path = "../support/naive/mod.rs"]
#[allow(dead_code, reason = "only the boards are needed")]
mod naive;
mod search;
mod shapes;
