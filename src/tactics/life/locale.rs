//! The piece of the board where a group lives or dies.
//!
//! What lies beyond the piece is taken for settled: stones that go on there live, and its empty points are the
//! attacker's, so that ground of the group's that leads out is no eye. Within the piece, a chain of the attacker with
//! liberties nearer to what lies beyond than to the group is a wall, which stands while two of them are left after the
//! next move. Empty points out there that are more than a few steps away from the group are *open*: the group's side
//! does not play there, so that a chain of it that has come to three of them has escaped. The attacker may fill the
//! nearest of them.

use super::nakade::{self, Space};
use super::{LifeError, Problem, ground};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::patch::word::Word;
use crate::tactics::patch::{Beyond, Patch, Stones};

/// The points of a piece. Pieces of up to 12 x 10 points fit.
pub(super) type Set = u128;

/// Steps from the group over which its side plays outside.
const NEAR: u32 = 3;
/// The same on the narrow piece.
const NARROW: u32 = 2;
/// Open liberties that are an escape.
const ESCAPE: u32 = 3;
/// A chain of the attacker beside the group with so few liberties may be taken.
const WEAK: u32 = 3;
/// Liberties out there with which a wall stands when the attacker is to move; one more when it is not.
const WALL: u32 = 2;

/// A piece of a board, seen by the side that would live as `own`.
#[derive(Clone, Debug)]
pub(super) struct Locale {
    /// The shape of the piece. Beyond it breathe what goes on there, and of the attacker what joins it or stood at the
    /// edge from the beginning.
    pub patch: Patch<Set>,
    /// The stones on it; those of the side that would live are `own`.
    pub stones: Stones<Set>,
    /// The stones that are to live or die.
    pub target: Set,
    /// Where each side may play: the attacker, and the side that would live.
    rooms: [Set; 2],
    /// Empty points where the side that would live does not play.
    open: Set,
    /// Empty points that can be reached from beyond.
    outside: Set,
    /// Those of them behind the walls: fewer steps from beyond than from the group.
    behind: Set,
    /// Where stones of the attacker are walls: those with a liberty behind, and points at the inner edge.
    walls: Set,
    /// Stones that go on beyond the piece.
    anchored: Set,
    /// Points at the edge beyond which the attacker's stones or nobody's ground lie, and none of the group's side.
    border: Set,
    /// By number: which point it is when they are read row by row.
    read: [u8; Set::BITS as usize],
    left: usize,
    top: usize,
}

impl Locale {
    /// The rectangle around the problem's region.
    pub fn new(problem: &Problem<'_>, defender: Color) -> Result<Self, LifeError> {
        Self::with_steps(problem, defender, NEAR)
    }

    /// The same with fewer moves outside: what is shown there is shown sooner, and not always true. None if it is the
    /// same piece.
    pub fn narrow(&self, problem: &Problem<'_>, defender: Color) -> Option<Self> {
        let narrow = Self::with_steps(problem, defender, NARROW).ok()?;
        (narrow.rooms != self.rooms).then_some(narrow)
    }

    fn with_steps(problem: &Problem<'_>, defender: Color, steps: u32) -> Result<Self, LifeError> {
        let board = problem.board;
        let mut locale = Self::around(problem.region)?;
        let mut beyond = Beyond::default();
        for number in locale.patch.area().points() {
            let (bit, point) = (Set::point(number), locale.point(number));
            let leads_out = |set: &PointSet| set.iter().any(|point| locale.number(point).is_none());
            let beside = PointSet::single(point).neighbours(board.area());
            let on_edge = leads_out(&beside);
            let joins = leads_out(&(beside & *board.stones(defender.opposite())));
            let leads_on = on_edge && !leads_out(&(beside & *board.stones(defender)));
            let stands = board.color_at(point) == Some(defender.opposite());
            let chain = board.chain_at(point);
            let goes_on = chain.is_some_and(|chain| leads_out(&chain.stones));
            let breathes = goes_on || joins || leads_on && stands;
            if on_edge {
                beyond.edge |= bit;
            }
            if joins || leads_on {
                locale.border |= bit;
            }
            if goes_on {
                locale.anchored |= bit;
            }
            if breathes {
                beyond.breath.other |= bit;
            }
            match board.color_at(point) {
                Some(color) if color == defender => locale.stones.own |= bit,
                Some(_) => locale.stones.other |= bit,
                None => {}
            }
        }
        beyond.breath.own = locale.anchored & locale.stones.own;
        locale.patch = locale.patch.within(beyond);
        let target = problem.target.and_then(|target| locale.number(target));
        locale.part(target.map(Set::point), steps);
        if locale.target.is_empty() {
            return Err(LifeError::NoTarget { defender });
        }
        Ok(locale)
    }

    fn around(region: &PointSet) -> Result<Self, LifeError> {
        let columns = || region.iter().map(Point::column);
        let rows = || region.iter().map(Point::row);
        let bounds = (columns().min().zip(columns().max())).zip(rows().min().zip(rows().max()));
        let ((left, right), (top, bottom)) = bounds.ok_or(LifeError::NoRegion)?;
        let (width, height) = (right - left + 1, bottom - top + 1);
        let patch =
            Patch::new(width as u32, height as u32).ok_or(LifeError::TooLarge { width, height })?;
        Ok(Self {
            patch,
            stones: Stones::default(),
            target: Set::EMPTY,
            rooms: [patch.area(); 2],
            open: Set::EMPTY,
            outside: Set::EMPTY,
            behind: Set::EMPTY,
            walls: Set::EMPTY,
            anchored: Set::EMPTY,
            border: Set::EMPTY,
            read: read_by_rows(&patch),
            left,
            top,
        })
    }

    /// Tells the group, which plays so many steps outside, from what stands around it.
    fn part(&mut self, target: Option<Set>, steps: u32) {
        let patch = self.patch;
        let empty = patch.empty(&self.stones);
        self.outside = patch.flood(self.border & empty, empty);
        let chain = target.map(|stone| patch.flood(stone & self.stones.own, self.stones.own));
        self.target = chain.unwrap_or(self.stones.own) & !self.anchored;
        let near = patch.spread(self.target, empty, steps) | self.liberties_of_weak();
        let closable = patch.spread(near, empty, 1);
        // A pocket behind what is near is not out there, however far it is.
        let far = self.outside & !near;
        self.open = patch.flood(self.border & far, far);
        self.rooms = [self.open & !closable, self.open].map(|barred| patch.area() & !barred);
        self.behind = self.nearer_beyond();
        let reached = patch.beside(self.behind) & self.stones.other;
        self.walls = self.border | patch.flood(reached, self.stones.other);
    }

    /// The empty points with fewer steps over empty points from what lies beyond the piece than from the group: a stone
    /// within a group that is not shut in yet has no wall's liberties.
    fn nearer_beyond(&self) -> Set {
        let patch = &self.patch;
        let empty = patch.empty(&self.stones);
        let mut inner = patch.beside(self.target) & empty;
        let mut behind = self.border & empty & !inner;
        loop {
            let more_inner = inner | patch.beside(inner) & empty & !behind;
            let more_behind = behind | patch.beside(behind) & empty & !more_inner;
            if (more_inner, more_behind) == (inner, behind) {
                return behind;
            }
            (inner, behind) = (more_inner, more_behind);
        }
    }

    /// The liberties of the attacker's chains beside the group that have few of them.
    fn liberties_of_weak(&self) -> Set {
        let patch = self.patch;
        let beside = patch.beside(self.target) & self.stones.other;
        let liberties = (patch.parts(patch.flood(beside, self.stones.other)))
            .map(|chain| patch.beside(chain) & patch.empty(&self.stones));
        let few = liberties.filter(|liberties| liberties.count() <= WEAK);
        few.fold(Set::EMPTY, |all, liberties| all | liberties)
    }

    /// How many stones of each side, the defender's first, can be reached from beyond the piece.
    pub fn reached(&self) -> [u32; 2] {
        let reached = self.patch.beside(self.outside) | self.patch.edge();
        [
            (reached & self.stones.own).count(),
            (reached & self.stones.other).count(),
        ]
    }

    /// Where a side may play.
    pub const fn room(&self, defends: bool) -> Set {
        self.rooms[defends as usize]
    }

    /// The empty points where nobody plays.
    pub fn unplayed(&self) -> Set {
        let [attacker, group] = self.rooms;
        self.patch.empty(&self.stones) & !(attacker | group)
    }

    /// The stones of the side that would live that cannot be taken.
    pub fn alive(&self, stones: &Stones<Set>) -> Set {
        let mut free = stones.own & self.anchored;
        let open = self.open & !stones.other;
        let reaching = self.patch.beside(open) & stones.own;
        for chain in self.patch.parts(self.patch.flood(reaching, stones.own)) {
            if (self.patch.beside(chain) & open).count() >= ESCAPE {
                free |= chain;
            }
        }
        let spaces = self.patch.area() & !stones.own;
        // Most positions have no two spaces yet.
        let is_whole = || self.patch.flood(Set::point(spaces.lowest()), spaces) == spaces;
        if spaces.is_empty() || is_whole() {
            return self.patch.flood(free, stones.own);
        }
        let free = free | self.with_eye_space(stones, spaces);
        self.patch.pass_alive(stones, free)
    }

    /// The chains of the side that would live that each make two eyes in a space of their own, also with the second move.
    fn with_eye_space(&self, stones: &Stones<Set>, spaces: Set) -> Set {
        let patch = &self.patch;
        let small = patch
            .parts(spaces)
            .filter(|space| space.count() as usize <= nakade::MOST && !space.meets(patch.edge()));
        let chain = |space: Set| {
            let around = patch.beside(space) & !space;
            let chain = patch.flood(Set::point(around.lowest()), stones.own);
            let closed = around.within(chain) && space.within(patch.beside(chain));
            let mut space = closed.then(|| Space::new(patch, space, space & stones.other))??;
            space.is_alive().then_some(chain)
        };
        small
            .filter_map(chain)
            .fold(Set::EMPTY, |all, chain| all | chain)
    }

    /// The stones of the attacker that nobody can take because of what lies outside, when it is the turn of the side that
    /// would live, or of the attacker.
    pub fn standing(&self, stones: &Stones<Set>, defends: bool) -> Set {
        let Stones { other, .. } = *stones;
        let (patch, sure) = (self.patch, self.sure(stones));
        let behind = self.behind & patch.empty(stones);
        let walls = patch.parts(patch.flood(other & self.walls & !sure, other));
        let stands =
            |wall: &Set| (patch.beside(*wall) & behind).count() >= WALL + u32::from(defends);
        walls.filter(stands).fold(sure, |sum, wall| sum | wall)
    }

    /// The attacker's stones that are taken to stand, however few liberties they have.
    fn sure(&self, stones: &Stones<Set>) -> Set {
        let open = self.open & !stones.other;
        stones.other & (self.anchored | self.border | self.open | self.patch.beside(open))
    }

    /// The stones that life is taken to rest on unseen, those of the side that would live, or death, those of the
    /// attacker that stand when it is to move.
    pub fn trusted(&self, lives: bool) -> Set {
        match lives {
            true => self.anchored & self.stones.own,
            false => self.standing(&self.stones, false),
        }
    }

    /// Whether the group may run out of the piece where nothing tells an escape: a small piece has no open points.
    pub fn is_ajar(&self) -> bool {
        let way = self.stones.own & !self.anchored | self.patch.empty(&self.stones);
        self.open.is_empty() && self.patch.flood(self.target, way).meets(self.patch.edge())
    }

    /// The points where the side that would live cannot live any more.
    pub fn lost(&self, stones: &Stones<Set>, defends: bool) -> Set {
        let standing = self.standing(stones, defends);
        let standing = self.patch.pass_alive(&stones.swapped(), standing);
        let friends = self.anchored & stones.own;
        ground::lost(&self.patch, stones, standing, [self.open, friends])
    }

    /// Which point it is when they are read row by row, so that nothing rests on how they lie in a word.
    pub const fn read(&self, number: u32) -> u8 {
        self.read[number as usize]
    }

    /// The point of the board with that number in the piece.
    pub fn point(&self, number: u32) -> Point {
        let (column, row) = self.patch.place_of(number);
        Point::at(self.left + column as usize, self.top + row as usize)
    }

    /// The number in the piece of a point of the board.
    pub fn number(&self, point: Point) -> Option<u32> {
        let column = u32::try_from(point.column().checked_sub(self.left)?).ok()?;
        let row = u32::try_from(point.row().checked_sub(self.top)?).ok()?;
        (column < self.patch.width() && row < self.patch.height())
            .then(|| self.patch.number(column, row))
    }
}

fn read_by_rows(patch: &Patch<Set>) -> [u8; Set::BITS as usize] {
    let mut read = [0; Set::BITS as usize];
    for number in patch.area().points() {
        let (column, row) = patch.place_of(number);
        read[number as usize] = (row * patch.width() + column) as u8;
    }
    read
}
