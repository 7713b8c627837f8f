//! Tactical searches that do not use a neural network.
//!
//! - [`ladder`] and [`eye`]: cheap tests for playouts and network inputs
//! - [`reading`]: capture and connection of chains, exact up to a given number of plies
//! - [`life`]: life and death of a group, by proof search
//! - [`solver`]: exact score of small boards
//! - `bitboard`, `board_stack`, `killers`, `transposition_table`: shared building blocks
//!
//! # Terms
//!
//! - **Goal**: the result that a search tries to reach for one side. In [`reading`], the goal is to capture a chain or
//!   to connect two chains. In [`life`], a `LifeGoal` is to live or to kill; a `ProofGoal` also specifies the side that
//!   wins the kos and whether a seki counts as life.
//! - **Maker**, **breaker**: in [`reading`], the side that tries to reach the goal, and the side that tries to prevent
//!   this.
//! - **Defender**, **attacker**: the owner of the group or chain in question, and the owner's opponent.
//! - **Prover**: the side for which a search in [`life`] tries to prove a goal, or a search in [`solver`] a lower bound
//!   on the score. The other side is the prover's opponent.
//! - **Ko immunity**: permission for one side to retake every ko immediately, as if it always had a ko threat.
//! - **Zone**: the points on which a reading result depends. Moves outside the zone cannot change the result.
//! - **Region**: the part of the board that [`life`] searches. Everything outside it is assumed to be settled.
//! - **Pass-alive**: stones that, by Benson's theorem, cannot be captured even if their owner always passes. **Safe**
//!   stones are pass-alive or assumed to be uncapturable.
//! - **Proof number**, **disproof number** of a position: estimates of the number of positions that must still be
//!   proved to prove it, and of the number that must still be disproved to disprove it.
//! - **Phi**, **delta** of a child: the proof number and the disproof number if the prover is to move in the parent;
//!   the disproof number and the proof number if the prover's opponent is to move there. The side to move prefers the
//!   child with the lowest phi.
//! - **Threshold**: the proof or disproof number at which df-pn stops searching a position and returns to its parent.
//! - **Generation**: a counter that identifies the search or query that stored a table entry. Entries with an older
//!   generation are replaced first.
//! - **Priority** of a table entry: an estimate of the cost of computing it again. Entries with a low priority are
//!   replaced first.

mod bitboard;
mod board_stack;
pub mod eye;
pub(crate) mod killers;
pub mod ladder;
pub mod life;
pub mod reading;
pub mod solver;
pub(crate) mod transposition_table;

pub use transposition_table::TableError;
