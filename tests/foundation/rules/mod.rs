//! Tests of the rules of Go against independent implementations and published results.
//!
//! - `games`: random games on all board sizes, compared with the naive implementation after every move
//! - `counts`: numbers of legal positions on small boards
//! - `diagrams`: hand-made positions: ko, superko, snapback, suicide, seki, pass-alive groups
//! - `repetition`: random games on small boards with cycles, compared with the naive implementation
//! - `scores`: territory, seki and group tax, compared with a naive count
//! - `ladders`: the ladder reader compared with exhaustive recursion, and hand-made ladders

mod counts;
mod diagrams;
mod games;
mod ladders;
mod repetition;
mod scores;
