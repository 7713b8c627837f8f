//! The piece of the board where a group lives or dies.
//!
//! What lies beyond the piece is taken for settled: stones that go on there live, and its empty points are the
//! attacker's, so that ground of the group's that leads out is no eye. Within the piece, a chain of the attacker with
//! liberties nearer to what lies beyond than to the group is a wall, which stands while two of them are left after the
//! next move. Empty points out there that are more than a few steps away from the group are *open*: the group's side
//! does not play there, so that a chain of it that has come to three of them has escaped. The attacker may fill the
//! nearest of them.

use super::nakade::{self, SmallEyeSpace};
use super::dead_area;
use super::problem::{LifeError, LifeProblem};
use super::set::Set;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, Outside, Stones};

/// Steps from the group over which its side plays outside.
const DEFENDER_STEPS: u32 = 3;
/// The same on the narrow piece.
const NARROW_DEFENDER_STEPS: u32 = 2;
/// Open liberties that are an escape.
const ESCAPE_LIBERTIES: u32 = 3;
/// A chain of the attacker beside the group with so few liberties may be taken.
const WEAK_CHAIN_LIBERTIES: u32 = 3;
/// Liberties out there with which a wall stands when the attacker is to move; one more when it is not.
const WALL_LIBERTIES: u32 = 2;

/// A piece of a board, seen by the side that would live as `own`.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The shape of the piece. Beyond it breathe what goes on there, and of the attacker what joins it or stood at the
    /// edge from the beginning.
    pub geometry: BoardGeometry<Set>,
    /// The stones on it; those of the side that would live are `own`.
    pub stones: Stones<Set>,
    /// The stones that are to live or die.
    pub target: Set,
    /// Where each side may play: the attacker, and the side that would live.
    playable: [Set; 2],
    /// Empty points where the side that would live does not play.
    escape_area: Set,
    /// Empty points that can be reached from beyond.
    open_to_outside: Set,
    /// Those of them behind the walls: fewer steps from beyond than from the group.
    behind_walls: Set,
    /// Where stones of the attacker are walls: those with a liberty behind, and points at the inner edge.
    wall_points: Set,
    /// Stones that go on beyond the piece.
    connected_outside: Set,
    /// Points at the edge beyond which the attacker's stones or nobody's ground lie, and none of the group's side.
    attacker_border: Set,
    /// By number: which point it is when they are read row by row.
    row_major: [u8; Set::BITS as usize],
    left: usize,
    top: usize,
}

impl Region {
    /// The rectangle around the problem's region.
    pub fn new(problem: &LifeProblem<'_>, defender: Color) -> Result<Self, LifeError> {
        Self::with_steps(problem, defender, DEFENDER_STEPS)
    }

    /// The same with fewer moves outside: what is shown there is shown sooner, and not always true. None if it is the
    /// same piece.
    pub fn narrow(&self, problem: &LifeProblem<'_>, defender: Color) -> Option<Self> {
        let narrow_region = Self::with_steps(problem, defender, NARROW_DEFENDER_STEPS).ok()?;
        (narrow_region.playable != self.playable).then_some(narrow_region)
    }

    fn with_steps(
        problem: &LifeProblem<'_>,
        defender: Color,
        steps: u32,
    ) -> Result<Self, LifeError> {
        let board = problem.board;
        let mut region = Self::from_bounding_box(problem.region)?;
        let mut outside = Outside::default();
        for index in region.geometry.area().indices() {
            let (bit, point) = (Set::single(index), region.point(index));
            let reaches_outside =
                |set: &PointSet| set.iter().any(|point| region.index(point).is_none());
            let neighbours = PointSet::single(point).neighbours(board.area());
            let on_boundary = reaches_outside(&neighbours);
            let touches_attacker =
                reaches_outside(&(neighbours & *board.stones(defender.opposite())));
            let touches_open_side =
                on_boundary && !reaches_outside(&(neighbours & *board.stones(defender)));
            let is_attacker = board.color_at(point) == Some(defender.opposite());
            let chain = board.chain_at(point);
            let continues_outside = chain.is_some_and(|chain| reaches_outside(&chain.stones));
            let has_outside_liberty =
                continues_outside || touches_attacker || touches_open_side && is_attacker;
            if on_boundary {
                outside.boundary |= bit;
            }
            if touches_attacker || touches_open_side {
                region.attacker_border |= bit;
            }
            if continues_outside {
                region.connected_outside |= bit;
            }
            if has_outside_liberty {
                outside.liberties.opponent |= bit;
            }
            match board.color_at(point) {
                Some(color) if color == defender => region.stones.own |= bit,
                Some(_) => region.stones.opponent |= bit,
                None => {}
            }
        }
        outside.liberties.own = region.connected_outside & region.stones.own;
        region.geometry = region.geometry.with_outside(outside);
        let target = problem.target.and_then(|target| region.index(target));
        region.classify_points(target.map(Set::single), steps);
        if region.target.is_empty() {
            return Err(LifeError::NoTarget { defender });
        }
        Ok(region)
    }

    fn from_bounding_box(region: &PointSet) -> Result<Self, LifeError> {
        let columns = || region.iter().map(Point::column);
        let rows = || region.iter().map(Point::row);
        let bounds = (columns().min().zip(columns().max())).zip(rows().min().zip(rows().max()));
        let ((left, right), (top, bottom)) = bounds.ok_or(LifeError::NoRegion)?;
        let (width, height) = (right - left + 1, bottom - top + 1);
        let geometry = BoardGeometry::new(width as u32, height as u32)
            .ok_or(LifeError::TooLarge { width, height })?;
        Ok(Self {
            geometry,
            stones: Stones::default(),
            target: Set::EMPTY,
            playable: [geometry.area(); 2],
            escape_area: Set::EMPTY,
            open_to_outside: Set::EMPTY,
            behind_walls: Set::EMPTY,
            wall_points: Set::EMPTY,
            connected_outside: Set::EMPTY,
            attacker_border: Set::EMPTY,
            row_major: row_major_indices(&geometry),
            left,
            top,
        })
    }

    /// Tells the group, which plays so many steps outside, from what stands around it.
    fn classify_points(&mut self, target: Option<Set>, steps: u32) {
        let geometry = self.geometry;
        let empty = geometry.empty(&self.stones);
        self.open_to_outside = geometry.flood(self.attacker_border & empty, empty);
        let chain = target.map(|stone| geometry.flood(stone & self.stones.own, self.stones.own));
        self.target = chain.unwrap_or(self.stones.own) & !self.connected_outside;
        let defender_reach =
            geometry.flood_steps(self.target, empty, steps) | self.weak_chain_liberties();
        let attacker_reach = geometry.flood_steps(defender_reach, empty, 1);
        // A pocket behind what is near is not out there, however far it is.
        let distant = self.open_to_outside & !defender_reach;
        self.escape_area = geometry.flood(self.attacker_border & distant, distant);
        self.playable = [self.escape_area & !attacker_reach, self.escape_area]
            .map(|excluded| geometry.area() & !excluded);
        self.behind_walls = self.nearer_to_outside();
        let touching_walls = geometry.neighbours(self.behind_walls) & self.stones.opponent;
        self.wall_points =
            self.attacker_border | geometry.flood(touching_walls, self.stones.opponent);
    }

    /// The empty points with fewer steps over empty points from what lies beyond the piece than from the group: a stone
    /// within a group that is not shut in yet has no wall's liberties.
    fn nearer_to_outside(&self) -> Set {
        let geometry = &self.geometry;
        let empty = geometry.empty(&self.stones);
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

    /// The liberties of the attacker's chains beside the group that have few of them.
    fn weak_chain_liberties(&self) -> Set {
        let geometry = self.geometry;
        let adjacent_attackers = geometry.neighbours(self.target) & self.stones.opponent;
        let liberties = (geometry
            .components(geometry.flood(adjacent_attackers, self.stones.opponent)))
        .map(|chain| geometry.neighbours(chain) & geometry.empty(&self.stones));
        let few = liberties.filter(|liberties| liberties.count() <= WEAK_CHAIN_LIBERTIES);
        few.fold(Set::EMPTY, |all, liberties| all | liberties)
    }

    /// How many stones of each side, the defender's first, can be reached from beyond the piece.
    pub fn stones_reachable_from_outside(&self) -> [u32; 2] {
        let reachable = self.geometry.neighbours(self.open_to_outside) | self.geometry.boundary();
        [
            (reachable & self.stones.own).count(),
            (reachable & self.stones.opponent).count(),
        ]
    }

    /// Where a side may play.
    pub const fn playable_by(&self, defender: bool) -> Set {
        self.playable[defender as usize]
    }

    /// The empty points where nobody plays.
    pub fn unplayable(&self) -> Set {
        let [attacker, defender] = self.playable;
        self.geometry.empty(&self.stones) & !(attacker | defender)
    }

    /// The stones of the side that would live that cannot be taken.
    pub fn alive_stones(&self, stones: &Stones<Set>) -> Set {
        let mut safe = stones.own & self.connected_outside;
        let escape_area = self.escape_area & !stones.opponent;
        let escaping = self.geometry.neighbours(escape_area) & stones.own;
        for chain in self
            .geometry
            .components(self.geometry.flood(escaping, stones.own))
        {
            if (self.geometry.neighbours(chain) & escape_area).count() >= ESCAPE_LIBERTIES {
                safe |= chain;
            }
        }
        let regions = self.geometry.area() & !stones.own;
        // Most positions have no two spaces yet.
        let is_connected = || {
            self.geometry
                .flood(Set::single(regions.lowest_index()), regions)
                == regions
        };
        if regions.is_empty() || is_connected() {
            return self.geometry.flood(safe, stones.own);
        }
        let safe = safe | self.alive_in_eye_space(stones, regions);
        self.geometry.pass_alive(stones, safe)
    }

    /// The chains of the side that would live that each make two eyes in a space of their own, also with the second move.
    fn alive_in_eye_space(&self, stones: &Stones<Set>, regions: Set) -> Set {
        let geometry = &self.geometry;
        let small = geometry.components(regions).filter(|space| {
            space.count() as usize <= nakade::MAX_POINTS && !space.intersects(geometry.boundary())
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

    /// The stones of the attacker that nobody can take because of what lies outside, when it is the turn of the side that
    /// would live, or of the attacker.
    pub fn safe_attackers(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        let Stones {
            opponent: attackers,
            ..
        } = *stones;
        let (geometry, always_safe) = (self.geometry, self.always_safe_attackers(stones));
        let behind_walls = self.behind_walls & geometry.empty(stones);
        let walls = geometry
            .components(geometry.flood(attackers & self.wall_points & !always_safe, attackers));
        let is_safe = |wall: &Set| {
            (geometry.neighbours(*wall) & behind_walls).count()
                >= WALL_LIBERTIES + u32::from(defender_to_move)
        };
        walls
            .filter(is_safe)
            .fold(always_safe, |sum, wall| sum | wall)
    }

    /// The attacker's stones that are taken to stand, however few liberties they have.
    fn always_safe_attackers(&self, stones: &Stones<Set>) -> Set {
        let escape_area = self.escape_area & !stones.opponent;
        stones.opponent
            & (self.connected_outside
                | self.attacker_border
                | self.escape_area
                | self.geometry.neighbours(escape_area))
    }

    /// The stones that life is taken to rest on unseen, those of the side that would live, or death, those of the
    /// attacker that stand when it is to move.
    pub fn assumed_safe(&self, lives: bool) -> Set {
        match lives {
            true => self.connected_outside & self.stones.own,
            false => self.safe_attackers(&self.stones, false),
        }
    }

    /// Whether the group may run out of the piece where nothing tells an escape: a small piece has no open points.
    pub fn may_run_out(&self) -> bool {
        let passable =
            self.stones.own & !self.connected_outside | self.geometry.empty(&self.stones);
        self.escape_area.is_empty()
            && self
                .geometry
                .flood(self.target, passable)
                .intersects(self.geometry.boundary())
    }

    /// The points where the side that would live cannot live any more.
    pub fn dead_area(&self, stones: &Stones<Set>, defender_to_move: bool) -> Set {
        let safe_attackers = self.safe_attackers(stones, defender_to_move);
        let safe_attackers = self.geometry.pass_alive(&stones.swapped(), safe_attackers);
        let friends = self.connected_outside & stones.own;
        dead_area::dead_area(
            &self.geometry,
            stones,
            safe_attackers,
            [self.escape_area, friends],
        )
    }

    /// Which point it is when they are read row by row, so that nothing rests on how they lie in a word.
    pub const fn row_major_index(&self, index: u32) -> u8 {
        self.row_major[index as usize]
    }

    /// The point of the board with that number in the piece.
    pub fn point(&self, index: u32) -> Point {
        let (column, row) = self.geometry.coordinates(index);
        Point::at(self.left + column as usize, self.top + row as usize)
    }

    /// The number in the piece of a point of the board.
    pub fn index(&self, point: Point) -> Option<u32> {
        let column = u32::try_from(point.column().checked_sub(self.left)?).ok()?;
        let row = u32::try_from(point.row().checked_sub(self.top)?).ok()?;
        (column < self.geometry.width() && row < self.geometry.height())
            .then(|| self.geometry.index(column, row))
    }
}

fn row_major_indices(geometry: &BoardGeometry<Set>) -> [u8; Set::BITS as usize] {
    let mut row_major = [0; Set::BITS as usize];
    for index in geometry.area().indices() {
        let (column, row) = geometry.coordinates(index);
        row_major[index as usize] = (row * geometry.width() + column) as u8;
    }
    row_major
}
