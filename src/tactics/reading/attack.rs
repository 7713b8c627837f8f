//! The attacker moves.
//!
//! Beyond the depth a chain with two liberties is chased: the attacker puts it in atari with each move, and the
//! defender extends or takes something. What that finds is a capture like any other; that it finds none proves nothing.

use super::budget::Spent;
use super::memory::Finding;
use super::search::{LONGEST, Search, Tried};
use super::turn::Turn;
use super::zone;
use crate::game::board::Chain;

impl Search {
    /// Whether the attacker, to move, captures.
    pub(super) fn attack(&mut self, turn: Turn) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let chain = self.chain(turn);
        if let Some(last) = chain.liberties.only()
            && !self.free.forbids(turn, last)
        {
            return Ok(Finding {
                zone: zone::of_capture(self.line.at(turn.depth), &chain),
                best: Some(last),
                moves: 1,
                captured: true,
                by_ko: turn.ko == Some(last),
            });
        }
        let liberties = chain.liberties.len();
        let is_horizon = turn.moves < liberties;
        if is_horizon && (liberties > 2 || turn.depth >= LONGEST) {
            return Ok(Finding::too_many_liberties(&chain, turn.moves));
        }
        let key = self.key(turn, &chain);
        if let Some(known) = self.memory.get_for(key, turn.moves) {
            return Ok(known);
        }
        let finding = if is_horizon {
            let escaped = Finding::too_many_liberties(&chain, liberties - 1);
            // So that a repetition is no success.
            self.memory.put(key, escaped);
            self.chase(turn, &chain)?.unwrap_or(escaped)
        } else {
            self.attack_anywhere(turn, &chain)?
        };
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// Tries to take the two liberties one after the other, with atari each time.
    fn chase(&mut self, turn: Turn, chain: &Chain) -> Result<Option<Finding>, Spent> {
        let color = self.color(turn.side);
        let mut rest = chain.liberties;
        while let Some(mv) = self.order.pick(&rest, turn.depth, color, &rest) {
            rest.remove(mv);
            if self.may_play(turn, mv)
                && let Tried::Success(finding) = self.try_move(turn, mv)?
            {
                return Ok(Some(finding));
            }
        }
        Ok(None)
    }

    /// There are moves enough for the liberties: every move may matter.
    fn attack_anywhere(&mut self, turn: Turn, chain: &Chain) -> Result<Finding, Spent> {
        let moves = turn.moves - 1;
        let sooner = self.attack(Turn { moves, ..turn })?;
        if sooner.captured {
            return Ok(sooner);
        }
        // With no ko to wait for, the defender answers a pass by a pass.
        let passed = match turn.ko {
            None => sooner,
            Some(_) => self.defend(turn.after_pass())?,
        };
        if passed.captured {
            return Ok(Finding {
                best: None,
                moves: passed.moves + 1,
                ..passed
            });
        }
        let failure = Finding {
            moves: turn.moves as u16,
            ..passed
        };
        let empty = self.line.at(turn.depth).empty();
        self.try_all(turn, failure, &empty, &chain.liberties)
    }
}
