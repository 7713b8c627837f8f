//! Small eye spaces inside a single chain. Determines whether the owner can split the space into two eyes, or whether
//! the attacker can prevent this by playing inside (nakade).
//!
//! The surrounding chain is connected, and every stone that its owner adds becomes part of it. The space therefore only
//! shrinks, no owner stone inside can be captured separately, and there are no kos or repetitions. A small search is
//! sufficient.

use super::set::Set;
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::BoardGeometry;
use crate::tactics::bitboard::word::Word;

/// Maximum number of points of a space.
pub(super) const MAX_POINTS: usize = 7;

/// Number of states of a space: each point is empty, the owner's or the attacker's.
const NUM_STATES: usize = 3_usize.pow(MAX_POINTS as u32);

/// Set of points of a space, as a bit mask in the order of their indices.
type SpaceBits = u8;

/// Life of a chain whose only eye space is a small one, provided that the surrounding stones of the attacker are safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallSpaceStatus {
    /// The chain dies even if its owner moves first.
    Dead,
    /// The side that moves first decides, or there is a seki.
    Unsettled,
    /// The owner makes two eyes even if the attacker moves first.
    Alive,
}

/// Returns the status of a chain whose only eye space consists of `points`, some of which may be occupied by stones of
/// the attacker. Returns `None` if there are more than seven points.
pub fn small_space_status(points: &PointSet, attackers: &PointSet) -> Option<SmallSpaceStatus> {
    let mut space = SmallEyeSpace::of_points(points, attackers)?;
    Some(if space.is_alive() {
        SmallSpaceStatus::Alive
    } else if space.is_dead() {
        SmallSpaceStatus::Dead
    } else {
        SmallSpaceStatus::Unsettled
    })
}

/// Returns true if a chain without other liberties, whose only eye space consists of `points`, is captured even if its
/// owner moves first, provided that the surrounding stones of the attacker are safe. `attackers` are the attacker's
/// stones inside. Returns false if there are more than seven points.
pub fn is_captured_inside(points: &PointSet, attackers: &PointSet) -> bool {
    let space = SmallEyeSpace::of_points(points, attackers);
    space.is_some_and(|mut space| {
        let initial = space.initial;
        space.query(SpaceQuery::ChainCapturedOwnerFirst, initial)
    })
}

/// A small eye space, with cached query results.
#[derive(Debug)]
pub(super) struct SmallEyeSpace {
    adjacency: Adjacency,
    initial: SpaceState,
    /// Cached results by state, two bits per query: 0 if unknown, 2 for false, 3 for true.
    cache: [u8; NUM_STATES],
}

/// A question about a state of a space.
#[derive(Clone, Copy, Debug)]
enum SpaceQuery {
    /// See [`SmallEyeSpace::is_dead`].
    Dead,
    /// See [`SmallEyeSpace::is_alive`].
    Alive,
    /// If the chain has no outside liberties and its owner moves first, is it captured?
    ChainCapturedOwnerFirst,
    /// If the chain has no outside liberties and the attacker moves first, is it captured?
    ChainCapturedAttackerFirst,
}

impl SmallEyeSpace {
    /// Creates the space with the given points, some of which may be occupied by attacker stones. Returns `None` if
    /// there are more than [`MAX_POINTS`] points.
    pub fn new(geometry: &BoardGeometry<Set>, points: Set, attackers: Set) -> Option<Self> {
        if points.count() as usize > MAX_POINTS {
            return None;
        }
        let to_bits = |set: Set| {
            let numbers = points.indices().enumerate();
            let bit = |(index, number)| u8::from(set.intersects(Set::single(number))) << index;
            numbers.map(bit).fold(0, |all, bit| all | bit)
        };
        let mut neighbours = [0; MAX_POINTS];
        for (neighbours, number) in neighbours.iter_mut().zip(points.indices()) {
            *neighbours = to_bits(geometry.neighbours(Set::single(number)));
        }
        Some(Self::from_bits(
            neighbours,
            to_bits(points),
            to_bits(attackers),
        ))
    }

    /// Like [`new`](Self::new), for sets of points of any board.
    fn of_points(points: &PointSet, attackers: &PointSet) -> Option<Self> {
        if points.len() > MAX_POINTS {
            return None;
        }
        let to_bits = |set: &PointSet| -> SpaceBits {
            let bit = |(index, point)| u8::from(set.contains(point)) << index;
            points.iter().enumerate().map(bit).sum()
        };
        let mut neighbours = [0; MAX_POINTS];
        for (neighbours, point) in neighbours.iter_mut().zip(points.iter()) {
            *neighbours = to_bits(&PointSet::single(point).neighbours(points));
        }
        Some(Self::from_bits(
            neighbours,
            to_bits(points),
            to_bits(attackers),
        ))
    }

    const fn from_bits(
        neighbours: [SpaceBits; MAX_POINTS],
        points: SpaceBits,
        attackers: SpaceBits,
    ) -> Self {
        Self {
            adjacency: Adjacency { neighbours },
            initial: SpaceState { points, attackers },
            cache: [0; NUM_STATES],
        }
    }

    /// Returns true if the chain dies even if its owner moves first, provided that the surrounding attacker stones are
    /// safe. The owner then gets neither two eyes nor a seki, regardless of the number of outside liberties.
    pub fn is_dead(&mut self) -> bool {
        self.query(SpaceQuery::Dead, self.initial)
    }

    /// Returns true if the owner makes two eyes even if the attacker moves first and the chain has no outside
    /// liberties.
    pub fn is_alive(&mut self) -> bool {
        self.query(SpaceQuery::Alive, self.initial)
    }

    /// Returns the result for a state, from the cache if possible.
    fn query(&mut self, query: SpaceQuery, state: SpaceState) -> bool {
        let (index, shift) = (state.state_index(), 2 * query as u32);
        match self.cache[index] >> shift & 3 {
            0 => {
                let result = match query {
                    SpaceQuery::Dead => self.compute_is_dead(state),
                    SpaceQuery::Alive => self.compute_is_alive(state),
                    SpaceQuery::ChainCapturedOwnerFirst => {
                        self.compute_chain_captured_owner_first(state)
                    }
                    SpaceQuery::ChainCapturedAttackerFirst => {
                        self.compute_chain_captured_attacker_first(state)
                    }
                };
                self.cache[index] |= (2 + u8::from(result)) << shift;
                result
            }
            cached => cached == 3,
        }
    }

    fn compute_is_dead(&mut self, state: SpaceState) -> bool {
        let adjacency = self.adjacency;
        let mut is_dead = |next| self.query(SpaceQuery::Dead, next);
        !adjacency.can_be_split(state)
            && { adjacency.after_owner_moves(state) }
                .all(|next| is_dead(next) || adjacency.after_attacker_moves(next).any(&mut is_dead))
            && self.query(SpaceQuery::ChainCapturedOwnerFirst, state)
    }

    fn compute_is_alive(&mut self, state: SpaceState) -> bool {
        let adjacency = self.adjacency;
        let mut makes_eyes = |state| {
            adjacency.after_owner_moves(state).any(|next| {
                next.empty() != 0
                    && (adjacency.is_split(next) || self.query(SpaceQuery::Alive, next))
            })
        };
        // The attacker captures a chain with a single liberty.
        state.empty().count_ones() > 1
            && makes_eyes(state)
            && adjacency.after_attacker_moves(state).all(makes_eyes)
    }

    fn compute_chain_captured_owner_first(&mut self, state: SpaceState) -> bool {
        let adjacency = self.adjacency;
        let mut is_captured = |next| self.query(SpaceQuery::ChainCapturedAttackerFirst, next);
        !adjacency.can_be_split(state)
            && is_captured(state)
            // The owner may not fill the last liberty.
            && { adjacency.after_owner_moves(state) }.all(|next| next.empty() == 0 || is_captured(next))
    }

    fn compute_chain_captured_attacker_first(&mut self, state: SpaceState) -> bool {
        let adjacency = self.adjacency;
        let is_captured = |next| self.query(SpaceQuery::ChainCapturedOwnerFirst, next);
        state.empty().count_ones() <= 1 || adjacency.after_attacker_moves(state).any(is_captured)
    }
}

/// Remaining points of a space, and the stones on them.
#[derive(Clone, Copy, Debug)]
struct SpaceState {
    /// Points that the owner has not occupied.
    points: SpaceBits,
    /// The subset of `points` occupied by the attacker's stones.
    attackers: SpaceBits,
}

impl SpaceState {
    const fn empty(self) -> SpaceBits {
        self.points & !self.attackers
    }

    /// Returns the index of the state among all [`NUM_STATES`].
    fn state_index(self) -> usize {
        let digit =
            |index: usize| usize::from((self.points >> index & 1) + (self.attackers >> index & 1));
        (0..MAX_POINTS).fold(0, |index, position| 3 * index + digit(position))
    }
}

/// Adjacency of the points of a space.
#[derive(Clone, Copy, Debug)]
struct Adjacency {
    /// Neighbours of each point.
    neighbours: [SpaceBits; MAX_POINTS],
}

impl Adjacency {
    /// Returns the states after each owner move.
    fn after_owner_moves(self, state: SpaceState) -> impl Iterator<Item = SpaceState> {
        { state.empty().indices() }.map(move |index| self.after_owner_move(state, 1 << index))
    }

    /// Returns the states after each attacker move, without suicides.
    fn after_attacker_moves(self, state: SpaceState) -> impl Iterator<Item = SpaceState> {
        { state.empty().indices() }
            .filter_map(move |index| self.after_attacker_move(state, 1 << index))
    }

    fn after_owner_move(self, state: SpaceState, point: SpaceBits) -> SpaceState {
        let points = state.points & !point;
        let (mut remaining, mut uncaptured) = (state.attackers, 0);
        while remaining != 0 {
            let chain = self.flood(remaining & remaining.wrapping_neg(), remaining);
            remaining &= !chain;
            if self.neighbours_of(chain) & points & !state.attackers != 0 {
                uncaptured |= chain;
            }
        }
        SpaceState {
            points,
            attackers: uncaptured,
        }
    }

    fn after_attacker_move(self, state: SpaceState, point: SpaceBits) -> Option<SpaceState> {
        let next = SpaceState {
            attackers: state.attackers | point,
            ..state
        };
        let chain = self.flood(point, next.attackers);
        (self.neighbours_of(chain) & next.empty() != 0).then_some(next)
    }

    /// Returns true if the owner can make two eyes with a single move.
    fn can_be_split(self, state: SpaceState) -> bool {
        self.after_owner_moves(state)
            .any(|next| self.is_split(next))
    }

    /// Returns true if the points of the state are not all connected to each other.
    fn is_split(self, SpaceState { points, .. }: SpaceState) -> bool {
        self.flood(points & points.wrapping_neg(), points) != points
    }

    /// Returns the points connected to `from` through `through`.
    fn flood(self, from: SpaceBits, through: SpaceBits) -> SpaceBits {
        let mut reached = from;
        loop {
            let grown = reached | self.neighbours_of(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    /// Returns all neighbours of the given points.
    fn neighbours_of(self, points: SpaceBits) -> SpaceBits {
        let neighbours_at =
            |(index, beside): (usize, SpaceBits)| if points >> index & 1 == 1 { beside } else { 0 };
        (self.neighbours.into_iter().enumerate().map(neighbours_at))
            .fold(0, |all, beside| all | beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;
    use crate::random::Rng;

    /// Status of known shapes. `.` is empty, `O` an attacker stone. The flags are the expected results of `is_dead` and
    /// `is_alive`.
    #[test]
    fn known_shapes_have_known_status() {
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
            let geometry = BoardGeometry::new(7, 3).unwrap();
            let points_with = |letters: &str| {
                let points = rows.iter().enumerate().flat_map(|(y, row)| {
                    let points = row.chars().enumerate();
                    points.map(move |(x, letter)| (x as u32, y as u32, letter))
                });
                points
                    .filter(|(.., letter)| letters.contains(*letter))
                    .fold(Set::EMPTY, |set, (x, y, _)| {
                        set | Set::single(geometry.index(x + 1, y + 1))
                    })
            };
            let mut space =
                SmallEyeSpace::new(&geometry, points_with(".O"), points_with("O")).unwrap();
            assert_eq!(
                (space.is_dead(), space.is_alive()),
                (dead, alive),
                "{rows:?}"
            );
            let status = match (dead, alive) {
                (true, _) => SmallSpaceStatus::Dead,
                (false, false) => SmallSpaceStatus::Unsettled,
                (false, true) => SmallSpaceStatus::Alive,
            };
            let set_of = |letters: &str| -> PointSet {
                let points = rows.iter().enumerate().flat_map(|(row, text)| {
                    let matching = text.chars().enumerate();
                    let matching = matching.filter(|(_, letter)| letters.contains(*letter));
                    matching.map(move |(column, _)| Point::at(column + 1, row + 1))
                });
                points.collect()
            };
            let found = small_space_status(&set_of(".O"), &set_of("O"));
            assert_eq!(found, Some(status), "{rows:?}");
        }
    }

    /// Points of a space, and those with an attacker stone.
    type TestState = (Set, Set);

    /// Returns the states after each move of the owner or the attacker.
    fn moves(
        geometry: &BoardGeometry<Set>,
        (points, attackers): TestState,
        owner_moves: bool,
    ) -> Vec<TestState> {
        let after_move = |index| {
            let (stone, mut next) = (Set::single(index), (points, attackers));
            if owner_moves {
                next = (points & !stone, Set::EMPTY);
                let empty = next.0 & !attackers;
                for chain in geometry
                    .components(attackers)
                    .filter(|chain| geometry.neighbours(*chain).intersects(empty))
                {
                    next.1 |= chain;
                }
            } else {
                next.1 |= stone;
                let chain = geometry.flood(stone, next.1);
                if !geometry.neighbours(chain).intersects(points & !next.1) {
                    return None;
                }
            }
            Some(next)
        };
        (points & !attackers)
            .indices()
            .filter_map(after_move)
            .collect()
    }

    fn can_be_split(geometry: &BoardGeometry<Set>, state: TestState) -> bool {
        moves(geometry, state, true)
            .iter()
            .any(|next| geometry.components(next.0).count() > 1)
    }

    fn is_captured(geometry: &BoardGeometry<Set>, state: TestState) -> bool {
        let is_captured_next = |state: TestState| {
            let num_empty = (state.0 & !state.1).count();
            num_empty <= 1
                || moves(geometry, state, false)
                    .into_iter()
                    .any(|next| is_captured(geometry, next))
        };
        !can_be_split(geometry, state)
            && is_captured_next(state)
            && moves(geometry, state, true)
                .into_iter()
                .all(|next| next.0 == next.1 || is_captured_next(next))
    }

    fn is_dead(geometry: &BoardGeometry<Set>, state: TestState) -> bool {
        !can_be_split(geometry, state)
            && moves(geometry, state, true).into_iter().all(|next| {
                let mut replies = moves(geometry, next, false).into_iter();
                is_dead(geometry, next) || replies.any(|reply| is_dead(geometry, reply))
            })
            && is_captured(geometry, state)
    }

    fn is_alive(geometry: &BoardGeometry<Set>, state: TestState) -> bool {
        let makes_eyes = |state: TestState| {
            let is_split = |next: TestState| {
                geometry.components(next.0).count() > 1 || is_alive(geometry, next)
            };
            moves(geometry, state, true)
                .into_iter()
                .any(|next| next.0 != next.1 && is_split(next))
        };
        (state.0 & !state.1).count() > 1
            && makes_eyes(state)
            && moves(geometry, state, false).into_iter().all(makes_eyes)
    }

    #[test]
    fn cached_results_match_plain_recursion() {
        let geometry = BoardGeometry::new(4, 3).unwrap();
        let mut rng = Rng::new(7);
        let mut counts = [0; 3];
        let random_point = |rng: &mut Rng| -> Set {
            let (column, row) = (rng.below(4) as u32, rng.below(3) as u32);
            Set::single(geometry.index(column, row))
        };
        for _ in 0..2_000 {
            let mut points = random_point(&mut rng);
            for _ in 0..rng.below(20) {
                let next = random_point(&mut rng);
                let is_adjacent = geometry.neighbours(next).intersects(points);
                if is_adjacent && (points | next).count() <= 6 {
                    points |= next;
                }
            }
            let attackers = (points.indices()).filter(|_| rng.below(3) == 0);
            let attackers = attackers.fold(Set::EMPTY, |set, number| set | Set::single(number));
            let mut space = SmallEyeSpace::new(&geometry, points, attackers).unwrap();
            let result = (space.is_dead(), space.is_alive());
            let state = (points, attackers);
            assert_eq!(
                result,
                (is_dead(&geometry, state), is_alive(&geometry, state)),
                "{state:?}"
            );
            counts[usize::from(result.0) + 2 * usize::from(result.1)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
