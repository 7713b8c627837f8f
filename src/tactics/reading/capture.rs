//! The goal to take a chain. The maker is its opponent; a move takes away one of its liberties at most.

use super::goal::{Defences, Goal};
use super::memory::Finding;
use super::zone;
use crate::game::board::{Board, Chain};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::ladder::rescuing_captures;

/// A chain that goes on with more liberties than that is not chased.
const CHASED: usize = 2;

/// To take the chain of the stone there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture(pub(super) Point);

impl Capture {
    fn chain<'a>(&self, board: &'a Board) -> &'a Chain {
        board
            .chain_at(self.0)
            .expect("a search ends when the chain is taken")
    }
}

impl Goal for Capture {
    const UNSET: Self = Self(Point::at(0, 0));

    fn key(&self, board: &Board) -> u64 {
        self.chain(board)
            .stones
            .first()
            .map_or(0, |stone| stone.number() as u64)
    }

    fn lost(&self, _: &Board) -> Option<PointSet> {
        None
    }

    fn is_reached(&self, board: &Board) -> bool {
        board.is_empty_at(self.0)
    }

    fn last_moves(&self, board: &Board) -> PointSet {
        let last = self.chain(board).liberties.only();
        last.map_or(PointSet::EMPTY, PointSet::single)
    }

    fn zone_of_last(&self, board: &Board, _: Point) -> PointSet {
        zone::of_capture(board, self.chain(board))
    }

    fn falls_short(&self, board: &Board, moves: usize) -> Option<Finding> {
        let chain = self.chain(board);
        (chain.liberties.len() > moves)
            .then(|| Finding::too_few_moves(zone::of_liberties(chain, moves), moves))
    }

    fn chase(&self, board: &Board) -> PointSet {
        let liberties = self.chain(board).liberties;
        if liberties.len() > CHASED {
            return PointSet::EMPTY;
        }
        liberties
    }

    fn near(&self, board: &Board) -> PointSet {
        self.chain(board).liberties
    }

    fn defences(&self, board: &Board, moves: usize) -> Defences {
        let chain = self.chain(board);
        let near = rescuing_captures(board, chain) | chain.liberties;
        // In atari nothing helps but to extend or to take a surrounding chain.
        let helpful = match chain.liberties.only() {
            Some(_) => near,
            None => board.empty(),
        };
        Defences {
            first: running_away(board, chain, moves),
            near,
            helpful,
        }
    }
}

/// A move after which the chain has too many liberties for `moves` moves, and for a chase.
fn running_away(board: &Board, chain: &Chain, moves: usize) -> Option<Point> {
    let enough = moves.max(CHASED);
    chain
        .liberties
        .iter()
        .find(|&mv| board.liberties_after(chain.color, mv).len() > enough)
}
