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
/// Maximum number of liberties of chains that extend the search to their liberties outside the area.
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
        let (first, last) = points.bounding_corners()?;
        let area = PointSet::rectangle(first, last);
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

    /// Returns the empty points at which moves are searched: the empty points of the area, and the liberties of chains
    /// that reach into the area and have few liberties.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::color::Color;
    use crate::game::diagram;
    use crate::game::point::Point;
    use crate::game::rules::Rules;

    const CORNER: &str = "
        . X O . . . . . .
        . X O . . . . . .
        . X O O X . . . .
        . . X . X . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .";

    fn root() -> Position {
        let board = diagram::parse_board(CORNER).unwrap();
        Position::from_board(board, Color::Black, Rules::default())
    }

    /// Returns the scope of a search of the empty points of the rectangle from A9 to `corner`, without the first
    /// `skipped` ones.
    fn scope(corner: (usize, usize), skipped: usize) -> Option<Scope> {
        let root = root();
        let area = PointSet::rectangle(Point::at(0, 0), Point::at(corner.0, corner.1));
        let moves = (area & root.board().empty_points()).iter().map(Move::Play);
        Scope::new(&root, &Restriction::only(moves.skip(skipped).collect()))
    }

    #[test]
    fn small_rectangles_are_local() {
        assert!(scope((4, 3), 0).is_some());
        // The rectangle covers 40 or 45 of 81 points.
        assert!(scope((4, 7), 0).is_some());
        assert!(scope((4, 8), 0).is_none());
        // A list of moves that is not a rectangle, or very short.
        assert!(scope((4, 3), 1).is_none());
        assert!(scope((1, 0), 0).is_none());
        assert!(Scope::new(&root(), &Restriction::none()).is_none());
    }

    #[test]
    fn scope_includes_liberties_of_short_chains() {
        let root = root();
        let area = PointSet::rectangle(Point::at(0, 0), Point::at(2, 2));
        let empty = area & root.board().empty_points();
        let scope = Scope { area };
        let names = |points: PointSet| {
            let names = points
                .iter()
                .map(|point| root.size().format_move(Move::Play(point)));
            names.collect::<BTreeSet<_>>()
        };
        let set = |names: &[&str]| {
            names
                .iter()
                .map(ToString::to_string)
                .collect::<BTreeSet<_>>()
        };
        // The white chain has three liberties, D6, D8 and D9. Only a chain with two can soon be captured.
        assert_eq!(scope.playable(root.board()), empty);
        let mut after = root.clone();
        after
            .play(Color::Black, root.size().parse_move("D8").unwrap())
            .unwrap();
        assert_eq!(
            names(scope.playable(after.board()) - empty),
            set(&["D6", "D9"])
        );
        assert_eq!(names(scope.extent(after.board()) - area), set(&["D7"]));
    }
}
