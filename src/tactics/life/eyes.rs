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

/// Two eyes that do not touch, by their places among the eyes.
#[derive(Clone, Copy, Debug)]
struct Pair {
    eyes: [u8; 2],
    /// About how many moves in a row they take together.
    moves: u8,
}

/// How far the group is from two eyes after each move of one side.
#[derive(Debug)]
pub(super) struct Distances {
    /// The same as it stands.
    now: u32,
    /// By moves: the points after a stone on which there are two eyes that take no more. A point may stand with several.
    within: [Set; FAR as usize],
}

impl Distances {
    /// After a stone of the side that would live (`own`), or of the attacker.
    pub fn of(locale: &Locale, stones: &Stones<Set>, own: bool) -> Self {
        let eyes = Eye::all(locale, stones);
        let pairs = Eye::pairs(&eyes);
        let mut distances = Self {
            now: FAR,
            within: [Set::EMPTY; FAR as usize],
        };
        let gain = if own { GAIN } else { 0 };
        for moves in 0..FAR + gain {
            // Where every point is known to be as near as this, pairs that take so many moves bring none nearer.
            let near = &distances.within[..(moves + 1).saturating_sub(gain) as usize];
            let known = near.iter().fold(Set::EMPTY, |all, &points| all | points);
            if locale.patch.area().within(known) {
                break;
            }
            for pair in pairs.iter().filter(|pair| u32::from(pair.moves) == moves) {
                distances.now = distances.now.min(moves);
                let [one, other] = pair.eyes.map(|at| &eyes[usize::from(at)]);
                let after = one.after(other, moves, own);
                for (points, moves) in after {
                    if let Some(within) = distances.within.get_mut(moves as usize) {
                        *within |= points;
                    }
                }
            }
        }
        distances
    }

    /// About how many moves in a row the side that would live needs for two eyes after a stone at `point`, or a pass;
    /// [`FAR`] at most.
    pub fn distance(&self, point: Option<u32>) -> u32 {
        let Some(point) = point.map(Set::point) else {
            return self.now;
        };
        let least = self.within.iter().position(|within| point.meets(*within));
        least.map_or(FAR, |least| least as u32)
    }
}

impl Eye {
    /// The eye at that point, unless walls make it false.
    fn at(locale: &Locale, stones: &Stones<Set>, walls: Set, center: Set) -> Option<Self> {
        let patch = &locale.patch;
        let sides = patch.beside(center);
        let corners = patch.corners(center);
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

    /// Those that the group may still make, the nearest.
    fn all(locale: &Locale, stones: &Stones<Set>) -> Vec<Self> {
        let patch = &locale.patch;
        let walls = patch.flood(locale.standing(stones, false), stones.other);
        let within = patch.flood(locale.target & stones.own, patch.area() & !walls);
        let centers = within & locale.room(true) & !stones.own & !patch.beside(walls);
        let eye = |number| Self::at(locale, stones, walls, Set::point(number));
        let mut eyes = Vec::with_capacity(centers.count() as usize);
        eyes.extend(centers.points().filter_map(eye));
        if eyes.len() > MOST {
            eyes.sort_by_key(|eye| (eye.moves, locale.read(eye.center.lowest())));
            eyes.truncate(MOST);
        }
        eyes
    }

    /// The pairs that are near enough.
    fn pairs(eyes: &[Self]) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(MOST * (MOST - 1) / 2);
        for (at, eye) in eyes.iter().enumerate() {
            for (before, other) in eyes[..at].iter().enumerate() {
                let common = eye.points & other.points;
                let touch = common.meets(eye.center | other.center);
                let moves = eye.moves + other.moves - common.count();
                if !touch && moves < FAR + GAIN {
                    pairs.push(Pair {
                        eyes: [at as u8, before as u8],
                        moves: moves as u8,
                    });
                }
            }
        }
        pairs
    }

    /// The points of a stone of the group's side (`own`), or of the attacker, and the moves that it and another eye take
    /// then, which took so many together. A stone of the group's in the middle fills an eye; the attacker's have to be
    /// taken, and what counted for both eyes then counts for each.
    fn after(&self, other: &Self, moves: u32, own: bool) -> [(Set, u32); 4] {
        let centers = self.center | other.center;
        let shared = self.points & other.points;
        if own {
            let [near, others] = [self, other].map(|eye| eye.points | eye.corners);
            let both = near & others & !shared;
            let one = (near | others) & !both;
            [
                (!(near | others), moves),
                (one & !centers, moves.saturating_sub(1)),
                (both & !centers, moves.saturating_sub(2)),
                (Set::EMPTY, FAR),
            ]
        } else {
            let points = self.points | other.points;
            [
                (!points, moves),
                (points & !shared & !centers, moves + 1),
                (centers, moves + 2),
                (shared, moves + 3),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::board::Board;
    use crate::game::color::Color;
    use crate::game::point::BoardSize;
    use crate::game::pointset::PointSet;
    use crate::rng::Rng;
    use crate::tactics::life::Problem;

    /// A board with a few stones at random, as a piece with Black's groups in question.
    fn random(rng: &mut Rng, size: BoardSize) -> Option<Locale> {
        let mut stones = [PointSet::EMPTY; 2];
        for point in size.points() {
            if let side @ 0..2 = rng.below(6) {
                stones[side].insert(point);
            }
        }
        let board = Board::with_stones(size, stones[0], stones[1]).ok()?;
        let problem = Problem {
            board: &board,
            region: board.area(),
            target: None,
            to_play: Color::Black,
            ko: None,
        };
        Locale::new(&problem, Color::Black).ok()
    }

    /// The moves that an eye takes after a stone, one by one; none if that fills it.
    fn moves_after(eye: &Eye, stone: Set, own: bool) -> Option<u32> {
        let nearer = stone.meets(eye.points) || stone.meets(eye.corners);
        match (own, stone.meets(eye.center)) {
            (true, true) => None,
            (true, false) => Some(eye.moves - u32::from(nearer)),
            (false, middle) => {
                Some(eye.moves + u32::from(stone.meets(eye.points)) + u32::from(middle))
            }
        }
    }

    /// The same as [`Distances::distance`], pair by pair.
    fn plain(eyes: &[Eye], stone: Set, own: bool) -> u32 {
        let mut least = FAR;
        for (at, one) in eyes.iter().enumerate() {
            for other in &eyes[..at] {
                let touch = one.points.meets(other.center) || other.points.meets(one.center);
                let after = [one, other].map(|eye| moves_after(eye, stone, own));
                if let ([Some(one_moves), Some(other_moves)], false) = (after, touch) {
                    let shared = (one.points & other.points & !stone).count();
                    least = least.min(one_moves + other_moves - shared);
                }
            }
        }
        least
    }

    #[test]
    fn distances_are_those_found_pair_by_pair() {
        let mut rng = Rng::new(0xe7e5);
        let mut seen = [0; FAR as usize + 1];
        for _ in 0..200 {
            let size = BoardSize::new(3 + rng.below(6), 3 + rng.below(4)).unwrap();
            let Some(locale) = random(&mut rng, size) else {
                continue;
            };
            let eyes = Eye::all(&locale, &locale.stones);
            for own in [false, true] {
                let distances = Distances::of(&locale, &locale.stones, own);
                assert_eq!(distances.distance(None), plain(&eyes, Set::EMPTY, own));
                for number in locale.patch.empty(&locale.stones).points() {
                    let expected = plain(&eyes, Set::point(number), own);
                    assert_eq!(distances.distance(Some(number)), expected);
                    seen[expected as usize] += 1;
                }
            }
        }
        assert!(seen[2..].iter().all(|count| *count > 20), "{seen:?}");
    }
}
