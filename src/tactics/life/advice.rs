//! What earlier searches have found out guides a later one: of a position that it has not looked at yet it takes their
//! numbers for a guess.
//!
//! The search that guides may be about the narrow piece, where nobody plays far from the group (see
//! [`locale`](super::locale)). Far stones change little, so its word on the position without them counts.

use super::entry::Numbers;
use super::fight::{Fight, Reply};
use super::locale::Set;
use super::prove::Claim;
use crate::tactics::patch::word::Word;
use crate::tactics::table::Table;

/// How much harder a guess takes the other outcome to be of a position that was decided.
const SURE: u32 = 1_000;

/// Whose word counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Advice {
    /// What the other searches were to prove, the best first.
    pub claims: Vec<Claim>,
    /// Where on the narrow piece nobody plays.
    pub far: Set,
}

impl Advice {
    /// What keys are to be changed by to find the entries of the searches that came to the position.
    pub fn salts(&self, table: &Table<Numbers>, fight: &Fight) -> Vec<u64> {
        if self.claims.is_empty() {
            return Vec::new();
        }
        let keys = [false, true].map(|passed| fight.key_without(self.far, passed));
        let came_there = |salt: &u64| keys.iter().any(|key| table.get(key ^ salt).is_some());
        let salts = self.claims.iter().map(|claim| claim.salt());
        salts.filter(came_there).collect()
    }

    /// The guesses by those searches of what replies lead to, of those that one of them has looked at.
    pub fn guesses(
        &self,
        table: &Table<Numbers>,
        salts: &[u64],
        replies: &[Reply],
    ) -> Vec<Option<Numbers>> {
        let mut guesses = vec![None; replies.len()];
        for salt in salts {
            let keys: Vec<u64> = (replies.iter())
                .map(|reply| self.key(reply) ^ salt)
                .collect();
            for (guess, known) in guesses.iter_mut().zip(table.get_all(&keys)) {
                *guess = guess.or(known.map(doubted));
            }
        }
        guesses
    }

    /// The key of what a reply leads to, without the far stones.
    fn key(&self, reply: &Reply) -> u64 {
        let is_far = |stone| self.far.meets(Set::point(stone));
        let passed = reply.stone.is_some_and(is_far);
        reply.fight.key_without(self.far, passed)
    }
}

/// The numbers of another search, of which none is sure for this one.
fn doubted(known: Numbers) -> Numbers {
    match (known.proof, known.disproof) {
        (0, _) => Numbers::new(1, SURE),
        (_, 0) => Numbers::new(SURE, 1),
        (proof, disproof) => Numbers::new(proof.min(SURE), disproof.min(SURE)),
    }
}
