//! Small spaces within one chain: whether its owner can part them into two eyes, or the attacker kills inside (nakade).
//!
//! The chain holds together, and a stone that its owner adds joins it. So the space only ever gets smaller, no stone of
//! the owner's in it is taken alone, there is neither ko nor repetition, and a search of few positions decides.

use super::locale::Set;
use crate::tactics::patch::Patch;
use crate::tactics::patch::word::Word;

/// The most points of a space.
pub(super) const MOST: usize = 7;

/// A space: its points are numbered, and sets of them are the bits of a byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    /// The points beside each.
    beside: [u8; MOST],
    /// Those that the owner has not played on.
    points: u8,
    /// Those of them with a stone of the attacker.
    others: u8,
}

impl Space {
    /// The space of these points, if it is small enough, with the attacker's stones among them.
    pub fn new(patch: &Patch<Set>, points: Set, others: Set) -> Option<Self> {
        let count = points.count() as usize;
        if count > MOST {
            return None;
        }
        let mut beside = [0; MOST];
        let mut held = 0;
        for (at, number) in points.points().enumerate() {
            let near = patch.beside(Set::point(number));
            for (other, number) in points.points().enumerate() {
                beside[at] |= u8::from(near.meets(Set::point(number))) << other;
            }
            held |= u8::from(others.meets(Set::point(number))) << at;
        }
        Some(Self {
            beside,
            points: ((1_u32 << count) - 1) as u8,
            others: held,
        })
    }

    /// Whether the chain dies although its owner moves first, if the attacker need not fear for the stones around it:
    /// however many liberties it has outside, its owner gets no two eyes, and no seki.
    pub fn is_dead(&self) -> bool {
        let is_answered = |after: Self| {
            let answers = || {
                after
                    .each(after.empty())
                    .filter_map(|at| after.with_other(at))
            };
            after.is_dead() || answers().any(|answer| answer.is_dead())
        };
        !self.can_be_parted() && self.after_own().all(is_answered) && self.dies()
    }

    /// Whether the owner, with the second move, parts the space into two eyes though the chain has no liberty outside.
    pub fn is_alive(&self) -> bool {
        let makes_eyes = |space: Self| {
            (space.after_own())
                .any(|after| after.empty() != 0 && (after.is_parted() || after.is_alive()))
        };
        // With a single liberty the chain is taken.
        self.empty().count_ones() > 1
            && makes_eyes(*self)
            && (self.each(self.empty()).filter_map(|at| self.with_other(at))).all(makes_eyes)
    }

    /// Whether the chain, with no liberty outside, is taken although its owner is to move.
    fn dies(&self) -> bool {
        // The owner may not fill the last liberty.
        let is_taken = |after: Self| after.empty() == 0 || after.is_taken();
        !self.can_be_parted() && self.is_taken() && self.after_own().all(is_taken)
    }

    /// The same with the attacker to move.
    fn is_taken(&self) -> bool {
        let empty = self.empty();
        let moves = || self.each(empty).filter_map(|at| self.with_other(at));
        empty.count_ones() <= 1 || moves().any(|after| after.dies())
    }

    /// Whether a single move of the owner makes two eyes.
    fn can_be_parted(&self) -> bool {
        self.after_own().any(|after| after.is_parted())
    }

    /// What the moves of the owner lead to.
    fn after_own(&self) -> impl Iterator<Item = Self> {
        self.each(self.empty()).map(|at| self.with_own(at))
    }

    const fn empty(&self) -> u8 {
        self.points & !self.others
    }

    /// The points of a set, one by one.
    fn each(&self, set: u8) -> impl Iterator<Item = u8> + use<> {
        (0..MOST).map(|at| 1 << at).filter(move |at| set & at != 0)
    }

    /// After a move of the owner.
    fn with_own(&self, at: u8) -> Self {
        let points = self.points & !at;
        let empty = points & !self.others;
        let mut others = self.others;
        let mut left = others;
        while left != 0 {
            let chain = self.flood(left & left.wrapping_neg(), self.others);
            left &= !chain;
            if self.near(chain) & empty == 0 {
                others &= !chain;
            }
        }
        Self {
            points,
            others,
            ..*self
        }
    }

    /// After a move of the attacker, unless it leaves its stones no liberty.
    fn with_other(&self, at: u8) -> Option<Self> {
        let others = self.others | at;
        let chain = self.flood(at, others);
        let after = Self { others, ..*self };
        (self.near(chain) & after.empty() != 0).then_some(after)
    }

    /// Whether its points do not hang together any more.
    fn is_parted(&self) -> bool {
        let first = self.points & self.points.wrapping_neg();
        self.flood(first, self.points) != self.points
    }

    /// The points beside those of the set.
    fn near(&self, set: u8) -> u8 {
        (0..MOST)
            .filter(|at| set >> at & 1 == 1)
            .fold(0, |near, at| near | self.beside[at])
    }

    fn flood(&self, from: u8, through: u8) -> u8 {
        let mut reached = from;
        loop {
            let grown = reached | self.near(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }
}
