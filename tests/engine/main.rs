//! Searches and the player built on them.

mod accuracy;
mod bench_signature;
mod endings;
mod engine;
mod search;
