//! Tests of the search and the engine.

mod accuracy;
mod bench_signature;
mod endings;
mod engine;
#[path = "../support/evaluator_fn.rs"]
mod evaluator_fn;
mod search;
