//! The region of the board in which a group lives or dies.
//!
//! Everything outside the region is assumed to be settled. Stones that are connected to the outside live. Empty points
//! outside belong to the attacker, so an area of the defender that is connected to the outside is not an eye.
//!
//! Inside the region, an attacker chain is a *wall* if it has liberties that are nearer to the outside than to the
//! group. A wall is safe as long as two of these liberties remain after the next move.
//!
//! The *escape area* contains the empty points that are open to the outside (connected to it through empty points) and
//! more than a few steps away from the group. The defender does not play there, and a defender chain with three
//! liberties there has escaped. The attacker may fill the points of the escape area that are nearest to the group.
//!
//! A proof must hold whatever the surroundings allow, so there are two versions of a region (see [`Favours`]). The rules
//! above are those of the version that favours the attacker, for proofs that the group lives. In the version that
//! favours the defender, for proofs that the group dies, the escape area also includes every boundary point from which
//! the group may leave the region. The group lives if it occupies such a point, or if it has a liberty in the escape
//! area when the defender is to move, or two when the attacker is to move. Only attacker stones with enough outer
//! liberties, or connected to secure stones outside, are safe there, and stones that can be connected to them at either
//! of two points.

mod walls;

use super::dead_area;
use super::problem::{LifeError, LifeProblem};
use super::set::Set;
use super::small_eye_space::{self, SmallEyeSpace};
use super::surroundings::Surroundings;
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, OutsideConnection, Stones};
use std::cmp::Ordering;

/// Maximum distance from the group, in steps, at which the defender plays on points that are open to the outside.
const DEFENDER_STEPS: u32 = 3;
/// The value of `DEFENDER_STEPS` for the narrow region.
const NARROW_DEFENDER_STEPS: u32 = 2;
/// Number of liberties in the escape area with which a defender chain is safe.
const ESCAPE_LIBERTIES: u32 = 3;
/// The value of `ESCAPE_LIBERTIES` for a region that favours the defender, if the attacker is to move. If the defender
/// is to move, it needs one less.
const FAVOURED_ESCAPE_LIBERTIES: u32 = 2;
/// Maximum number of liberties of an adjacent attacker chain that the defender may try to capture.
const WEAK_CHAIN_LIBERTIES: u32 = 3;
/// Number of outer liberties with which a wall is safe if the attacker is to move. If the defender is to move, the wall
/// needs one more.
const WALL_LIBERTIES: u32 = 2;

/// Side in whose favour the surroundings are assumed to work. A proof is valid if they favour the opponent of the side
/// that reaches the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Favours {
    Attacker,
    Defender,
}

/// A region of a board. In `stones`, `own` holds the defender's stones.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Shape of the region. Stones that are connected to the outside, or would be there, have outside liberties. Those
    /// of the side that the region does not favour must be secure.
    pub geometry: BoardGeometry<Set>,
    pub stones: Stones<Set>,
    /// Stones that must live or die.
    pub target: Set,
    /// Points where the attacker (index 0) and the defender (index 1) may play.
    playable: [Set; 2],
    /// Empty points where the defender does not play, because they lead to the outside.
    distant_area: Set,
    /// The points of `distant_area` through which the group escapes.
    escape_area: Set,
    /// Empty points that are connected to the outside.
    open_to_outside: Set,
    /// The points in `open_to_outside` that are nearer to the outside than to the group.
    outer_points: Set,
    /// Points where attacker stones count as walls: the attacker chains that have a liberty in `outer_points`, and the
    /// points in `attacker_border`.
    wall_points: Set,
    /// Boundary points where the attacker is connected to the outside.
    attacker_border: Set,
    surroundings: Surroundings,
    favours: Favours,
    /// Row-major index of each point.
    row_major: [u8; Set::BITS as usize],
    left: usize,
    top: usize,
}

impl Region {
    /// Creates the region from the bounding rectangle of `points`, which contain those of the problem.
    pub fn new(
        problem: &LifeProblem<'_>,
        points: &PointSet,
        defender: Color,
        favours: Favours,
    ) -> Result<Self, LifeError> {
        Self::with_steps(problem, points, defender, favours, DEFENDER_STEPS)
    }

    /// Creates a narrow region, which favours the attacker and in which the defender has fewer moves towards the outside.
    /// Searches of the narrow region are faster but can be wrong.
    pub fn narrow(
        problem: &LifeProblem<'_>,
        points: &PointSet,
        defender: Color,
    ) -> Result<Self, LifeError> {
        let steps = NARROW_DEFENDER_STEPS;
        Self::with_steps(problem, points, defender, Favours::Attacker, steps)
    }

    /// Returns true if both regions allow the same moves.
    pub fn allows_same_moves(&self, other: &Self) -> bool {
        self.playable == other.playable
    }

    fn with_steps(
        problem: &LifeProblem<'_>,
        points: &PointSet,
        defender: Color,
        favours: Favours,
        steps: u32,
    ) -> Result<Self, LifeError> {
        let mut region = Self::from_bounding_box(points, favours)?;
        region.stones = region.stones_on(problem.board, defender);
        let index = |point| region.index(point);
        region.surroundings = Surroundings::new(problem.board, defender, index);
        region.connect_to_outside();
        region.target = region.target_of(problem)?;
        region.classify_points(steps);
        if region.target.is_empty() {
            return Err(LifeError::NoTarget { defender });
        }
        Ok(region)
    }

    /// Returns the stones that must live or die: the given chain, or all stones of the defender in the region of the
    /// problem that are not connected to stones outside.
    fn target_of(&self, problem: &LifeProblem<'_>) -> Result<Set, LifeError> {
        let own = self.stones.own;
        let target = match problem.target.and_then(|target| self.index(target)) {
            Some(target) => self.geometry.flood(Set::single(target) & own, own),
            None => {
                let (first, last) = problem
                    .region
                    .bounding_corners()
                    .ok_or(LifeError::NoRegion)?;
                let inside = self.indices(&PointSet::rectangle(first, last));
                own & !self.geometry.flood(own & !inside, own)
            }
        };
        Ok(target & !self.surroundings.connected)
    }

    /// Determines the border of the attacker and the outside liberties.
    fn connect_to_outside(&mut self) {
        let outside = self.surroundings;
        let Stones {
            own,
            opponent: attackers,
        } = self.stones;
        let liberties;
        (self.attacker_border, liberties) = match self.favours {
            Favours::Attacker => {
                let connected = attackers & outside.connected | outside.attacker_links;
                let liberties = Stones {
                    own: own & outside.connected & outside.secure,
                    opponent: connected | outside.open_border,
                };
                let open_border = outside.open_border & !outside.defender_links;
                (outside.attacker_links | open_border, liberties)
            }
            Favours::Defender => {
                let liberties = Stones {
                    own: own & outside.connected | self.exits(),
                    opponent: attackers & outside.secure | outside.secure_links,
                };
                let open_border = outside.roomy_border & !outside.defender_links;
                (outside.secure_links | open_border, liberties)
            }
        };
        self.geometry = self.geometry.connected_to_outside(OutsideConnection {
            boundary: outside.boundary,
            liberties,
        });
    }

    /// Returns the boundary points from which a defender stone may leave the region.
    fn exits(&self) -> Set {
        self.surroundings.open_border | self.surroundings.defender_links
    }

    fn from_bounding_box(region: &PointSet, favours: Favours) -> Result<Self, LifeError> {
        let (first, last) = region.bounding_corners().ok_or(LifeError::NoRegion)?;
        let (left, top) = (first.column(), first.row());
        let (width, height) = (last.column() - left + 1, last.row() - top + 1);
        let geometry = BoardGeometry::new(width as u32, height as u32)
            .ok_or(LifeError::TooLarge { width, height })?;
        Ok(Self {
            geometry,
            stones: Stones::default(),
            target: Set::EMPTY,
            playable: [geometry.all_points(); 2],
            distant_area: Set::EMPTY,
            escape_area: Set::EMPTY,
            open_to_outside: Set::EMPTY,
            outer_points: Set::EMPTY,
            wall_points: Set::EMPTY,
            attacker_border: Set::EMPTY,
            surroundings: Surroundings::default(),
            favours,
            row_major: row_major_indices(&geometry),
            left,
            top,
        })
    }

    /// Classifies the points around the group. `steps` is the maximum distance from the group at which the defender
    /// plays on points that are open to the outside.
    fn classify_points(&mut self, steps: u32) {
        let geometry = self.geometry;
        let empty = geometry.empty_points(&self.stones);
        let open_border = match self.favours {
            Favours::Attacker => self.attacker_border,
            Favours::Defender => self.surroundings.open_border | self.attacker_border,
        };
        self.open_to_outside = geometry.flood(open_border & empty, empty);
        let reach =
            geometry.flood_within_steps(self.target, empty, steps) | self.weak_chain_liberties();
        let exits = match self.favours {
            Favours::Attacker => Set::EMPTY,
            Favours::Defender => self.exits() & empty,
        };
        let mut attacker_reach = geometry.flood_within_steps(reach & !exits, empty, 1);
        if self.favours == Favours::Defender {
            attacker_reach |= self.liberties_of_walls(reach & !exits, empty);
        }
        // Points that can only be reached from outside through nearby points do not belong to the distant area, however
        // far away they are.
        let distant = self.open_to_outside & (!reach | exits);
        let connected_to = |border: Set| geometry.flood(border & distant, distant);
        self.distant_area = connected_to(open_border) | exits;
        self.escape_area = match self.favours {
            Favours::Attacker => connected_to(self.surroundings.refuge_border & open_border),
            Favours::Defender => self.distant_area,
        };
        let excluded = self.distant_area & !(reach & exits);
        self.playable = [excluded & !attacker_reach, excluded]
            .map(|excluded| geometry.all_points() & !excluded);
        self.outer_points = self.nearer_to_outside();
        let touching_walls = geometry.neighbours(self.outer_points) & self.stones.opponent;
        self.wall_points =
            self.attacker_border | geometry.flood(touching_walls, self.stones.opponent);
    }

    /// Returns the liberties of the attacker chains that touch the group or the given points.
    fn liberties_of_walls(&self, reach: Set, empty: Set) -> Set {
        let (geometry, attackers) = (&self.geometry, self.stones.opponent);
        let touching = geometry.neighbours(self.target | reach) & attackers;
        geometry.neighbours(geometry.flood(touching, attackers)) & empty
    }

    /// Returns the empty points that are nearer to the outside than to the group, measured in steps through empty
    /// points. Only these points count as liberties of walls. Liberties inside a group that is not enclosed yet do not
    /// count.
    fn nearer_to_outside(&self) -> Set {
        let geometry = &self.geometry;
        let empty = geometry.empty_points(&self.stones);
        let mut nearer_to_group = geometry.neighbours(self.target) & empty;
        let mut nearer_to_outside = self.attacker_border & empty & !nearer_to_group;
        loop {
            let next_to_group =
                nearer_to_group | geometry.neighbours(nearer_to_group) & empty & !nearer_to_outside;
            let next_to_outside =
                nearer_to_outside | geometry.neighbours(nearer_to_outside) & empty & !next_to_group;
            if (next_to_group, next_to_outside) == (nearer_to_group, nearer_to_outside) {
                return nearer_to_outside;
            }
            (nearer_to_group, nearer_to_outside) = (next_to_group, next_to_outside);
        }
    }

    /// Returns the liberties of the attacker chains that are adjacent to the group and have at most
    /// [`WEAK_CHAIN_LIBERTIES`] liberties.
    fn weak_chain_liberties(&self) -> Set {
        let geometry = self.geometry;
        let adjacent_attackers = geometry.neighbours(self.target) & self.stones.opponent;
        let liberties = (geometry
            .components(geometry.flood(adjacent_attackers, self.stones.opponent)))
        .map(|chain| geometry.neighbours(chain) & geometry.empty_points(&self.stones));
        let few = liberties.filter(|liberties| liberties.count() <= WEAK_CHAIN_LIBERTIES);
        few.fold(Set::EMPTY, |all, liberties| all | liberties)
    }

    /// Returns the number of stones that can be reached from outside: first the defender's, then the attacker's.
    pub fn count_reachable_from_outside(&self) -> [u32; 2] {
        let reachable =
            self.geometry.neighbours(self.open_to_outside) | self.geometry.outside_boundary();
        [
            (reachable & self.stones.own).count(),
            (reachable & self.stones.opponent).count(),
        ]
    }

    /// Returns the points where the defender (if `defender` is true) or the attacker may play.
    pub const fn playable_by(&self, defender: bool) -> Set {
        self.playable[defender as usize]
    }

    /// Returns the empty points where neither side may play.
    pub fn unplayable(&self) -> Set {
        let [attacker, defender] = self.playable;
        self.geometry.empty_points(&self.stones) & !(attacker | defender)
    }

    /// Returns the defender's stones that a static test shows to be uncapturable.
    pub fn alive_defenders(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        let (mut safe, liberties_needed) = match self.favours {
            Favours::Attacker => (self.living_outside(), ESCAPE_LIBERTIES),
            Favours::Defender => (
                self.living_outside() | self.exits(),
                FAVOURED_ESCAPE_LIBERTIES - u32::from(defender_to_move),
            ),
        };
        safe &= stones.own;
        let escape_area = self.escape_area & !stones.opponent;
        let escaping = self.geometry.neighbours(escape_area) & stones.own;
        for chain in self
            .geometry
            .components(self.geometry.flood(escaping, stones.own))
        {
            if (self.geometry.neighbours(chain) & escape_area).count() >= liberties_needed {
                safe |= chain;
            }
        }
        let regions = self.geometry.all_points() & !stones.own;
        // In most positions, the points without defender stones are connected, so no chain has two eyes.
        let is_connected = || {
            self.geometry
                .flood(Set::single(regions.lowest_index()), regions)
                == regions
        };
        if regions.is_empty() || is_connected() {
            return self.geometry.flood(safe, stones.own);
        }
        let safe = safe | self.alive_in_eye_space(stones, regions);
        self.geometry.pass_alive_stones(stones, safe)
    }

    /// Returns the points where the attacker must play at once to stop the group from escaping, unless it captures
    /// stones of the group. Empty if the group does not threaten to escape.
    pub fn escape_threats(&self, stones: &Stones<Set>) -> Set {
        if self.favours == Favours::Attacker {
            return Set::EMPTY;
        }
        let area = self.escape_area & !stones.opponent;
        let escaping = self
            .geometry
            .flood(self.geometry.neighbours(area) & stones.own, stones.own);
        let group = self.geometry.flood(self.target & escaping, stones.own);
        self.geometry.neighbours(group) & area
    }

    /// Returns the defender's initial stones that are connected to living stones outside.
    fn living_outside(&self) -> Set {
        let connected = self.surroundings.connected & self.stones.own;
        match self.favours {
            Favours::Attacker => connected & self.surroundings.secure,
            Favours::Defender => connected,
        }
    }

    /// Returns the defender chains that each make two eyes inside a single space, even if the attacker moves first.
    fn alive_in_eye_space(&self, stones: &Stones<Set>, regions: Set) -> Set {
        let geometry = &self.geometry;
        let small = geometry.components(regions).filter(|space| {
            space.count() as usize <= small_eye_space::MAX_POINTS
                && !space.intersects(geometry.outside_boundary())
        });
        let living_chain = |space: Set| {
            let surroundings = geometry.neighbours(space) & !space;
            let chain = geometry.flood(Set::single(surroundings.lowest_index()), stones.own);
            let is_enclosed =
                surroundings.is_subset(chain) && space.is_subset(geometry.neighbours(chain));
            let mut space = is_enclosed
                .then(|| SmallEyeSpace::new(geometry, space, space & stones.opponent))??;
            space.is_alive().then_some(chain)
        };
        small
            .filter_map(living_chain)
            .fold(Set::EMPTY, |all, chain| all | chain)
    }

    /// Returns the attacker stones that are safe because of their connection to the outside: those that are always
    /// safe, and the walls with enough outer liberties. If the defender is to move, a wall needs one more liberty.
    ///
    /// In a region that favours the defender, no stone is safe merely because it is next to the escape area, but stones
    /// that can be connected to safe ones are.
    pub fn safe_attackers(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        if self.favours == Favours::Defender {
            return self.defensible_attackers(stones, defender_to_move);
        }
        let Stones {
            opponent: attackers,
            ..
        } = *stones;
        let (geometry, always_safe) = (self.geometry, self.always_safe_attackers(stones));
        let outer_points = self.outer_points & geometry.empty_points(stones);
        let walls = geometry
            .components(geometry.flood(attackers & self.wall_points & !always_safe, attackers));
        let is_safe = |wall: &Set| {
            (geometry.neighbours(*wall) & outer_points).count()
                >= WALL_LIBERTIES + u32::from(defender_to_move)
        };
        walls
            .filter(is_safe)
            .fold(always_safe, |sum, wall| sum | wall)
    }

    /// Returns the attacker stones that are safe because the rest of their chain or an adjacent stone is outside, and
    /// the others near the outside with enough outer liberties.
    ///
    /// Those with exactly the number of liberties needed are not safe if the defender can threaten several of them at
    /// once and the attacker cannot protect them by a single move. This is the case if they share several liberties.
    fn defensible_attackers(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        let (geometry, attackers) = (&self.geometry, stones.opponent);
        let secure = self.surroundings.secure & self.stones.opponent;
        let always_safe = geometry.flood(
            attackers & (secure | self.surroundings.secure_links),
            attackers,
        );
        let empty = geometry.empty_points(stones);
        let open = self.open_liberties(empty);
        let near_outside =
            self.wall_points | self.escape_area | geometry.neighbours(self.escape_area & empty);
        let walls =
            geometry.components(geometry.flood(attackers & near_outside & !always_safe, attackers));
        let needed = WALL_LIBERTIES + u32::from(defender_to_move);
        let (mut safe, mut weakest) = (always_safe, Set::EMPTY);
        let (mut weakest_liberties, mut shared_liberties) = (Set::EMPTY, Set::EMPTY);
        for wall in walls {
            let liberties = geometry.neighbours(wall) & open;
            match (liberties.count() + self.outside_liberties(wall).count()).cmp(&needed) {
                Ordering::Less => {}
                Ordering::Equal => {
                    weakest |= wall;
                    shared_liberties |= liberties & weakest_liberties;
                    weakest_liberties |= liberties;
                }
                Ordering::Greater => safe |= wall,
            }
        }
        let is_overloaded = shared_liberties.count() > 1 + u32::from(defender_to_move);
        let safe = if is_overloaded { safe } else { safe | weakest };
        self.with_connections(stones, safe, empty & !open)
    }

    /// Returns the `empty` points that count as outer liberties of walls.
    fn open_liberties(&self, empty: Set) -> Set {
        self.geometry.flood(self.attacker_border & empty, empty)
            & (self.outer_points | self.escape_area)
    }

    /// Returns the stones of a wall that have a liberty outside the region.
    fn outside_liberties(&self, wall: Set) -> Set {
        wall & self.surroundings.open_border & self.attacker_border
    }

    /// Returns the safe attacker stones and those that can be connected to them through two of the `free` points, even
    /// if the defender plays at one of them. Each point serves a single connection.
    fn with_connections(&self, stones: &Stones<Set>, mut safe: Set, mut free: Set) -> Set {
        let geometry = &self.geometry;
        loop {
            let adjacent = geometry.neighbours(safe) & free;
            let others = geometry.neighbours(adjacent) & stones.opponent & !safe;
            let connection = geometry
                .components(geometry.flood(others, stones.opponent))
                .map(|chain| (chain, geometry.neighbours(chain) & adjacent))
                .find(|(_, common)| common.count() >= 2);
            let Some((chain, common)) = connection else {
                return safe;
            };
            safe |= chain;
            let used = common.indices().take(2);
            free &= !used.fold(Set::EMPTY, |all, point| all | Set::single(point));
        }
    }

    /// Returns the attacker stones that are assumed to be safe regardless of their liberties.
    fn always_safe_attackers(&self, stones: &Stones<Set>) -> Set {
        let distant_area = self.distant_area & !stones.opponent;
        stones.opponent
            & (self.surroundings.connected
                | self.attacker_border
                | self.distant_area
                | self.geometry.neighbours(distant_area))
    }

    /// Returns the stones that a proof assumes to be safe in a position. For a proof that the group lives (if `lives` is
    /// true), these are the defender's stones connected to the outside. For a proof that it dies, these are the
    /// attacker's safe stones.
    pub fn assumed_safe(&self, stones: &Stones<Set>, lives: bool, defender_to_move: bool) -> Set {
        match lives {
            true => self.living_outside() & stones.own,
            false => self.safe_attackers(stones, defender_to_move),
        }
    }

    /// Returns the boundary points where the attacker may connect to secure stones outside.
    pub const fn outside_links(&self) -> Set {
        self.surroundings.secure_links
    }

    /// Returns the stones of a board inside the region.
    pub fn stones_on(&self, board: &Board, defender: Color) -> Stones<Set> {
        Stones {
            own: self.indices(board.stones(defender)),
            opponent: self.indices(board.stones(defender.opposite())),
        }
    }

    /// Returns those of the points that are in the region.
    fn indices(&self, points: &PointSet) -> Set {
        let indices = points.iter().filter_map(|point| self.index(point));
        indices.fold(Set::EMPTY, |all, index| all | Set::single(index))
    }

    /// Returns the points where a static test shows that the defender cannot live, including the safe attacker stones.
    pub fn dead_area(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        self.dead_area_between(stones, self.safe_attackers(stones, defender_to_move))
    }

    /// Like [`Region::dead_area`], for the given safe attacker stones.
    pub fn dead_area_between(&self, stones: &Stones<Set>, safe_attackers: Set) -> Set {
        let safe_attackers = self
            .geometry
            .pass_alive_stones(&stones.swapped(), safe_attackers);
        let mut living_defenders = self.surroundings.connected & stones.own;
        if self.favours == Favours::Defender {
            // The group is not dead as long as it may reach the escape area, or stones from which the region can be left.
            living_defenders |= (self.escape_area | self.exits()) & !stones.opponent;
        }
        dead_area::dead_area(
            &self.geometry,
            stones,
            safe_attackers,
            [self.distant_area, living_defenders],
        )
    }

    /// Returns the row-major index of a point. An order based on it does not depend on the bit layout.
    pub const fn row_major_index(&self, index: u32) -> u8 {
        self.row_major[index as usize]
    }

    /// Returns the board point for an index in the region.
    pub fn point(&self, index: u32) -> Point {
        let (column, row) = self.geometry.coordinates(index);
        Point::at(self.left + column as usize, self.top + row as usize)
    }

    /// Returns the board points for a set of points of the region.
    pub fn points(&self, set: Set) -> PointSet {
        set.indices().map(|index| self.point(index)).collect()
    }

    /// Returns the index of a board point in the region, or `None` if the point is outside.
    pub fn index(&self, point: Point) -> Option<u32> {
        let column = u32::try_from(point.column().checked_sub(self.left)?).ok()?;
        let row = u32::try_from(point.row().checked_sub(self.top)?).ok()?;
        (column < self.geometry.width() && row < self.geometry.height())
            .then(|| self.geometry.index(column, row))
    }
}

fn row_major_indices(geometry: &BoardGeometry<Set>) -> [u8; Set::BITS as usize] {
    let mut row_major = [0; Set::BITS as usize];
    for index in geometry.all_points().indices() {
        let (column, row) = geometry.coordinates(index);
        row_major[index as usize] = (row * geometry.width() + column) as u8;
    }
    row_major
}
