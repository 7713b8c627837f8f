//! Life and death: proves whether a group in a region of the board lives.
//!
//! The side to move has a goal: to live with its group, or to kill the opponent's group. The *defender* is the owner of
//! the group, and the *attacker* is the defender's opponent. In every position, `own` holds the defender's stones,
//! regardless of the side to move.
//!
//! A problem is solved by a sequence of proof searches (`life_search`). They try to prove that the side to move
//! succeeds under different assumptions: if it wins all kos, if it loses all kos, or if neither side may retake a ko
//! without a threat. A failure is proved by a search for the opponent's goal, so every reported outcome is proved.
//! Without a proof, the outcome is [`LifeOutcome::Unknown`]. In each proof, the surroundings favour the opponent of
//! the prover (see `region`). Proofs that the group dies include the defender's attacks on the walls around it: capture
//! reading on the whole board (`wall_reader`) finds the walls in danger (see `dfpn::status`). Finally, `outside_check`
//! reads whether the stones on which a proof relies can be captured.
//!
//! Long searches also cover some surroundings of the region that the problem names, because the group may not get far
//! there. They begin with a narrow region, in which most problems are decided sooner but not always correctly. The
//! results in the narrow region only guide the proofs, and suggest a move if no proof is found.
//!
//! From bottom to top, the files are:
//!
//! - `set`, `problem`, `proof_goal`, `proof_numbers`: types
//! - `small_eye_space`, `dead_area`, `surroundings`, `region`, `region::walls`: the region, and the static tests for life
//!   and death
//! - `wall_reader`: capture reading of the attacker's walls
//! - `node`, `eye_distance`, `guiding_searches`, `dfpn`, `dfpn::simulation`, `dfpn::status`: the proof-number search
//! - `solution_tree`, `life_search`: the sequence of proofs, and the tree of replies
//! - `outside_check`, `solve`, [`eye_space`]: entry points
//!
//! The `region` module documents the assumptions about the surroundings. Superko is ignored; only the basic ko rule
//! applies.

mod dead_area;
mod dfpn;
mod eye_distance;
pub mod eye_space;
mod guiding_searches;
mod life_search;
mod node;
mod outside_check;
mod problem;
mod proof_goal;
mod proof_numbers;
mod region;
mod set;
mod small_eye_space;
mod solution_tree;
mod solve;
mod surroundings;
mod wall_reader;

pub use problem::{
    Branch, LifeArea, LifeError, LifeGoal, LifeLimits, LifeOutcome, LifeProblem, Solution,
    default_region,
};
pub use small_eye_space::{SmallSpaceStatus, is_captured_inside, small_space_status};
pub use solve::solve_chain;

#[cfg(test)]
mod tests;
