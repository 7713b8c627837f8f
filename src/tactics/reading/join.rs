//! The goal to make one chain of two. The maker is their owner.
//!
//! A lower bound of the moves that takes comes from the distance: the fewest stones that would join the chains if the
//! breaker always passed, see [`Reach`].

use super::goal::{Defences, Goal};
use super::memory::Finding;
use super::zone;
use crate::game::board::{Board, Chain};
use crate::game::point::{POINTS, Point};
use crate::game::pointset::PointSet;

/// To join the chains of the stones there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join(pub(super) [Point; 2]);

impl Join {
    fn chains<'a>(&self, board: &'a Board) -> [&'a Chain; 2] {
        self.0.map(|stone| {
            board
                .chain_at(stone)
                .expect("a search ends when a chain is taken")
        })
    }
}

impl Goal for Join {
    const UNSET: Self = Self([Point::at(0, 0); 2]);

    fn key(&self, board: &Board) -> u64 {
        let first = |chain: &Chain| chain.stones.first().map_or(0, Point::number);
        let [a, b] = self.chains(board).map(first);
        (a.min(b) * POINTS + a.max(b)) as u64
    }

    fn lost(&self, board: &Board) -> Option<PointSet> {
        let [a, b] = self.0;
        let taken = [a, b].into_iter().find(|&stone| board.is_empty_at(stone));
        taken.map(PointSet::single)
    }

    fn is_reached(&self, board: &Board) -> bool {
        let [a, b] = self.0;
        board
            .chain_at(a)
            .is_some_and(|chain| chain.stones.contains(b))
    }

    fn last_moves(&self, board: &Board) -> PointSet {
        let [a, b] = self.chains(board);
        a.liberties & b.liberties
    }

    fn zone_of_last(&self, board: &Board, mv: Point) -> PointSet {
        let [a, b] = self.chains(board);
        zone::before_own_move(board, a.color, mv, &(a.stones | b.stones))
    }

    fn falls_short(&self, board: &Board, moves: usize) -> Option<Finding> {
        let [a, b] = self.chains(board);
        let (from, to) = if a.liberties.len() <= b.liberties.len() {
            (a, b)
        } else {
            (b, a)
        };
        let reach = Reach::new(board, from, moves);
        (!reach.joined.intersects(&to.stones))
            .then(|| Finding::too_few_moves(reach.zone(board), moves))
    }

    fn chase(&self, _: &Board) -> PointSet {
        PointSet::EMPTY
    }

    /// What is beside both chains, or beside what is beside them.
    fn near(&self, board: &Board) -> PointSet {
        let [a, b] = self.chains(board).map(|chain| chain.liberties);
        let area = board.area();
        (a & b) | (a & b.grown(area)) | (b & a.grown(area))
    }

    fn defences(&self, board: &Board, _: usize) -> Defences {
        Defences {
            first: self.last_moves(board).only(),
            near: self.near(board),
            helpful: board.empty(),
        }
    }
}

/// What can be joined to a chain with so many stones while the opponent passes.
///
/// Each point that is not the owner's takes a stone, those of opposing chains too, which must be taken first. A chain of
/// as many liberties as there are moves is a wall: to take it leaves no move for its points.
struct Reach {
    /// The points joined.
    joined: PointSet,
    /// Opposing chains beside them that are walls, with what shows it.
    walls: PointSet,
}

impl Reach {
    fn new(board: &Board, chain: &Chain, moves: usize) -> Self {
        let area = board.area();
        let own = board.stones(chain.color);
        let others = *board.stones(chain.color.opposite());
        let mut reach = Self {
            joined: chain.stones,
            walls: PointSet::EMPTY,
        };
        for _ in 0..moves {
            let mut next = reach.joined.grown(area);
            let mut met = (next & others) - reach.joined;
            while let Some(stone) = met.first() {
                let wall = board.chain_at(stone).expect("a stone belongs to a chain");
                met -= wall.stones;
                if wall.liberties.len() >= moves {
                    next -= wall.stones;
                    reach.walls |= zone::of_liberties(wall, moves - 1);
                }
            }
            reach.joined = next | next.grown(area).flood(own);
        }
        reach
    }

    /// The points that show that no more than these are joined.
    fn zone(&self, board: &Board) -> PointSet {
        self.joined.grown(board.area()) | self.walls
    }
}
