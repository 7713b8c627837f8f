//! How far a group is from two eyes: what guides the search, not what it proves.
//!
//! In the spirit of Kishimoto and Müller, "Search versus Knowledge for Solving Life and Death Problems in Go" (AAAI
//! 2005), who start proof numbers from the number of moves that a side needs in a row.

use super::locale::{Locale, Set};
use crate::tactics::patch::Stones;
use crate::tactics::patch::word::Word;

/// Further away than this makes no difference.
pub(super) const FAR: u32 = 8;

/// Eyes that are looked at: the nearest.
const MOST: usize = 16;
/// By so many moves at most a stone of its own brings two of them nearer.
const GAIN: u32 = 2;

/// One eye to be.
#[derive(Clone, Copy, Debug)]
struct Eye {
    /// The point that stays empty.
    center: Set,
    /// It and the points beside it that are not the group's yet.
    points: Set,
    /// Corners that are not the group's yet, where more of them are needed.
    corners: Set,
    /// The moves it takes.
    moves: u32,
}

/// Two eyes that do not touch, by their places among the eyes. Of many pairs little is moved when they are sorted.
#[derive(Clone, Copy, Debug)]
struct Pair {
    eyes: [u8; 2],
    /// About how many moves in a row they take together.
    moves: u32,
}

/// The eyes that a group may still make, and their pairs; the nearest first.
#[derive(Debug)]
pub(super) struct Eyes {
    eyes: Vec<Eye>,
    pairs: Vec<Pair>,
}

impl Eyes {
    /// Those of the position.
    pub fn of(locale: &Locale, stones: &Stones<Set>) -> Self {
        let patch = &locale.patch;
        let walls = patch.flood(locale.standing(stones, false), stones.other);
        let within = patch.flood(locale.target & stones.own, patch.area() & !walls);
        let centers = within & locale.room(true) & !stones.own & !patch.beside(walls);
        let eye = |number| Eye::at(locale, stones, walls, Set::point(number));
        let mut eyes: Vec<Eye> = centers.points().filter_map(eye).collect();
        eyes.sort_by_key(|eye| eye.moves);
        eyes.truncate(MOST);
        let pair = |at: usize, other: usize| {
            let moves = eyes[at].moves_with(&eyes[other])?;
            (moves < FAR + GAIN).then_some(Pair {
                eyes: [at as u8, other as u8],
                moves,
            })
        };
        let mut pairs: Vec<Pair> = (0..eyes.len())
            .flat_map(|at| (0..at).filter_map(move |other| pair(at, other)))
            .collect();
        pairs.sort_by_key(|pair| pair.moves);
        Self { eyes, pairs }
    }

    /// About how many moves in a row the side that would live needs for two of them after a stone at `point`, of its own
    /// or of the attacker; [`FAR`] at most.
    pub fn distance(&self, point: Set, own: bool) -> u32 {
        let gain = if own { GAIN } else { 0 };
        let mut least = FAR;
        for pair in &self.pairs {
            if pair.moves >= least + gain {
                break;
            }
            let moves = self.moves_after(pair.eyes, point, own);
            least = moves.unwrap_or(FAR).min(least);
        }
        least
    }

    /// The moves that two eyes take after a stone there; none if that fills one.
    fn moves_after(&self, pair: [u8; 2], point: Set, own: bool) -> Option<u32> {
        let [one, other] = pair.map(|at| &self.eyes[usize::from(at)]);
        let shared = (one.points & other.points & !point).count();
        let moves = one.moves_after(point, own)? + other.moves_after(point, own)?;
        Some(moves.saturating_sub(shared))
    }
}

impl Eye {
    /// The eye at that point, unless walls make it false.
    fn at(locale: &Locale, stones: &Stones<Set>, walls: Set, center: Set) -> Option<Self> {
        let patch = &locale.patch;
        let sides = patch.beside(center);
        let across = (center << 1 | center >> 1) & patch.area();
        let corners = patch.beside(across) & !center & !(center << 2 | center >> 2);
        // One corner may be the opponent's, unless the eye lies at the edge of the board.
        let spare = u32::from(corners.count() == 4);
        if (corners & walls).count() > spare {
            return None;
        }
        let unheld = corners & !stones.own;
        let to_hold = unheld.count().saturating_sub(spare);
        let points = sides & !stones.own;
        let to_take = (sides & stones.other).count() + 2 * u32::from(center.meets(stones.other));
        Some(Self {
            center,
            points: center | points,
            corners: if to_hold > 0 { unheld } else { Set::EMPTY },
            moves: points.count() + to_take + to_hold,
        })
    }

    /// The moves that it and another eye take together; none if either is to be filled for the other.
    fn moves_with(&self, other: &Self) -> Option<u32> {
        let touch = self.points.meets(other.center) || other.points.meets(self.center);
        let shared = (self.points & other.points).count();
        (!touch).then(|| (self.moves + other.moves).saturating_sub(shared))
    }

    /// The moves it takes after a stone there; none if that fills it.
    fn moves_after(&self, point: Set, own: bool) -> Option<u32> {
        let (center, side) = (point.meets(self.center), point.meets(self.points));
        if own {
            let nearer = side || point.meets(self.corners);
            (!center).then(|| self.moves.saturating_sub(u32::from(nearer)))
        } else {
            Some(self.moves + u32::from(side) + u32::from(center))
        }
    }
}
