//! Eyes in an enclosed space: how many its owner makes there, by proof.
//!
//! A space is worth two eyes if the group around it lives on it alone, one if it lives on it with one eye elsewhere. So
//! the space is cut out and surrounded by one wall of the owner's, which has no liberties but those of the space and, for
//! the question of one eye, a single point behind the wall; then both sides play, and life is shown by eyes alone.
//!
//! The stones around are taken for safe. They must hold together outside the space, solidly or by links that cannot both
//! be cut, lest an eye be false; else nothing is told. Kos count against the owner: an eye that must be won in a ko is
//! none.

use super::prove::{Claim, Kos};
use super::{Limits, Problem, Search};
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Rows or columns of wall on each side that is not the edge of the board: room for the eye elsewhere.
const WALL: usize = 2;
/// Memory of each proof.
const TABLE_MIB: usize = 2;

/// Points that stones of one colour, and the edge of the board, enclose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EyeSpace {
    /// Whose stones enclose it.
    pub owner: Color,
    /// Empty points and stones of the opponent.
    pub points: PointSet,
}

/// The eyes of a space, and where they are decided if who moves first makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceEyes {
    /// If the opponent moves first: 0, 1 or 2.
    pub least: u8,
    /// If the owner moves first.
    pub most: u8,
    /// The opponent's move that leaves the least, then the owner's that makes the most, if the two differ.
    pub vital: Option<[Move; 2]>,
}

impl EyeSpace {
    /// The space at a point: of the opponent of the stone there, or of an empty point the smaller of both sides' spaces.
    /// None where no stones enclose it.
    #[must_use]
    pub fn at(board: &Board, point: Point) -> Option<Self> {
        let taken = board.color_at(point);
        let owners = Color::BOTH
            .into_iter()
            .filter(|&owner| taken != Some(owner));
        let space = |owner: Color| Self {
            owner,
            points: PointSet::single(point).flood(&(*board.area() - *board.stones(owner))),
        };
        owners
            .map(space)
            .filter(|space| space.points != *board.area())
            .min_by_key(|space| space.points.len())
    }

    /// How many eyes its owner makes in it, two at most, with so many positions for each proof. None where no proof was
    /// found, or the space is too large for one.
    #[must_use]
    pub fn eyes(&self, position: &Position, nodes: u64) -> Option<SpaceEyes> {
        let site = Site::new(self, position.board())?;
        let count = |first: Color| site.count(position, first, nodes);
        let (least, attack) = count(self.owner.opposite())?;
        let (most, defence) = count(self.owner)?;
        let vital = attack.zip(defence).filter(|_| least < most);
        Some(SpaceEyes {
            least,
            most,
            vital: vital.map(|(attack, defence)| [attack, defence]),
        })
    }
}

/// The space cut out of the board, with a wall around it.
struct Site {
    owner: Color,
    size: BoardSize,
    /// The stones of the opponent.
    others: PointSet,
    /// Where the owner's wall stands, and stones of its own inside.
    walls: PointSet,
    /// A point of the wall where an eye can be that has nothing to do with the space.
    elsewhere: Point,
    left: Cut,
    top: Cut,
}

/// What is cut out of the columns or of the rows of a board.
#[derive(Clone, Copy)]
struct Cut {
    /// The first one of the space.
    first: usize,
    /// Those of the wall before it.
    wall: usize,
    /// All, with the walls on both sides.
    count: usize,
}

impl Cut {
    /// Around the columns or rows with these numbers, of so many.
    fn around(numbers: impl Iterator<Item = usize> + Clone, side: usize) -> Option<Self> {
        let (first, last) = (numbers.clone().min()?, numbers.max()?);
        let wall = if first > 0 { WALL } else { 0 };
        let behind = if last + 1 < side { WALL } else { 0 };
        Some(Self {
            first,
            wall,
            count: wall + last + 1 - first + behind,
        })
    }

    fn to_site(self, number: usize) -> Option<usize> {
        let number = (number + self.wall).checked_sub(self.first)?;
        (number < self.count).then_some(number)
    }

    fn to_board(self, number: usize) -> Option<usize> {
        (number + self.first).checked_sub(self.wall)
    }
}

impl Site {
    /// None if it does not fit the boards there are, or the stones around do not hold together.
    fn new(space: &EyeSpace, board: &Board) -> Option<Self> {
        let left = Cut::around(space.points.iter().map(Point::column), board.size().width())?;
        let top = Cut::around(space.points.iter().map(Point::row), board.size().height())?;
        let size = BoardSize::new(left.count, top.count)?;
        let here = |points: PointSet| -> PointSet {
            points
                .iter()
                .filter_map(|point| to_site(left, top, point))
                .collect()
        };
        let inside = here(space.points);
        let area = PointSet::board(size);
        let walls = area - inside;
        // An eye elsewhere has nothing but the wall beside it, and does not part it.
        let apart = area - inside.grown(&area);
        let outer = PointSet::single(apart.first()?).flood(&walls);
        if !apart.is_subset(&outer) {
            return None;
        }
        let is_whole_without = |&point: &Point| {
            let rest = outer - PointSet::single(point);
            rest.components().count() == 1
        };
        let elsewhere = apart.iter().find(is_whole_without)?;
        let is_around = |chain: &&Chain| {
            let beside = chain.stones & space.points.neighbours(board.area());
            chain.color == space.owner && here(beside).intersects(&outer)
        };
        let around = board.chains().filter(is_around);
        holds_together(board, space, around).then_some(Self {
            owner: space.owner,
            size,
            others: here(space.points & *board.stones(space.owner.opposite())),
            walls,
            elsewhere,
            left,
            top,
        })
    }

    /// How many eyes come of it, two at most, and the first move that sees to it: of the owner that there are so many, of
    /// the opponent that there are no more.
    fn count(&self, position: &Position, first: Color, nodes: u64) -> Option<(u8, Option<Move>)> {
        let mut last = None;
        for eyes in [2, 1] {
            let (lives, mv) = self.lives(position, first, eyes == 1, nodes)?;
            if lives {
                // Of the opponent the move that left no more.
                let best = if first == self.owner { mv } else { last };
                return Some((eyes, best));
            }
            last = mv;
        }
        Some((0, last))
    }

    /// Whether the wall lives on the space, and on an eye elsewhere if it has one; and the first move that proves it.
    fn lives(
        &self,
        position: &Position,
        first: Color,
        has_eye: bool,
        nodes: u64,
    ) -> Option<(bool, Option<Move>)> {
        let mut own = self.walls;
        if has_eye {
            own.remove(self.elsewhere);
        }
        let (black, white) = match self.owner {
            Color::Black => (own, self.others),
            Color::White => (self.others, own),
        };
        let board = Board::with_stones(self.size, black, white).ok()?;
        let beside = PointSet::single(self.elsewhere).neighbours(board.area());
        let ko = position.ko_for(first);
        let problem = Problem {
            board: &board,
            region: board.area(),
            target: beside.first(),
            to_play: first,
            ko: ko.and_then(|ko| to_site(self.left, self.top, ko)),
        };
        let limits = Limits {
            nodes,
            table_mib: TABLE_MIB,
            ..Limits::default()
        };
        let search = Search::new(&problem, self.owner, limits).ok()?;
        [true, false].into_iter().find_map(|lives| {
            let claim = Claim {
                lives,
                kos: if lives { Kos::Lost } else { Kos::Won },
                seki_lives: false,
                far: true,
                narrow: false,
            };
            let tried = search.attempt(claim, 1.0);
            (tried.proved == Some(true)).then(|| {
                let proves = lives == (first == self.owner);
                let answers = search.answers(claim, proves);
                (lives, self.there(answers.first().map(|answer| answer.mv)))
            })
        })
    }

    /// The same move on the board; none if it is not in the space.
    fn there(&self, mv: Option<Move>) -> Option<Move> {
        let point = mv?.point()?;
        let column = self.left.to_board(point.column())?;
        let row = self.top.to_board(point.row())?;
        Some(Move::Play(Point::at(column, row)))
    }
}

/// The same point in the site.
fn to_site(left: Cut, top: Cut, point: Point) -> Option<Point> {
    let (column, row) = (left.to_site(point.column())?, top.to_site(point.row())?);
    Some(Point::at(column, row))
}

/// Whether the chains are linked outside the space, through other chains of their owner too; no point is counted for two
/// links.
fn holds_together<'a>(
    board: &Board,
    space: &EyeSpace,
    mut chains: impl Iterator<Item = &'a Chain>,
) -> bool {
    let Some(first) = chains.next() else {
        return false;
    };
    let (mut whole, mut used) = (*first, space.points);
    loop {
        let next = board.chains().find_map(|chain| {
            let is_new = chain.color == space.owner && !chain.stones.intersects(&whole.stones);
            let common = (whole.liberties & chain.liberties) - used;
            let link = is_new.then(|| link(board, space.owner, &common))??;
            Some((chain, link))
        });
        let Some((chain, link)) = next else {
            break;
        };
        whole.stones |= chain.stones;
        whole.liberties |= chain.liberties;
        used |= link;
    }
    chains.all(|chain| chain.stones.is_subset(&whole.stones))
}

/// Of the liberties that two chains have in common those by which the opponent cannot cut them: one where it may not
/// play, or any two.
fn link(board: &Board, owner: Color, common: &PointSet) -> Option<PointSet> {
    let barred = |&point: &Point| board.is_suicide(owner.opposite(), point);
    match common.iter().find(barred) {
        Some(point) => Some(PointSet::single(point)),
        None => (common.len() > 1).then(|| common.iter().take(2).collect()),
    }
}
