//! What earlier searches have found out guides a later one: of a position that it has not looked at yet it takes their
//! numbers for a guess.
//!
//! The search that guides may be about the narrow piece, where nobody plays far from the group (see
//! [`locale`](super::locale)). Far stones change little, so its word on the position without them counts.

use super::node::{Child, LifeNode};
use super::proof_goal::ProofGoal;
use super::proof_numbers::ProofNumbers;
use super::set::Set;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::TranspositionTable;

/// How much harder a guess takes the other outcome to be of a position that was decided.
const DECIDED_GUESS: u32 = 1_000;

/// Whose word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Guidance {
    /// What the other searches were to prove, the best first.
    pub goals: Vec<ProofGoal>,
    /// Where on the narrow piece nobody plays.
    pub excluded: Set,
}

impl Guidance {
    /// Puts the guesses of the searches that came to the position in place of what is not known of its replies, where one
    /// of them has looked at what they lead to.
    pub fn fill_unknown(
        &self,
        table: &TranspositionTable<ProofNumbers>,
        node: &LifeNode,
        children: &[Child],
        numbers: &mut [Option<ProofNumbers>],
    ) {
        let keys = [false, true].map(|passed| node.key_without(self.excluded, passed));
        let salts = self.goals.iter().map(|goal| goal.salt());
        let was_visited = |salt: &u64| keys.iter().any(|key| table.get(key ^ salt).is_some());
        for salt in salts.filter(was_visited) {
            let keys: Vec<u64> = (children.iter())
                .map(|child| self.key(child) ^ salt)
                .collect();
            for (numbers, guess) in numbers.iter_mut().zip(table.get_all(&keys)) {
                *numbers = numbers.or(guess.map(as_guess));
            }
        }
    }

    /// The key of what a reply leads to, without the far stones.
    fn key(&self, child: &Child) -> u64 {
        let is_excluded = |stone| self.excluded.intersects(Set::single(stone));
        let counts_as_pass = child.point.is_some_and(is_excluded);
        child.node.key_without(self.excluded, counts_as_pass)
    }
}

/// The numbers of another search, of which none is sure for this one.
fn as_guess(numbers: ProofNumbers) -> ProofNumbers {
    match (numbers.proof, numbers.disproof) {
        (0, _) => ProofNumbers::new(1, DECIDED_GUESS),
        (_, 0) => ProofNumbers::new(DECIDED_GUESS, 1),
        (proof, disproof) => {
            ProofNumbers::new(proof.min(DECIDED_GUESS), disproof.min(DECIDED_GUESS))
        }
    }
}
