//! Tests of the rules of Go against independent implementations and published results.
//!
//! - `naive`: a second implementation of the rules without any code of the engine
//! - `bridge`: conversions from the naive board to the engine's types
//! - `games`: random games on all board sizes, compared with `naive` after every move
//! - `counts`: numbers of legal positions on small boards
//! - `diagrams`: hand-made positions: ko, superko, snapback, suicide, seki, pass-alive groups
//! - `ladders`: the ladder reader compared with exhaustive recursion, and hand-made ladders

pub mod bridge;
mod counts;
mod diagrams;
mod games;
mod ladders;
pub mod naive;
