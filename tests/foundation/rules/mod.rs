//! The rules of Go against independent truth.
//!
//! - `naive`: the rules a second time, without any of the engine's code
//! - `bridge`: from the one to the other
//! - `games`: random games on every size, compared with `naive` after every move
//! - `counts`: the numbers of legal positions on small boards
//! - `drawn`: situations drawn by hand: ko, superko, snapback, suicide, seki, pass-alive groups
//! - `ladders`: the ladder reader against exhaustive recursion, and famous ladders

pub mod bridge;
mod counts;
mod drawn;
mod games;
mod ladders;
pub mod naive;
