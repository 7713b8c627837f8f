//! Small spaces within one chain: whether its owner can part them into two eyes, or the attacker kills inside (nakade).
//!
//! The chain holds together, and a stone that its owner adds joins it. So the space only ever gets smaller, no stone of
//! the owner's in it is taken alone, there is neither ko nor repetition, and a search of few positions decides.

use super::locale::Set;
use crate::tactics::patch::Patch;
use crate::tactics::patch::word::Word;

/// The most points of a space.
pub(super) const MOST: usize = 7;

/// A space within a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space<'a> {
    patch: &'a Patch<Set>,
    /// Its points that the owner has not played on.
    points: Set,
    /// Those of them with a stone of the attacker.
    others: Set,
}

impl<'a> Space<'a> {
    /// The space of these points, if it is small enough, with the attacker's stones among them.
    pub fn new(patch: &'a Patch<Set>, points: Set, others: Set) -> Option<Self> {
        (points.count() as usize <= MOST).then_some(Self {
            patch,
            points,
            others,
        })
    }

    /// Whether the chain dies although its owner moves first, if the attacker need not fear for the stones around it:
    /// however many liberties it has outside, its owner gets no two eyes, and no seki.
    pub fn is_dead(&self) -> bool {
        let is_answered =
            |after: Self| after.is_dead() || after.after_other().any(|answer| answer.is_dead());
        !self.can_be_parted() && self.after_own().all(is_answered) && self.dies()
    }

    /// Whether the owner, with the second move, parts the space into two eyes though the chain has no liberty outside.
    pub fn is_alive(&self) -> bool {
        let makes_eyes = |space: Self| {
            (space.after_own())
                .any(|after| !after.empty().is_empty() && (after.is_parted() || after.is_alive()))
        };
        // With a single liberty the chain is taken.
        self.empty().count() > 1 && makes_eyes(*self) && self.after_other().all(makes_eyes)
    }

    /// Whether the chain, with no liberty outside, is taken although its owner is to move.
    fn dies(&self) -> bool {
        // The owner may not fill the last liberty.
        let is_taken = |after: Self| after.empty().is_empty() || after.is_taken();
        !self.can_be_parted() && self.is_taken() && self.after_own().all(is_taken)
    }

    /// The same with the attacker to move.
    fn is_taken(&self) -> bool {
        self.empty().count() <= 1 || self.after_other().any(|after| after.dies())
    }

    /// Whether a single move of the owner makes two eyes.
    fn can_be_parted(&self) -> bool {
        self.after_own().any(|after| after.is_parted())
    }

    fn empty(&self) -> Set {
        self.points & !self.others
    }

    /// What the moves of the owner lead to.
    fn after_own(&self) -> impl Iterator<Item = Self> {
        (self.empty().points()).map(|number| self.with_own(Set::point(number)))
    }

    /// What the moves of the attacker lead to, but those that leave its stones no liberty.
    fn after_other(&self) -> impl Iterator<Item = Self> {
        (self.empty().points()).filter_map(|number| self.with_other(Set::point(number)))
    }

    fn with_own(&self, point: Set) -> Self {
        let after = Self {
            points: self.points & !point,
            ..*self
        };
        let stands = |chain: &Set| self.patch.beside(*chain).meets(after.empty());
        let others = (self.patch.parts(self.others))
            .filter(stands)
            .fold(Set::EMPTY, |all, chain| all | chain);
        Self { others, ..after }
    }

    fn with_other(&self, point: Set) -> Option<Self> {
        let others = self.others | point;
        let chain = self.patch.flood(point, others);
        let after = Self { others, ..*self };
        self.patch
            .beside(chain)
            .meets(after.empty())
            .then_some(after)
    }

    /// Whether its points do not hang together any more.
    fn is_parted(&self) -> bool {
        self.patch.parts(self.points).nth(1).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spaces along an edge, `.` empty and `O` the attacker's: whether they are dead, and whether they live.
    #[test]
    fn rows_and_bent_spaces() {
        for (rows, dead, alive) in [
            (["."].as_slice(), true, false),
            (&[".."], true, false),
            (&["..."], false, false),
            (&[".O."], true, false),
            (&["...."], false, true),
            (&[".OO."], true, false),
            (&["..", ".."], true, false),
            (&["...", "  ."], false, true),
            (&["...", " . "], false, false),
            (&[".O.", " . "], true, false),
        ] {
            let patch = Patch::new(7, 3).unwrap();
            let at = |wanted: &str| {
                let points = rows.iter().enumerate().flat_map(|(y, row)| {
                    let points = row.chars().enumerate();
                    points.map(move |(x, letter)| (x as u32, y as u32, letter))
                });
                points
                    .filter(|(.., letter)| wanted.contains(*letter))
                    .fold(Set::EMPTY, |set, (x, y, _)| {
                        set | Set::point(patch.number(x + 1, y + 1))
                    })
            };
            let space = Space::new(&patch, at(".O"), at("O")).unwrap();
            assert_eq!(
                (space.is_dead(), space.is_alive()),
                (dead, alive),
                "{rows:?}"
            );
        }
    }
}
