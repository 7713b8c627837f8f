//! The defender moves.

use super::budget::Spent;
use super::memory::Finding;
use super::search::{Search, Tried};
use super::turn::Turn;
use crate::game::board::{Board, Chain};
use crate::game::point::Point;
use crate::game::pointset::PointSet;

impl Search {
    /// Whether the chain is captured with the defender to move.
    pub(super) fn defend(&mut self, turn: Turn) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let chain = self.chain(turn);
        // With no moves left the attacker can still chase.
        if chain.liberties.len() > turn.moves.max(1) {
            return Ok(Finding::too_many_liberties(&chain, turn.moves));
        }
        let key = self.key(turn, &chain);
        if let Some(known) = self.memory.get_for(key, turn.moves) {
            return Ok(known);
        }
        let before = self.memory.get(key).and_then(|finding| finding.best);
        let escaped = Finding::too_many_liberties(&chain, 0);
        if turn.moves == 0 {
            // So that a repetition is no success.
            self.memory.put(key, escaped);
        }
        let mut finding = self.defend_anywhere(turn, &chain, before)?;
        if turn.moves == 0 && !finding.captured {
            let best = finding.best;
            finding = Finding { best, ..escaped };
        }
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// Tries what looks best, then to pass, then every move that may undo what comes of passing.
    fn defend_anywhere(
        &mut self,
        turn: Turn,
        chain: &Chain,
        before: Option<Point>,
    ) -> Result<Finding, Spent> {
        let board = self.line.at(turn.depth);
        let near = rescues(board, chain) | chain.liberties;
        // In atari nothing helps but to extend or to take a surrounding chain.
        let helpful = match chain.liberties.only() {
            Some(_) => near,
            None => board.empty(),
        };
        if let Some(mv) = running_away(board, chain, turn.moves).or(before)
            && self.may_play(turn, mv)
            && let Tried::Success(finding) = self.try_move(turn, mv)?
        {
            return Ok(finding);
        }
        let passed = self.attack(turn.after_pass())?;
        if !passed.captured {
            return Ok(Finding {
                best: None,
                ..passed
            });
        }
        self.try_all(turn, passed, &helpful, &near)
    }
}

/// Where the owner of the chain can take a chain beside it.
fn rescues(board: &Board, chain: &Chain) -> PointSet {
    let around = chain.stones.neighbours(board.area());
    let mut moves = PointSet::EMPTY;
    for other in board.chains() {
        if other.color != chain.color
            && other.liberties.len() == 1
            && other.stones.intersects(&around)
        {
            moves |= other.liberties;
        }
    }
    moves
}

/// A move after which the chain has too many liberties for `moves` moves, and for a chase.
fn running_away(board: &Board, chain: &Chain, moves: usize) -> Option<Point> {
    let enough = moves.max(2);
    chain
        .liberties
        .iter()
        .find(|&mv| board.liberties_after(chain.color, mv).len() > enough)
}
