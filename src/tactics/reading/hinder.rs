//! The breaker moves.

use super::budget::Spent;
use super::goal::Goal;
use super::memory::Finding;
use super::search::{Search, Tried};
use super::turn::Turn;
use crate::game::point::Point;

impl<G: Goal> Search<G> {
    /// Whether the goal is reached with the breaker to move.
    pub(super) fn hinder(&mut self, turn: Turn) -> Result<Finding, Spent> {
        self.budget.spend()?;
        let board = self.line.at(turn.depth);
        let short = self.goal.falls_short(board, turn.moves);
        if let Some(short) = short
            // With no moves left the maker can still chase.
            && self.goal.chase(board).only().is_none()
        {
            return Ok(short);
        }
        let key = self.key(turn);
        if let Some(known) = self.memory.get_for(key, turn.moves) {
            return Ok(known);
        }
        let before = self.memory.get(key).and_then(|finding| finding.best);
        if let Some(short) = short {
            // So that a repetition is no success.
            self.memory.put(key, short);
        }
        let mut finding = self.hinder_anywhere(turn, before)?;
        if let Some(short) = short
            && !finding.reached
        {
            let best = finding.best;
            finding = Finding { best, ..short };
        }
        self.memory.put(key, finding);
        Ok(finding)
    }

    /// Tries what looks best, then to pass, then every move that may undo what comes of passing.
    fn hinder_anywhere(&mut self, turn: Turn, before: Option<Point>) -> Result<Finding, Spent> {
        let defences = self.goal.defences(self.line.at(turn.depth), turn.moves);
        if let Some(mv) = defences.first.or(before)
            && self.may_play(turn, mv)
            && let Tried::Success(finding) = self.try_move(turn, mv)?
        {
            return Ok(finding);
        }
        let passed = self.make(turn.after_pass())?;
        if !passed.reached {
            return Ok(Finding {
                best: None,
                ..passed
            });
        }
        self.try_all(turn, passed, &defences.helpful, &defences.near)
    }
}
