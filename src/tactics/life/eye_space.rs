//! Proves the number of eyes that the owner of an enclosed space can make in it.
//!
//! A space has two eyes if the surrounding group lives with no other eyes, and one eye if the group needs one more eye
//! elsewhere to live. To test this, the space is cut out of the board and surrounded by a single wall. The wall has no
//! other liberties or, to test for a single eye in the space, one separate eye. Both sides then play, and only two eyes
//! count as life.
//!
//! The surrounding stones are assumed to be safe. They must be connected outside the space, either directly or by pairs
//! of links that cannot both be cut. If they are not connected, no result is returned, because an eye could be false.
//! Kos count against the owner: an eye that must be won in a ko is not counted.

use super::life_search::LifeSearch;
use super::problem::{LifeLimits, LifeProblem};
use super::proof_goal::{Assumptions, KoImmunity, ProofGoal};
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;

/// Width of the wall, in points, on each side that is not an edge of the board. It leaves enough space for the separate
/// eye.
const WALL_WIDTH: usize = 2;
/// Table size for each proof, in MiB.
const TABLE_MIB: usize = 2;

/// A space enclosed by stones of one colour and the edge of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EyeSpace {
    /// Colour of the enclosing stones.
    pub owner: Color,
    /// Empty points and the opponent's stones inside the space.
    pub points: PointSet,
}

/// Number of eyes in a space, and the vital moves if the number depends on the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EyeCount {
    /// Number of eyes if the opponent moves first: 0, 1 or 2.
    pub min: u8,
    /// Number of eyes if the owner moves first.
    pub max: u8,
    /// The opponent's move that minimises the number of eyes, and the owner's move that maximises it. `None` if `min`
    /// and `max` are equal, or if either move is a pass or off the board.
    pub vital_moves: Option<[Move; 2]>,
}

impl EyeSpace {
    /// Returns the space at `point`. If a stone occupies the point, the space belongs to the opponent of that stone's
    /// owner. If the point is empty, the smaller one of the spaces of the two colours is returned. Returns `None` if no
    /// stones enclose the point.
    pub fn at(board: &Board, point: Point) -> Option<Self> {
        let occupant = board.color_at(point);
        let owners = Color::BOTH
            .into_iter()
            .filter(|&owner| occupant != Some(owner));
        let space = |owner: Color| Self {
            owner,
            points: PointSet::single(point)
                .flood_through(&(*board.all_points() - *board.stones(owner))),
        };
        owners
            .map(space)
            .filter(|space| space.points != *board.all_points())
            .min_by_key(|space| space.points.len())
    }

    /// Counts the eyes that the owner can make in the space, up to two. Each proof visits at most `nodes` positions.
    /// Returns `None` if the number is not proved, the space is too large, or the surrounding stones are not connected.
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

/// A space cut out of the board and surrounded by a wall.
struct IsolatedSpace {
    owner: Color,
    size: BoardSize,
    opponents: PointSet,
    /// The wall, including the owner's stones inside the space.
    wall: PointSet,
    /// A point of the wall that can become an eye separate from the space.
    outside_eye: Point,
    columns: AxisCut,
    rows: AxisCut,
}

/// Range of columns or rows that is cut out of a board.
#[derive(Clone, Copy)]
struct AxisCut {
    /// First column or row of the space on the board.
    first: usize,
    /// Number of wall columns or rows on the side of the space with the lower numbers.
    wall_before: usize,
    /// Total length, including the walls.
    length: usize,
}

impl AxisCut {
    /// Creates the range for the given columns or rows of a board with `board_length` columns or rows. Returns `None`
    /// if none are given.
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
    /// Cuts out the space. Returns `None` if it is too large or the surrounding stones are not connected.
    fn new(space: &EyeSpace, board: &Board) -> Option<Self> {
        let columns =
            AxisCut::enclosing(space.points.iter().map(Point::column), board.size().width())?;
        let rows = AxisCut::enclosing(space.points.iter().map(Point::row), board.size().height())?;
        let size = BoardSize::new(columns.length, rows.length)?;
        let to_isolated_set = |points: PointSet| -> PointSet {
            points
                .iter()
                .filter_map(|point| to_isolated(columns, rows, point))
                .collect()
        };
        let inside = to_isolated_set(space.points);
        let area = PointSet::board(size);
        let wall = area - inside;
        // The separate eye touches nothing but the wall, and the wall stays connected around it.
        let eye_candidates = area - inside.grown(&area);
        let outer_wall = PointSet::single(eye_candidates.first()?).flood_through(&wall);
        if !eye_candidates.is_subset(&outer_wall) {
            return None;
        }
        let stays_connected_without = |&point: &Point| {
            let remaining = outer_wall - PointSet::single(point);
            remaining.components().count() == 1
        };
        let outside_eye = eye_candidates.iter().find(stays_connected_without)?;
        let is_enclosing = |chain: &&Chain| {
            let adjacent_stones = chain.stones & space.points.neighbours(board.all_points());
            chain.color == space.owner && to_isolated_set(adjacent_stones).intersects(&outer_wall)
        };
        let enclosing_chains = board.chains().filter(is_enclosing);
        are_connected(board, space, enclosing_chains).then_some(Self {
            owner: space.owner,
            size,
            opponents: to_isolated_set(space.points & *board.stones(space.owner.opposite())),
            wall,
            outside_eye,
            columns,
            rows,
        })
    }

    /// Returns the number of eyes, up to two, if `first` moves first, and the move that achieves it: the owner's move
    /// that makes this number, or the opponent's move that prevents one more. Returns `None` if the number is not
    /// proved.
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
                // The opponent's best move is the one that refuted the attempt to make one more eye.
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

    /// Proves whether the wall lives with the eyes it can make in the space, plus the outside eye if `has_outside_eye`
    /// is true. Returns the result and the first move of the proof, or `None` if neither outcome is proved.
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
        let board = Board::from_stones(self.size, black, white).ok()?;
        let neighbours = PointSet::single(self.outside_eye).neighbours(board.all_points());
        let ko = position.ko_for(first);
        let problem = LifeProblem {
            board: &board,
            region: board.all_points(),
            target: neighbours.first(),
            to_move: first,
            ko: ko.and_then(|ko| to_isolated(self.columns, self.rows, ko)),
        };
        let limits = LifeLimits {
            nodes_per_proof: nodes,
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
                allow_distant_moves: true,
                assumptions: Assumptions::Unfavourable,
            };
            let attempt = search.run_proof_search(goal, 1.0);
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

    /// Converts a move to the original board. Returns `None` for a pass and for a move outside that board.
    fn to_board(&self, mv: Option<Move>) -> Option<Move> {
        let point = mv?.point()?;
        let column = self.columns.to_board(point.column())?;
        let row = self.rows.to_board(point.row())?;
        Some(Move::Play(Point::at(column, row)))
    }
}

/// Converts a point of the original board to the isolated board. Returns `None` if the point is outside the isolated
/// board.
fn to_isolated(columns: AxisCut, rows: AxisCut, point: Point) -> Option<Point> {
    let (column, row) = (
        columns.to_isolated(point.column())?,
        rows.to_isolated(point.row())?,
    );
    Some(Point::at(column, row))
}

/// Returns true if the chains are connected outside the space, either directly or through other chains of their owner.
/// Each point is used for at most one link.
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

/// Selects liberties that connect two chains safely. `common` contains the liberties that both chains share. The result
/// is a single liberty where a stone of the opponent would be suicide, or any two liberties. Returns `None` if there
/// are no such liberties.
fn connecting_liberties(board: &Board, owner: Color, common: &PointSet) -> Option<PointSet> {
    let is_opponent_suicide = |&point: &Point| board.is_suicide(owner.opposite(), point);
    match common.iter().find(is_opponent_suicide) {
        Some(point) => Some(PointSet::single(point)),
        None => (common.len() > 1).then(|| common.iter().take(2).collect()),
    }
}
