//! Local searches: if the moves at the root are restricted to one part of the board, the question is local, and the
//! whole search stays there.

use crate::game::board::Board;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::random::splitmix64;
use crate::search::restriction::Restriction;

/// Minimum number of moves at the root of a local search. Fewer moves are usually alternatives that someone wants to
/// compare.
const MIN_MOVES: usize = 6;
/// Maximum number of liberties of chains whose liberties outside the area are searched.
const MAX_LIBERTIES: usize = 2;

/// The part of the board to which a local search is confined.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The allowed moves and the stones between them.
    area: PointSet,
}

impl Scope {
    /// Returns the scope of a search of `root`, or `None` if the search is not local. A search is local if the allowed
    /// moves are all empty points of a rectangle that covers at most half of the board.
    pub fn new(root: &Position, restriction: &Restriction) -> Option<Self> {
        let board = root.board();
        let moves = restriction.only_root_moves()?;
        let points: PointSet = moves.iter().filter_map(|mv| mv.point()).collect();
        let area = bounding_box(&points)?;
        let is_complete = (area - board.occupied_points()).is_subset(&points);
        let is_local = moves.len() >= MIN_MOVES
            && 2 * area.len() <= board.size().area()
            && !moves.contains(&Move::Pass);
        (is_local && is_complete).then_some(Self { area })
    }

    /// Returns the points to which the scope extends on `board`: the area and all stones of chains that reach into it.
    pub fn extent(&self, board: &Board) -> PointSet {
        let chains = board.chains().map(|chain| chain.stones);
        chains
            .filter(|stones| stones.intersects(&self.area))
            .fold(self.area, |all, stones| all | stones)
    }

    /// Returns the empty points at which moves are searched: those of the area, and the liberties of chains that reach
    /// into the area and have few liberties.
    pub fn playable(&self, board: &Board) -> PointSet {
        let chains = board.chains().filter(|chain| {
            chain.liberties.len() <= MAX_LIBERTIES && chain.stones.intersects(&self.area)
        });
        let empty = self.area - board.occupied_points();
        chains.fold(empty, |all, chain| all | chain.liberties)
    }

    /// Returns a number that distinguishes the values of this scope in the transposition table from other values.
    pub fn table_salt(&self) -> u64 {
        let points = self.area.iter();
        points.fold(1, |salt, point| splitmix64(salt ^ point.number() as u64))
    }
}

/// Returns the smallest rectangle that contains `points`, or `None` if there are none.
fn bounding_box(points: &PointSet) -> Option<PointSet> {
    use crate::game::point::Point;
    let columns = || points.iter().map(Point::column);
    let rows = || points.iter().map(Point::row);
    let low = Point::at(columns().min()?, rows().min()?);
    let high = Point::at(columns().max()?, rows().max()?);
    Some(PointSet::rectangle(low, high))
}
