//! Goals of proof searches.

use crate::random::splitmix64;

/// Side that may retake a ko immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KoImmunity {
    /// The opponent of the prover. The prover loses every ko.
    Opponent,
    /// Neither side. After the prover has captured a ko, its opponent needs the first threat.
    Neither,
    /// The prover. It wins every ko.
    Prover,
}

/// Assumptions about the surroundings of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumptions {
    /// The surroundings favour the opponent of the prover. Only these proofs count.
    Unfavourable,
    /// Like `Unfavourable`, but walls that are safe according to a static test cannot be captured. Such a proof that the
    /// group dies guides the search with `Unfavourable`. Only disproofs count.
    SafeWalls,
    /// The surroundings favour the prover. Only these disproofs count.
    Favourable,
    /// The surroundings favour the attacker, and neither side plays far from the group. Such a search guides other
    /// searches but decides nothing.
    Narrow,
}

/// Goal of a proof search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofGoal {
    /// True to prove that the group lives, false to prove that it dies.
    pub lives: bool,
    /// Side with ko immunity.
    pub ko_immunity: KoImmunity,
    /// True if a group without two eyes counts as alive when neither side can attack (seki).
    pub seki_lives: bool,
    /// True if the prover may also play far from the defender's stones. If it may not, proofs are still valid, but
    /// disproofs are not.
    pub allow_distant_moves: bool,
    pub assumptions: Assumptions,
}

impl ProofGoal {
    /// Returns a number that is mixed into table keys, so that the entries of different goals are separate.
    pub const fn salt(self) -> u64 {
        let bits = self.lives as u64
            | (self.seki_lives as u64) << 1
            | (self.allow_distant_moves as u64) << 2
            | (self.ko_immunity as u64) << 3
            | (self.assumptions as u64) << 5;
        splitmix64(bits)
    }
}
