//! The positions of a fight for life: moves, ends, keys.

use super::locale::{Locale, Set};
use crate::rng::splitmix64;
use crate::tactics::patch::word::Word;
use crate::tactics::patch::{Placed, Stones};
use std::cmp::Reverse;

/// A position of the fight. The stones of the side that would live are `own`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fight {
    /// The stones.
    pub stones: Stones<Set>,
    /// The point where a single stone was taken last, if the one that took it can be taken back there.
    pub ko: Set,
    /// Whether the side that would live is to move.
    pub defends: bool,
    /// Whether the last move was a pass.
    pub passed: bool,
    /// The hash of the stones.
    hash: u64,
}

/// What a position is worth without a further move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A stone of the group lives.
    Lives,
    /// All are dead.
    Dies,
}

/// A move to be tried, and where it leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    /// The number of the point; nothing for a pass.
    pub stone: Option<u32>,
    /// The position afterwards.
    pub fight: Fight,
}

const SEED: u64 = 0x11fe;
const DEFENDS: u64 = splitmix64(SEED);
const PASSED: u64 = splitmix64(SEED + 1);

const fn key(kind: u64, point: u32) -> u64 {
    splitmix64(SEED + 2 + (point as u64) * 3 + kind)
}

fn toggled(hash: u64, kind: u64, set: Set) -> u64 {
    (set.points()).fold(hash, |hash, point| hash ^ key(kind, point))
}

impl Fight {
    /// The position of the piece.
    pub fn new(locale: &Locale, defends: bool, ko: Set) -> Self {
        let stones = locale.stones;
        Self {
            stones,
            ko,
            defends,
            passed: false,
            hash: toggled(toggled(0, 0, stones.own), 1, stones.other),
        }
    }

    /// Its key: stones, ko and turn.
    pub fn key(&self) -> u64 {
        let turn = if self.defends { DEFENDS } else { 0 };
        let passed = if self.passed { PASSED } else { 0 };
        toggled(self.hash ^ turn ^ passed, 2, self.ko)
    }

    /// Its key without the stones on `far`; the last move is taken for a pass if it was one of them.
    pub fn key_without(&self, far: Set, last: bool) -> u64 {
        let Stones { own, other } = self.stones;
        let without = Self {
            passed: self.passed || last,
            hash: toggled(toggled(self.hash, 0, own & far), 1, other & far),
            ..*self
        };
        without.key()
    }

    /// How the fight has ended, if it has; else where it goes on.
    pub fn end(&self, locale: &Locale) -> Result<End, Set> {
        let target = locale.target & self.stones.own;
        if target.is_empty() {
            return Ok(End::Dies);
        }
        if locale.alive(&self.stones).meets(target) {
            return Ok(End::Lives);
        }
        let lost = locale.lost(&self.stones, self.defends);
        if target.within(lost) {
            return Ok(End::Dies);
        }
        let rest = locale.patch.area() & !lost;
        Err(locale.patch.flood(target & rest, rest) & locale.room(self.defends))
    }

    /// The moves of the side to move within `ground`, in the order of their rank, and row by row.
    pub fn replies(&self, locale: &Locale, ground: Set, may_pass: bool) -> Vec<Reply> {
        let empty = ground & locale.patch.empty(&self.stones);
        let takes = locale.patch.takes(&self.stones, self.defends);
        // Small, since it is sorted.
        let mut order = Vec::with_capacity(empty.count() as usize);
        for number in empty.points() {
            let rank = self.rank(locale, takes, number) as u8;
            order.push((Reverse(rank), locale.read(number), number as u8));
        }
        order.sort_unstable();
        let mut replies = Vec::with_capacity(order.len() + 1);
        for (.., number) in order {
            replies.extend(self.reply(locale, takes, u32::from(number)));
        }
        if may_pass {
            replies.push(Reply {
                stone: None,
                fight: Self {
                    ko: Set::EMPTY,
                    defends: !self.defends,
                    passed: true,
                    ..*self
                },
            });
        }
        replies
    }

    /// The larger, the sooner a move there is tried: captures first, then what has liberties and touches opponents.
    fn rank(&self, locale: &Locale, takes: Set, number: u32) -> u32 {
        let (patch, point) = (&locale.patch, Set::point(number));
        let captured = if point.meets(takes) {
            let placed = patch.play(&self.stones, self.defends, point);
            placed.map_or(0, |placed| placed.captured.count())
        } else {
            0
        };
        let beside = patch.beside(point);
        let free = (beside & patch.empty(&self.stones)).count();
        let enemies = (beside & self.opponents()).count();
        8 * captured.min(4) + 2 * free + enemies
    }

    /// The stones of the side that is not to move.
    const fn opponents(&self) -> Set {
        if self.defends {
            self.stones.other
        } else {
            self.stones.own
        }
    }

    fn reply(&self, locale: &Locale, takes: Set, number: u32) -> Option<Reply> {
        let (patch, point) = (&locale.patch, Set::point(number));
        let is_free = patch.beside(point).meets(patch.empty(&self.stones));
        let placed = if is_free && !point.meets(takes) {
            Placed::quiet(&self.stones, self.defends, point)
        } else {
            patch.play(&self.stones, self.defends, point)?
        };
        let kinds = if self.defends { [0, 1] } else { [1, 0] };
        let fight = Self {
            stones: placed.stones,
            ko: placed.ko,
            defends: !self.defends,
            passed: false,
            hash: toggled(self.hash ^ key(kinds[0], number), kinds[1], placed.captured),
        };
        Some(Reply {
            stone: Some(number),
            fight,
        })
    }
}
