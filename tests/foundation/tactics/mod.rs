//! Tactical reading compared with independent implementations and known results.
//!
//! - `exhaustive`: exhaustive search for reading goals on the naive board
//! - `agreement`: reading of random positions compared with `exhaustive`
//! - `captures`: captures on given boards, nets, snapbacks, throw-ins, ladders and kos
//! - `life`: textbook shapes
//! - `life_oracle`: exhaustive search for the capture of a group
//! - `proofs`: claims about random problems compared with `life_oracle`
//! - `walls`: surrounding stones that may be captured
//! - `connections`: joints, hanes at the edge and cuts
//! - `eyes`: number of eyes in enclosed spaces
//! - `bad_input`: empty points and exhausted budgets

mod agreement;
mod bad_input;
mod captures;
mod connections;
mod exhaustive;
mod eyes;
mod life;
mod life_oracle;
mod proofs;
mod walls;
