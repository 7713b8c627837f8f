//! Positions of the search: moves, terminal tests and hash keys.

use super::region::Region;
use super::set::Set;
use crate::random::splitmix64;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{MoveEffect, Stones};
use std::cmp::Reverse;

/// A position of the search. In `stones`, `own` holds the defender's stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LifeNode {
    pub stones: Stones<Set>,
    /// Point where the last move captured a single stone, if the capturing stone could be captured in return. Empty
    /// otherwise.
    pub ko: Set,
    pub defender_to_move: bool,
    pub last_was_pass: bool,
    /// Hash of the stones.
    hash: u64,
}

/// Static result of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaticLifeStatus {
    /// At least one stone of the group lives.
    Alive,
    /// All stones of the group are dead.
    Dead,
}

/// A move and the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    /// Index of the point. `None` is a pass.
    pub point: Option<u32>,
    pub node: LifeNode,
}

const SEED: u64 = 0x11fe;
const DEFENDER_TO_MOVE: u64 = splitmix64(SEED);
const LAST_WAS_PASS: u64 = splitmix64(SEED + 1);

const fn point_key(kind: u64, point: u32) -> u64 {
    splitmix64(SEED + 2 + (point as u64) * 3 + kind)
}

fn toggle_keys(hash: u64, kind: u64, set: Set) -> u64 {
    (set.indices()).fold(hash, |hash, point| hash ^ point_key(kind, point))
}

impl LifeNode {
    /// Creates the root position of a region.
    pub fn new(region: &Region, defender_to_move: bool, ko: Set) -> Self {
        let stones = region.stones;
        Self {
            stones,
            ko,
            defender_to_move,
            last_was_pass: false,
            hash: toggle_keys(toggle_keys(0, 0, stones.own), 1, stones.opponent),
        }
    }

    /// Returns the hash key of the stones, the ko point and the side to move, and of whether the last move was a pass.
    pub fn key(&self) -> u64 {
        let turn = if self.defender_to_move {
            DEFENDER_TO_MOVE
        } else {
            0
        };
        let pass = if self.last_was_pass { LAST_WAS_PASS } else { 0 };
        toggle_keys(self.hash ^ turn ^ pass, 2, self.ko)
    }

    /// Returns the key of the position without the stones on `excluded` points. If `counts_as_pass` is true, the last
    /// move is treated as a pass.
    pub fn key_without_stones(&self, excluded: Set, counts_as_pass: bool) -> u64 {
        let Stones { own, opponent } = self.stones;
        let reduced = Self {
            last_was_pass: self.last_was_pass || counts_as_pass,
            hash: toggle_keys(
                toggle_keys(self.hash, 0, own & excluded),
                1,
                opponent & excluded,
            ),
            ..*self
        };
        reduced.key()
    }

    /// Returns the status if the position is decided. Otherwise returns the points where the side to move may play, as
    /// `Err`.
    pub fn static_life_status(&self, region: &Region) -> Result<StaticLifeStatus, Set> {
        let target = region.target & self.stones.own;
        if target.is_empty() {
            return Ok(StaticLifeStatus::Dead);
        }
        if region
            .alive_defenders(&self.stones, self.defender_to_move)
            .intersects(target)
        {
            return Ok(StaticLifeStatus::Alive);
        }
        let dead_area = region.dead_area(&self.stones, self.defender_to_move);
        if target.is_subset(dead_area) {
            return Ok(StaticLifeStatus::Dead);
        }
        let remaining = region.geometry.all_points() & !dead_area;
        let playable = region.geometry.flood(target & remaining, remaining)
            & region.playable_by(self.defender_to_move);
        let threats = region.escape_threats(&self.stones);
        if self.defender_to_move || threats.is_empty() {
            return Err(playable);
        }
        let captures = region.geometry.capturing_moves(&self.stones, false);
        Err(playable & (threats | captures))
    }

    /// Returns the children for all legal moves within `playable`, ordered by rank and then by row-major index. A pass
    /// comes last if `may_pass` is true.
    pub fn children(&self, region: &Region, playable: Set, may_pass: bool) -> Vec<Child> {
        let empty = playable & region.geometry.empty_points(&self.stones);
        let capturing_moves = region
            .geometry
            .capturing_moves(&self.stones, self.defender_to_move);
        // Small elements sort faster.
        let mut ordered = Vec::with_capacity(empty.count() as usize);
        for index in empty.indices() {
            let rank = self.rank(region, capturing_moves, index) as u8;
            ordered.push((Reverse(rank), region.row_major_index(index), index as u8));
        }
        ordered.sort_unstable();
        let mut children = Vec::with_capacity(ordered.len() + 1);
        for (.., index) in ordered {
            children.extend(self.child(region, capturing_moves, u32::from(index)));
        }
        if may_pass {
            children.push(Child {
                point: None,
                node: Self {
                    ko: Set::EMPTY,
                    defender_to_move: !self.defender_to_move,
                    last_was_pass: true,
                    ..*self
                },
            });
        }
        children
    }

    /// Returns the rank of a move for move ordering. Captures have the highest ranks. The rank increases with the
    /// numbers of captured stones, adjacent empty points and adjacent opposing stones.
    fn rank(&self, region: &Region, capturing_moves: Set, index: u32) -> u32 {
        let (geometry, point) = (&region.geometry, Set::single(index));
        let captured = if point.intersects(capturing_moves) {
            let effect = geometry.play(&self.stones, self.defender_to_move, point);
            effect.map_or(0, |effect| effect.captured.count())
        } else {
            0
        };
        let neighbours = geometry.neighbours(point);
        let num_liberties = (neighbours & geometry.empty_points(&self.stones)).count();
        let num_opponents = (neighbours & self.opponents()).count();
        8 * captured.min(4) + 2 * num_liberties + num_opponents
    }

    /// Returns the stones of the side that is not to move.
    const fn opponents(&self) -> Set {
        if self.defender_to_move {
            self.stones.opponent
        } else {
            self.stones.own
        }
    }

    fn child(&self, region: &Region, capturing_moves: Set, index: u32) -> Option<Child> {
        let (geometry, point) = (&region.geometry, Set::single(index));
        let has_liberty = geometry
            .neighbours(point)
            .intersects(geometry.empty_points(&self.stones));
        let effect = if has_liberty && !point.intersects(capturing_moves) {
            MoveEffect::without_captures(&self.stones, self.defender_to_move, point)
        } else {
            geometry.play(&self.stones, self.defender_to_move, point)?
        };
        let kinds = if self.defender_to_move {
            [0, 1]
        } else {
            [1, 0]
        };
        let node = Self {
            stones: effect.stones,
            ko: effect.ko,
            defender_to_move: !self.defender_to_move,
            last_was_pass: false,
            hash: toggle_keys(
                self.hash ^ point_key(kinds[0], index),
                kinds[1],
                effect.captured,
            ),
        };
        Some(Child {
            point: Some(index),
            node,
        })
    }
}
