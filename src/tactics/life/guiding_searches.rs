//! Guidance of a search by earlier searches. The numbers that the earlier searches stored serve as initial proof
//! numbers of positions that the search has not visited.
//!
//! The guiding search may have used the narrow region, in which neither side plays far from the group (see
//! [`region`](super::region)). The numbers are therefore looked up without the distant stones, which matter little.

use super::node::{Child, LifeNode};
use super::proof_goal::ProofGoal;
use super::proof_numbers::ProofNumbers;
use super::set::Set;
use crate::tactics::bitboard::word::Word;
use crate::tactics::transposition_table::TranspositionTable;

/// Maximum proof or disproof number of a guess, which is derived from the numbers of a guiding search. If the guiding
/// search proved a position, the guess has the proof number 1 and this disproof number; if it disproved the position,
/// the numbers are exchanged.
const MAX_GUESSED_NUMBER: u32 = 1_000;

/// The earlier searches that guide a search.
#[derive(Clone, Debug, Default)]
pub(super) struct GuidingSearches {
    /// Goals of the guiding searches, in descending order of preference.
    pub goals: Vec<ProofGoal>,
    /// Empty points where neither side may play in the narrow region. Stones that are placed there later are ignored
    /// when the numbers of guiding searches are looked up.
    pub excluded: Set,
}

impl GuidingSearches {
    /// Fills in the unknown numbers (`None`) of the children. Uses the guiding searches that have visited the parent
    /// `node`.
    pub fn fill_missing_numbers(
        &self,
        table: &TranspositionTable<ProofNumbers>,
        node: &LifeNode,
        children: &[Child],
        numbers: &mut [Option<ProofNumbers>],
    ) {
        let keys = [false, true].map(|passed| node.key_without_stones(self.excluded, passed));
        let salts = self.goals.iter().map(|goal| goal.salt());
        let was_visited = |salt: &u64| keys.iter().any(|key| table.get(key ^ salt).is_some());
        for salt in salts.filter(was_visited) {
            let keys: Vec<u64> = (children.iter())
                .map(|child| self.key(child) ^ salt)
                .collect();
            for (numbers, guess) in numbers.iter_mut().zip(table.get_many(&keys)) {
                *numbers = numbers.or(guess.map(initial_proof_numbers));
            }
        }
    }

    /// Returns the table key of a child, ignoring distant stones.
    fn key(&self, child: &Child) -> u64 {
        let is_excluded = |stone| self.excluded.intersects(Set::single(stone));
        let counts_as_pass = child.point.is_some_and(is_excluded);
        child.node.key_without_stones(self.excluded, counts_as_pass)
    }
}

/// Converts the proof numbers found by a guiding search into initial proof numbers. They are limited so that the
/// position never counts as proved or disproved.
fn initial_proof_numbers(numbers: ProofNumbers) -> ProofNumbers {
    match (numbers.proof, numbers.disproof) {
        (0, _) => ProofNumbers::new(1, MAX_GUESSED_NUMBER),
        (_, 0) => ProofNumbers::new(MAX_GUESSED_NUMBER, 1),
        (proof, disproof) => ProofNumbers::new(
            proof.min(MAX_GUESSED_NUMBER),
            disproof.min(MAX_GUESSED_NUMBER),
        ),
    }
}
