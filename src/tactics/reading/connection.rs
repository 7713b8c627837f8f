//! The goal of connecting two chains. The maker is their owner.
//!
//! The minimum number of stones that connects the chains if the breaker always passes is a lower bound on the number of
//! maker moves (see `ReachablePoints`).

use super::goal::{BreakerMoves, ReadingGoal};
use super::table::NodeResult;
use super::zone;
use crate::game::board::{Board, Chain};
use crate::game::point::{POINT_TABLE_LEN, Point};
use crate::game::pointset::PointSet;

/// The goal of connecting the chains that contain the two given stones.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionGoal(pub(super) [Point; 2]);

impl ConnectionGoal {
    fn chains<'a>(&self, board: &'a Board) -> [&'a Chain; 2] {
        self.0.map(|stone| {
            board
                .chain_at(stone)
                .expect("a search ends when a chain is captured")
        })
    }
}

impl ReadingGoal for ConnectionGoal {
    fn key(&self, board: &Board) -> u64 {
        let first_stone = |chain: &Chain| chain.stones.first().map_or(0, Point::number);
        let [a, b] = self.chains(board).map(first_stone);
        (a.min(b) * POINT_TABLE_LEN + a.max(b)) as u64
    }

    fn unreachable_zone(&self, board: &Board) -> Option<PointSet> {
        let [a, b] = self.0;
        let captured = [a, b].into_iter().find(|&stone| board.is_empty_at(stone));
        captured.map(PointSet::single)
    }

    fn is_reached(&self, board: &Board) -> bool {
        let [a, b] = self.0;
        board
            .chain_at(a)
            .is_some_and(|chain| chain.stones.contains(b))
    }

    fn reaching_moves(&self, board: &Board) -> PointSet {
        let [a, b] = self.chains(board);
        a.liberties & b.liberties
    }

    fn reaching_zone(&self, board: &Board, mv: Point) -> PointSet {
        let [a, b] = self.chains(board);
        zone::before_owner_move(board, a.color, mv, &(a.stones | b.stones))
    }

    fn prove_too_few_moves(&self, board: &Board, moves: usize) -> Option<NodeResult> {
        let [a, b] = self.chains(board);
        let (from, to) = if a.liberties.len() <= b.liberties.len() {
            (a, b)
        } else {
            (b, a)
        };
        let reachable = ReachablePoints::new(board, from, moves);
        (!reachable.points.intersects(&to.stones))
            .then(|| NodeResult::too_few_moves(reachable.zone(board), moves))
    }

    fn forcing_moves(&self, _: &Board) -> PointSet {
        PointSet::EMPTY
    }

    /// Returns the liberties that both chains share, and the liberties of one chain that are next to a liberty of the
    /// other.
    fn preferred_moves(&self, board: &Board) -> PointSet {
        let [a, b] = self.chains(board).map(|chain| chain.liberties);
        let area = board.all_points();
        (a & b) | (a & b.grown(area)) | (b & a.grown(area))
    }

    fn breaker_moves(&self, board: &Board, _: usize) -> BreakerMoves {
        BreakerMoves {
            first: self.reaching_moves(board).only(),
            preferred: self.preferred_moves(board),
            candidates: board.empty_points(),
        }
    }
}

/// Superset of the points that a chain can reach with a given number of moves while the opponent passes.
///
/// Every point that the owner does not occupy yet costs one move. This includes the points of opposing chains, which
/// have to be captured first; the moves that capture them are not counted. An opposing chain with `moves` or more
/// liberties is a *blocker*: after it is captured, no move remains to occupy its points.
struct ReachablePoints {
    /// Reachable points, including the chain.
    points: PointSet,
    /// Zone of the proof that no adjacent blocker can be captured with a move to spare.
    blocker_zone: PointSet,
}

impl ReachablePoints {
    fn new(board: &Board, chain: &Chain, moves: usize) -> Self {
        let area = board.all_points();
        let own = board.stones(chain.color);
        let opponents = *board.stones(chain.color.opposite());
        let mut reachable = Self {
            points: chain.stones,
            blocker_zone: PointSet::EMPTY,
        };
        for _ in 0..moves {
            let mut next = reachable.points.grown(area);
            let mut adjacent_opponents = (next & opponents) - reachable.points;
            while let Some(stone) = adjacent_opponents.first() {
                let blocker = board.chain_at(stone).expect("a stone belongs to a chain");
                adjacent_opponents -= blocker.stones;
                if blocker.liberties.len() >= moves {
                    next -= blocker.stones;
                    reachable.blocker_zone |= zone::of_too_many_liberties(blocker, moves - 1);
                }
            }
            reachable.points = next | next.grown(area).flood_through(own);
        }
        reachable
    }

    /// Returns the zone of the proof that no other points are reachable.
    fn zone(&self, board: &Board) -> PointSet {
        self.points.grown(board.all_points()) | self.blocker_zone
    }
}
