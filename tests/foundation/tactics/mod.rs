//! Reading against independent truth.
//!
//! - `exhaustive`: the question of a reading answered by trying everything, on the rules of `rules::naive`
//! - `agreement`: random positions, read both ways
//! - `drawn`: captures, nets, snapbacks, throw-ins, ladders and kos drawn by hand
//! - `life`: shapes that every book has
//! - `walls`: the stones around a group, which may be taken
//! - `connections`: joints, hanes at the edge and cuts
//! - `eyes`: how many eyes enclosed spaces have
//! - `bad_input`: no stone, no budget

mod agreement;
mod bad_input;
mod connections;
mod drawn;
mod exhaustive;
mod eyes;
mod life;
mod walls;
