//! Life and death: whether a group in a region of the board lives, by proof.
//!
//! The side to move has a goal, to live with the group or to kill it. Proofs are sought one after the other: that it
//! reaches the goal if it wins every ko, that it does although the other side wins them, and that it does if neither may
//! take back without a threat. A goal that is out of reach even with the kos won is proved to be by the other side's own
//! proof, so that everything told is proved; the rest is [`LifeOutcome::UnknownCommand`].
//!
//! In a long search a look at a narrower piece of the board comes first, where most is decided sooner, though not always
//! rightly: it proves nothing, but guides the proofs, and gives the best try where nothing is proved.
//!
//! What is taken for granted of the surroundings is written down in `region`; superko beyond simple kos is not told
//! apart.

mod dead_area;
mod dfpn;
mod eye_distance;
pub mod eye_space;
mod guidance;
mod nakade;
mod node;
mod outside_check;
mod problem;
mod proof_goal;
mod proof_numbers;
mod region;
mod set;
mod solution_tree;
mod solve;
mod strategy;
pub mod whole_board;

pub use problem::{
    Branch, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution, surroundings,
};

#[cfg(test)]
mod tests;
