//! Everything users and other programs talk to.

#[path = "../support/evaluator_fn.rs"]
mod evaluator_fn;
mod gtp;
mod help;
mod json_analysis;
mod labels;
mod match_play;
mod networks;
// Only partly used here.
#[allow(dead_code)]
#[path = "../support/naive/mod.rs"]
mod naive;
mod pipes;
mod positions;
mod program;
mod review;
mod samples;
mod selfplay;
mod service;
mod solve;
mod terminal;
