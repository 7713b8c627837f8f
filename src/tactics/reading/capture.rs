//! The goal of capturing a chain. The maker is the opponent of the chain's owner. Each maker move removes at most one
//! liberty, so the maker needs at least as many moves as the chain has liberties.

use super::goal::{BreakerMoves, ReadingGoal};
use super::table::NodeResult;
use super::zone;
use crate::game::board::{Board, Chain};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::tactics::ladder::rescuing_captures;

/// Maximum number of liberties with which a chain is still attacked at the horizon.
const MAX_FORCING_LIBERTIES: usize = 2;

/// The goal of capturing the chain that contains the given stone.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureGoal(pub(super) Point);

impl CaptureGoal {
    fn chain<'a>(&self, board: &'a Board) -> &'a Chain {
        board
            .chain_at(self.0)
            .expect("a search ends when the chain is captured")
    }
}

impl ReadingGoal for CaptureGoal {
    fn key(&self, board: &Board) -> u64 {
        self.chain(board)
            .stones
            .first()
            .map_or(0, |stone| stone.number() as u64)
    }

    fn unreachable_zone(&self, _: &Board) -> Option<PointSet> {
        None
    }

    fn is_reached(&self, board: &Board) -> bool {
        board.is_empty_at(self.0)
    }

    fn reaching_moves(&self, board: &Board) -> PointSet {
        let last_liberty = self.chain(board).liberties.only();
        last_liberty.map_or(PointSet::EMPTY, PointSet::single)
    }

    fn reaching_zone(&self, board: &Board, _: Point) -> PointSet {
        zone::of_immediate_capture(board, self.chain(board))
    }

    fn prove_too_few_moves(&self, board: &Board, moves: usize) -> Option<NodeResult> {
        let chain = self.chain(board);
        (chain.liberties.len() > moves)
            .then(|| NodeResult::too_few_moves(zone::of_too_many_liberties(chain, moves), moves))
    }

    fn forcing_moves(&self, board: &Board) -> PointSet {
        let liberties = self.chain(board).liberties;
        if liberties.len() > MAX_FORCING_LIBERTIES {
            return PointSet::EMPTY;
        }
        liberties
    }

    fn preferred_moves(&self, board: &Board) -> PointSet {
        self.chain(board).liberties
    }

    fn breaker_moves(&self, board: &Board, moves: usize) -> BreakerMoves {
        let chain = self.chain(board);
        let preferred = rescuing_captures(board, chain) | chain.liberties;
        // In atari, only extending and capturing an adjacent chain are useful.
        let candidates = match chain.liberties.only() {
            Some(_) => preferred,
            None => board.empty_points(),
        };
        BreakerMoves {
            first: escaping_move(board, chain, moves),
            preferred,
            candidates,
        }
    }
}

/// Returns a liberty on which the owner can extend the chain so that it escapes: it then has too many liberties to be
/// captured with `moves` maker moves, and too many to be attacked at the horizon. Returns `None` if there is no such
/// liberty.
fn escaping_move(board: &Board, chain: &Chain, moves: usize) -> Option<Point> {
    let max_liberties = moves.max(MAX_FORCING_LIBERTIES);
    chain
        .liberties
        .iter()
        .find(|&mv| board.liberties_after(chain.color, mv).len() > max_liberties)
}
