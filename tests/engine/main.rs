//! Tests of the search and the engine.

mod accuracy;
mod bench_signature;
mod endings;
mod engine;
mod search;
