//! Claims to be proved.

use crate::random::splitmix64;

/// Who may take back in a ko at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KoImmunity {
    /// The other side only: the prover loses every ko.
    Opponent,
    /// Nobody: the other side needs the first threat in a ko that the prover has taken.
    Neither,
    /// The prover only: it wins every ko.
    Prover,
}

/// What is to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProofGoal {
    /// That the group lives; else that it dies.
    pub lives: bool,
    /// Who wins the kos.
    pub ko_immunity: KoImmunity,
    /// Whether a group that neither side can attack lives without eyes.
    pub seki_lives: bool,
    /// Whether moves of the prover far from the group's side count; what is proved without them is proved, what is
    /// disproved is not.
    pub allow_distant: bool,
    /// Whether it is about the narrow piece: no proof, but a guide to one.
    pub is_narrow: bool,
}

impl ProofGoal {
    /// What tells its entries in the table from those of other claims.
    pub const fn salt(self) -> u64 {
        let bits = self.lives as u64
            | (self.seki_lives as u64) << 1
            | (self.allow_distant as u64) << 2
            | (self.ko_immunity as u64) << 3
            | (self.is_narrow as u64) << 5;
        splitmix64(bits)
    }
}
