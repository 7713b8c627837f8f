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
    /// Puts the guesses of the searches that came to the position in place of what is not known of its replies, where one
    /// of them has looked at what they lead to.
    pub fn guess(
        &self,
        table: &Table<Numbers>,
        fight: &Fight,
        replies: &[Reply],
        known: &mut [Option<Numbers>],
    ) {
        let keys = [false, true].map(|passed| fight.key_without(self.far, passed));
        let salts = self.claims.iter().map(|claim| claim.salt());
        let came_there = |salt: &u64| keys.iter().any(|key| table.get(key ^ salt).is_some());
        for salt in salts.filter(came_there) {
            let keys: Vec<u64> = (replies.iter())
                .map(|reply| self.key(reply) ^ salt)
                .collect();
            for (known, guess) in known.iter_mut().zip(table.get_all(&keys)) {
                *known = known.or(guess.map(doubted));
            }
        }
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
