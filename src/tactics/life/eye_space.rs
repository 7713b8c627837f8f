//! Eyes in an enclosed space: how many its owner makes there, by proof.
//!
//! A space is worth two eyes if the group around it lives on it alone, one if it lives on it with one eye elsewhere. So
//! the space is cut out and surrounded by one wall of the owner's, which has no liberties but those of the space and, for
//! the question of one eye, a single point behind the wall; then both sides play, and life is shown by eyes alone.
//!
//! The stones around are taken for safe. They must hold together outside the space, solidly or by links that cannot both
//! be cut, lest an eye be false; else nothing is told. Kos count against the owner: an eye that must be won in a ko is
//! none.

use super::problem::{LifeLimits, LifeProblem};
use super::proof_goal::{KoImmunity, ProofGoal};
use super::strategy::LifeSearch;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Rows or columns of wall on each side that is not the edge of the board: room for the eye elsewhere.
const WALL_WIDTH: usize = 2;
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
pub struct EyeCount {
    /// If the opponent moves first: 0, 1 or 2.
    pub min: u8,
    /// If the owner moves first.
    pub max: u8,
    /// The opponent's move that leaves the least, then the owner's that makes the most, if the two differ.
    pub vital_moves: Option<[Move; 2]>,
}

impl EyeSpace {
    /// The space at a point: of the opponent of the stone there, or of an empty point the smaller of both sides' spaces.
    /// None where no stones enclose it.
    #[must_use]
    pub fn at(board: &Board, point: Point) -> Option<Self> {
        let occupant = board.color_at(point);
        let owners = Color::BOTH
            .into_iter()
            .filter(|&owner| occupant != Some(owner));
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
    pub fn count_eyes(&self, position: &Position, nodes: u64) -> Option<EyeCount> {
        let isolated = IsolatedSpace::new(self, position.board())?;
        let count = |first: Color| isolated.count_eyes(position, first, nodes);
        let (min, attack) = count(self.owner.opposite())?;
        let (max, defence) = count(self.owner)?;
        let vital_moves = attack.zip(defence).filter(|_| min < max);
        Some(EyeCount {
            min,
            max,
            vital_moves: vital_moves.map(|(attack, defence)| [attack, defence]),
        })
    }
}

/// The space cut out of the board, with a wall around it.
struct IsolatedSpace {
    owner: Color,
    size: BoardSize,
    /// The stones of the opponent.
    opponents: PointSet,
    /// Where the owner's wall stands, and stones of its own inside.
    wall: PointSet,
    /// A point of the wall where an eye can be that has nothing to do with the space.
    outside_eye: Point,
    left: AxisCut,
    top: AxisCut,
}

/// What is cut out of the columns or of the rows of a board.
#[derive(Clone, Copy)]
struct AxisCut {
    /// The first one of the space.
    first: usize,
    /// Those of the wall before it.
    wall_before: usize,
    /// All, with the walls on both sides.
    length: usize,
}

impl AxisCut {
    /// Around the columns or rows with these numbers, of so many.
    fn enclosing(
        numbers: impl Iterator<Item = usize> + Clone,
        board_length: usize,
    ) -> Option<Self> {
        let (first, last) = (numbers.clone().min()?, numbers.max()?);
        let wall_before = if first > 0 { WALL_WIDTH } else { 0 };
        let wall_after = if last + 1 < board_length {
            WALL_WIDTH
        } else {
            0
        };
        Some(Self {
            first,
            wall_before,
            length: wall_before + last + 1 - first + wall_after,
        })
    }

    fn to_isolated(self, number: usize) -> Option<usize> {
        let number = (number + self.wall_before).checked_sub(self.first)?;
        (number < self.length).then_some(number)
    }

    fn to_board(self, number: usize) -> Option<usize> {
        (number + self.first).checked_sub(self.wall_before)
    }
}

impl IsolatedSpace {
    /// None if it does not fit the boards there are, or the stones around do not hold together.
    fn new(space: &EyeSpace, board: &Board) -> Option<Self> {
        let left =
            AxisCut::enclosing(space.points.iter().map(Point::column), board.size().width())?;
        let top = AxisCut::enclosing(space.points.iter().map(Point::row), board.size().height())?;
        let size = BoardSize::new(left.length, top.length)?;
        let to_isolated_set = |points: PointSet| -> PointSet {
            points
                .iter()
                .filter_map(|point| to_isolated(left, top, point))
                .collect()
        };
        let inside = to_isolated_set(space.points);
        let area = PointSet::board(size);
        let wall = area - inside;
        // An eye elsewhere has nothing but the wall beside it, and does not part it.
        let eye_candidates = area - inside.grown(&area);
        let outer_wall = PointSet::single(eye_candidates.first()?).flood(&wall);
        if !eye_candidates.is_subset(&outer_wall) {
            return None;
        }
        let stays_connected_without = |&point: &Point| {
            let remaining = outer_wall - PointSet::single(point);
            remaining.components().count() == 1
        };
        let outside_eye = eye_candidates.iter().find(stays_connected_without)?;
        let is_enclosing = |chain: &&Chain| {
            let adjacent_stones = chain.stones & space.points.neighbours(board.area());
            chain.color == space.owner && to_isolated_set(adjacent_stones).intersects(&outer_wall)
        };
        let enclosing_chains = board.chains().filter(is_enclosing);
        are_connected(board, space, enclosing_chains).then_some(Self {
            owner: space.owner,
            size,
            opponents: to_isolated_set(space.points & *board.stones(space.owner.opposite())),
            wall,
            outside_eye,
            left,
            top,
        })
    }

    /// How many eyes come of it, two at most, and the first move that sees to it: of the owner that there are so many, of
    /// the opponent that there are no more.
    fn count_eyes(
        &self,
        position: &Position,
        first: Color,
        nodes: u64,
    ) -> Option<(u8, Option<Move>)> {
        let mut previous_move = None;
        for eyes in [2, 1] {
            let (lives, mv) = self.lives(position, first, eyes == 1, nodes)?;
            if lives {
                // Of the opponent the move that left no more.
                let best = if first == self.owner {
                    mv
                } else {
                    previous_move
                };
                return Some((eyes, best));
            }
            previous_move = mv;
        }
        Some((0, previous_move))
    }

    /// Whether the wall lives on the space, and on an eye elsewhere if it has one; and the first move that proves it.
    fn lives(
        &self,
        position: &Position,
        first: Color,
        has_outside_eye: bool,
        nodes: u64,
    ) -> Option<(bool, Option<Move>)> {
        let mut own = self.wall;
        if has_outside_eye {
            own.remove(self.outside_eye);
        }
        let (black, white) = match self.owner {
            Color::Black => (own, self.opponents),
            Color::White => (self.opponents, own),
        };
        let board = Board::with_stones(self.size, black, white).ok()?;
        let neighbours = PointSet::single(self.outside_eye).neighbours(board.area());
        let ko = position.ko_for(first);
        let problem = LifeProblem {
            board: &board,
            region: board.area(),
            target: neighbours.first(),
            to_move: first,
            ko: ko.and_then(|ko| to_isolated(self.left, self.top, ko)),
        };
        let limits = LifeLimits {
            nodes,
            table_mib: TABLE_MIB,
            ..LifeLimits::default()
        };
        let search = LifeSearch::new(&problem, self.owner, limits).ok()?;
        [true, false].into_iter().find_map(|lives| {
            let goal = ProofGoal {
                lives,
                ko_immunity: if lives {
                    KoImmunity::Opponent
                } else {
                    KoImmunity::Prover
                },
                seki_lives: false,
                allow_distant: true,
                is_narrow: false,
            };
            let attempt = search.attempt(goal, 1.0);
            (attempt.proved == Some(true)).then(|| {
                let prover_to_move = lives == (first == self.owner);
                let proof_tree = search.proof_tree(goal, prover_to_move);
                (
                    lives,
                    self.to_board(proof_tree.first().map(|branch| branch.mv)),
                )
            })
        })
    }

    /// The same move on the board; none if it is not in the space.
    fn to_board(&self, mv: Option<Move>) -> Option<Move> {
        let point = mv?.point()?;
        let column = self.left.to_board(point.column())?;
        let row = self.top.to_board(point.row())?;
        Some(Move::Play(Point::at(column, row)))
    }
}

/// The same point in the site.
fn to_isolated(left: AxisCut, top: AxisCut, point: Point) -> Option<Point> {
    let (column, row) = (
        left.to_isolated(point.column())?,
        top.to_isolated(point.row())?,
    );
    Some(Point::at(column, row))
}

/// Whether the chains are linked outside the space, through other chains of their owner too; no point is counted for two
/// links.
fn are_connected<'a>(
    board: &Board,
    space: &EyeSpace,
    mut chains: impl Iterator<Item = &'a Chain>,
) -> bool {
    let Some(first) = chains.next() else {
        return false;
    };
    let (mut connected, mut used) = (*first, space.points);
    loop {
        let next = board.chains().find_map(|chain| {
            let is_new = chain.color == space.owner && !chain.stones.intersects(&connected.stones);
            let common = (connected.liberties & chain.liberties) - used;
            let liberties = is_new.then(|| connecting_liberties(board, space.owner, &common))??;
            Some((chain, liberties))
        });
        let Some((chain, liberties)) = next else {
            break;
        };
        connected.stones |= chain.stones;
        connected.liberties |= chain.liberties;
        used |= liberties;
    }
    chains.all(|chain| chain.stones.is_subset(&connected.stones))
}

/// Of the liberties that two chains have in common those by which the opponent cannot cut them: one where it may not
/// play, or any two.
fn connecting_liberties(board: &Board, owner: Color, common: &PointSet) -> Option<PointSet> {
    let is_opponent_suicide = |&point: &Point| board.is_suicide(owner.opposite(), point);
    match common.iter().find(is_opponent_suicide) {
        Some(point) => Some(PointSet::single(point)),
        None => (common.len() > 1).then(|| common.iter().take(2).collect()),
    }
}
