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
/// Points that two eyes can have in common, at most.
const SHARED: u32 = 5;

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

/// The eyes that a group may still make.
#[derive(Debug)]
pub(super) struct Eyes(Vec<Eye>);

impl Eyes {
    /// Those of the position.
    pub fn of(locale: &Locale, stones: &Stones<Set>) -> Self {
        let patch = &locale.patch;
        let walls = patch.flood(locale.standing(stones), stones.other);
        let within = patch.flood(locale.target & stones.own, patch.area() & !walls);
        let centers = within & locale.room(true) & !stones.own & !patch.beside(walls);
        let eye = |number| Eye::at(locale, stones, walls, Set::point(number));
        let mut eyes: Vec<Eye> = centers.points().filter_map(eye).collect();
        eyes.sort_by_key(|eye| eye.moves);
        eyes.truncate(MOST);
        Self(eyes)
    }

    /// About how many moves in a row the side that would live needs for two of them after a stone at `point`, of its own
    /// or of the attacker; [`FAR`] at most.
    pub fn distance(&self, point: Set, own: bool) -> u32 {
        let mut least = FAR;
        let mut after = [None; MOST];
        for (moves, eye) in after.iter_mut().zip(&self.0) {
            *moves = eye.moves_after(point, own);
        }
        for (at, one) in self.0.iter().enumerate() {
            let Some(moves) = after[at] else {
                continue;
            };
            for (other, others) in self.0[..at].iter().zip(after) {
                let Some(others) = others.filter(|others| moves + others < least + SHARED) else {
                    continue;
                };
                if !one.points.meets(other.center) && !other.points.meets(one.center) {
                    let shared = (one.points & other.points & !point).count();
                    least = least.min((moves + others).saturating_sub(shared));
                }
            }
        }
        least
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
