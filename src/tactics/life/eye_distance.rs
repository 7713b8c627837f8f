//! Heuristic distance of a group from two eyes, in moves. It only initialises proof numbers; results do not depend on
//! it.
//!
//! Kishimoto and Müller, "Search versus Knowledge for Solving Life and Death Problems in Go" (AAAI 2005), also
//! initialise proof numbers from the number of consecutive moves that a side needs.

use super::region::Region;
use super::set::Set;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;

/// Maximum distance. Larger distances are reported as this value.
pub(super) const MAX_DISTANCE: u32 = 8;

/// Maximum number of potential eyes. If there are more, those that need the fewest moves are used.
const MAX_EYES: usize = 16;
/// Maximum number of moves by which a single defender stone reduces the distance of a pair of eyes.
const MAX_DISTANCE_REDUCTION: u32 = 2;

/// A potential eye.
#[derive(Clone, Copy, Debug)]
struct PotentialEye {
    /// Point that must stay empty.
    center: Set,
    /// The centre and those of its neighbours that the group does not own yet.
    points: Set,
    /// Diagonal points that the group does not own yet. Empty if the eye needs none of them.
    diagonals: Set,
    /// Number of moves that complete the eye.
    moves_needed: u32,
}

/// Two potential eyes that can exist together, by index. They may share points other than the centres.
#[derive(Clone, Copy, Debug)]
struct EyePair {
    eyes: [u8; 2],
    /// Estimated number of consecutive moves that complete both eyes.
    moves_needed: u8,
}

/// Distances of a group from two eyes: without another stone, and after a stone of a given side at each point.
#[derive(Debug)]
pub(super) struct TwoEyeDistances {
    /// Distance if no stone is added.
    current: u32,
    /// Indexed by a number of moves: the points where a stone results in a pair of eyes that needs exactly this number
    /// of further moves. If a point is in several sets, the smallest number applies.
    points_within: [Set; MAX_DISTANCE as usize],
}

impl TwoEyeDistances {
    /// Computes the distances after one additional stone of the defender (if `defender_plays` is true) or of the
    /// attacker.
    pub fn new(region: &Region, stones: &Stones<Set>, defender_plays: bool) -> Self {
        let eyes = PotentialEye::find_all(region, stones);
        let pairs = PotentialEye::disjoint_pairs(&eyes);
        let mut distances = Self {
            current: MAX_DISTANCE,
            points_within: [Set::EMPTY; MAX_DISTANCE as usize],
        };
        let gain = if defender_plays {
            MAX_DISTANCE_REDUCTION
        } else {
            0
        };
        for moves_needed in 0..MAX_DISTANCE + gain {
            // Stop once no remaining pair can reduce the distance of any point.
            let closer =
                &distances.points_within[..(moves_needed + 1).saturating_sub(gain) as usize];
            let covered = closer.iter().fold(Set::EMPTY, |all, &points| all | points);
            if region.geometry.all_points().is_subset(covered) {
                break;
            }
            for pair in pairs
                .iter()
                .filter(|pair| u32::from(pair.moves_needed) == moves_needed)
            {
                distances.current = distances.current.min(moves_needed);
                let [eye, other] = pair.eyes.map(|index| &eyes[usize::from(index)]);
                let after_stone = eye.after_stone(other, moves_needed, defender_plays);
                for (points, moves_after) in after_stone {
                    if let Some(points_within) =
                        distances.points_within.get_mut(moves_after as usize)
                    {
                        *points_within |= points;
                    }
                }
            }
        }
        distances
    }

    /// Returns the estimated number of consecutive moves that the defender needs for two eyes after a stone at `point`,
    /// or after a pass if `point` is `None`. The result is at most [`MAX_DISTANCE`].
    pub fn distance(&self, point: Option<u32>) -> u32 {
        let Some(stone) = point.map(Set::single) else {
            return self.current;
        };
        let min_moves = self
            .points_within
            .iter()
            .position(|points_within| stone.intersects(*points_within));
        min_moves.map_or(MAX_DISTANCE, |min_moves| min_moves as u32)
    }
}

impl PotentialEye {
    /// Returns the potential eye at `center`, or `None` if the eye is false because of `attacker_walls`.
    fn at(region: &Region, stones: &Stones<Set>, attacker_walls: Set, center: Set) -> Option<Self> {
        let geometry = &region.geometry;
        let neighbours = geometry.neighbours(center);
        let diagonals = geometry.diagonal_neighbours(center);
        // The attacker may own one diagonal point, unless the eye is at the edge of the board.
        let allowed_losses = u32::from(diagonals.count() == 4);
        if (diagonals & attacker_walls).count() > allowed_losses {
            return None;
        }
        let missing_diagonals = diagonals & !stones.own;
        let diagonals_needed = missing_diagonals.count().saturating_sub(allowed_losses);
        let points = neighbours & !stones.own;
        let capture_moves = (neighbours & stones.opponent).count()
            + 2 * u32::from(center.intersects(stones.opponent));
        Some(Self {
            center,
            points: center | points,
            diagonals: if diagonals_needed > 0 {
                missing_diagonals
            } else {
                Set::EMPTY
            },
            moves_needed: points.count() + capture_moves + diagonals_needed,
        })
    }

    /// Returns the potential eyes of the group. If there are more than [`MAX_EYES`], returns those that need the fewest
    /// moves.
    fn find_all(region: &Region, stones: &Stones<Set>) -> Vec<Self> {
        let geometry = &region.geometry;
        let attacker_walls = geometry.flood(region.safe_attackers(stones, false), stones.opponent);
        let reachable = geometry.flood(
            region.target & stones.own,
            geometry.all_points() & !attacker_walls,
        );
        let centers = reachable
            & region.playable_by(true)
            & !stones.own
            & !geometry.neighbours(attacker_walls);
        let eye = |index| Self::at(region, stones, attacker_walls, Set::single(index));
        let mut eyes = Vec::with_capacity(centers.count() as usize);
        eyes.extend(centers.indices().filter_map(eye));
        if eyes.len() > MAX_EYES {
            eyes.sort_by_key(|eye| {
                (
                    eye.moves_needed,
                    region.row_major_index(eye.center.lowest_index()),
                )
            });
            eyes.truncate(MAX_EYES);
        }
        eyes
    }

    /// Returns the pairs of eyes that can exist together, omitting pairs that need too many moves to affect any
    /// distance.
    fn disjoint_pairs(eyes: &[Self]) -> Vec<EyePair> {
        let mut pairs = Vec::with_capacity(MAX_EYES * (MAX_EYES - 1) / 2);
        for (index, eye) in eyes.iter().enumerate() {
            for (other_index, other) in eyes[..index].iter().enumerate() {
                let shared = eye.points & other.points;
                let are_touching = shared.intersects(eye.center | other.center);
                let moves_needed = eye.moves_needed + other.moves_needed - shared.count();
                if !are_touching && moves_needed < MAX_DISTANCE + MAX_DISTANCE_REDUCTION {
                    pairs.push(EyePair {
                        eyes: [index as u8, other_index as u8],
                        moves_needed: moves_needed as u8,
                    });
                }
            }
        }
        pairs
    }

    /// Returns sets of points, each with the number of moves that this eye and `other` need after a stone at one of the
    /// points. The stone is the defender's if `defender_plays` is true, and otherwise the attacker's. `moves` is the
    /// number of moves needed before the stone is placed. A defender stone on a centre fills the eye. An attacker stone
    /// must be captured; if both eyes share its point, it counts for each of them.
    fn after_stone(&self, other: &Self, moves: u32, defender_plays: bool) -> [(Set, u32); 4] {
        let centers = self.center | other.center;
        let shared = self.points & other.points;
        if defender_plays {
            let [own_points, other_points] = [self, other].map(|eye| eye.points | eye.diagonals);
            let both = own_points & other_points & !shared;
            let one = (own_points | other_points) & !both;
            [
                (!(own_points | other_points), moves),
                (one & !centers, moves.saturating_sub(1)),
                (both & !centers, moves.saturating_sub(2)),
                (Set::EMPTY, MAX_DISTANCE),
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
    use crate::random::Rng;
    use crate::tactics::life::problem::LifeProblem;
    use crate::tactics::life::region::Favours;

    /// Returns a random board with few stones as a region with Black as the defender.
    fn random_region(rng: &mut Rng, size: BoardSize) -> Option<Region> {
        let mut stones = [PointSet::EMPTY; 2];
        for point in size.points() {
            if let side @ 0..2 = rng.below(6) {
                stones[side].insert(point);
            }
        }
        let board = Board::from_stones(size, stones[0], stones[1]).ok()?;
        let problem = LifeProblem {
            board: &board,
            region: board.all_points(),
            target: None,
            to_move: Color::Black,
            ko: None,
        };
        Region::new(&problem, problem.region, Color::Black, Favours::Attacker).ok()
    }

    /// Returns the number of moves that an eye needs after a stone. Returns `None` if the stone fills the eye.
    fn moves_after(eye: &PotentialEye, stone: Set, defender_plays: bool) -> Option<u32> {
        let is_useful = stone.intersects(eye.points) || stone.intersects(eye.diagonals);
        match (defender_plays, stone.intersects(eye.center)) {
            (true, true) => None,
            (true, false) => Some(eye.moves_needed - u32::from(is_useful)),
            (false, is_center) => Some(
                eye.moves_needed + u32::from(stone.intersects(eye.points)) + u32::from(is_center),
            ),
        }
    }

    /// Computes [`TwoEyeDistances::distance`] pair by pair.
    fn distance_by_pairs(eyes: &[PotentialEye], stone: Set, defender_plays: bool) -> u32 {
        let mut min_moves = MAX_DISTANCE;
        for (index, one) in eyes.iter().enumerate() {
            for other in &eyes[..index] {
                let are_touching =
                    one.points.intersects(other.center) || other.points.intersects(one.center);
                let moves_after_stone =
                    [one, other].map(|eye| moves_after(eye, stone, defender_plays));
                if let ([Some(one_moves), Some(other_moves)], false) =
                    (moves_after_stone, are_touching)
                {
                    let shared = (one.points & other.points & !stone).count();
                    min_moves = min_moves.min(one_moves + other_moves - shared);
                }
            }
        }
        min_moves
    }

    #[test]
    fn distances_match_pairwise_computation() {
        let mut rng = Rng::new(0xe7e5);
        let mut counts = [0; MAX_DISTANCE as usize + 1];
        for _ in 0..200 {
            let size = BoardSize::new(3 + rng.below(6), 3 + rng.below(4)).unwrap();
            let Some(region) = random_region(&mut rng, size) else {
                continue;
            };
            let eyes = PotentialEye::find_all(&region, &region.stones);
            for defender_plays in [false, true] {
                let distances = TwoEyeDistances::new(&region, &region.stones, defender_plays);
                assert_eq!(
                    distances.distance(None),
                    distance_by_pairs(&eyes, Set::EMPTY, defender_plays)
                );
                for index in region.geometry.empty_points(&region.stones).indices() {
                    let expected = distance_by_pairs(&eyes, Set::single(index), defender_plays);
                    assert_eq!(distances.distance(Some(index)), expected);
                    counts[expected as usize] += 1;
                }
            }
        }
        assert!(counts[2..].iter().all(|count| *count > 20), "{counts:?}");
    }
}
