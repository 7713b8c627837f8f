//! The maker moves.
//!
//! Beyond the depth a goal is chased with moves that must be answered: of a chain with two liberties the attacker takes
//! one after the other, and the defender extends or takes something. A goal reached so is reached like any other; that
//! none is proves nothing.

use super::budget::Spent;
use super::goal::Goal;
use super::memory::Finding;
use super::search::{LONGEST, Search, Tried};
use super::turn::Turn;
use crate::game::point::Point;
use crate::game::pointset::PointSet;

impl<G: Goal> Search<G> {
    /// Whether the maker, to move, reaches the goal.
    pub(super) fn make(&mut self, turn: Turn) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let board = self.line.at(turn.depth);
        if let Some(zone) = self.goal.lost(board) {
            return Ok(Finding::lost(zone));
        }
        if let Some(last) = self.last_move(turn) {
            return Ok(Finding {
                zone: self.goal.zone_of_last(board, last),
                best: Some(last),
                moves: 1,
                reached: true,
                by_ko: turn.ko == Some(last),
            });
        }
        let short = self.goal.falls_short(board, turn.moves);
        let chase = self.goal.chase(board);
        if let Some(short) = short
            && (chase.is_empty() || turn.depth >= LONGEST)
        {
            return Ok(short);
        }
        let key = self.key(turn);
        if let Some(known) = self.memory.get_for(key, turn.moves) {
            return Ok(known);
        }
        let finding = if let Some(short) = short {
            // So that a repetition is no success.
            self.memory.put(key, short);
            self.chase(turn, chase)?.unwrap_or(short)
        } else {
            self.make_anywhere(turn)?
        };
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// A legal move that reaches the goal at once, without ko if there is one.
    fn last_move(&self, turn: Turn) -> Option<Point> {
        let board = self.line.at(turn.depth);
        let moves = self.goal.last_moves(board).iter();
        moves
            .filter(|&mv| self.may_play(turn, mv))
            .min_by_key(|&mv| turn.ko == Some(mv))
    }

    /// Tries the moves of a chase one after the other.
    fn chase(&mut self, turn: Turn, mut rest: PointSet) -> Result<Option<Finding>, Spent> {
        let color = self.color(turn.side);
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

    /// There may be moves enough: every move may matter.
    fn make_anywhere(&mut self, turn: Turn) -> Result<Finding, Spent> {
        let moves = turn.moves - 1;
        let sooner = self.make(Turn { moves, ..turn })?;
        if sooner.reached {
            return Ok(sooner);
        }
        // With no ko to wait for, the breaker answers a pass by a pass.
        let passed = match turn.ko {
            None => sooner,
            Some(_) => self.hinder(turn.after_pass())?,
        };
        if passed.reached {
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
        let board = self.line.at(turn.depth);
        let (empty, near) = (board.empty(), self.goal.near(board));
        self.try_all(turn, failure, &empty, &near)
    }
}
