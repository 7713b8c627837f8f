//! A question from the outside, put to the search: deeper and deeper, and under one ko rule after the other.

use super::budget::{Budget, Limits, Spent};
use super::goal::Goal;
use super::ko::Free;
use super::memory::Finding;
use super::search::Search;
use super::turn::{Side, Turn};
use super::{Outcome, Reading};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::Point;

/// Goals are not looked for in more plies than that, whatever the limits say.
const MOST_PLIES: usize = 200;

/// Who moves, and what is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) side: Side,
    /// Where that side may not play.
    pub(super) ko: Option<Point>,
    /// Who wants to reach the goal.
    pub(super) maker: Color,
    pub(super) limits: Limits,
}

/// The outcome, and what it was told by: the finding of one search, and who was free of the ko rule in it.
struct Answer {
    outcome: Outcome,
    finding: Finding,
    free: Free,
}

impl Question {
    /// Reads the goal on the board.
    pub(super) fn read<G: Goal>(&self, search: &mut Search<G>, board: &Board, goal: G) -> Reading {
        search.start(board, goal, self.maker, Budget::new(&self.limits));
        let mut reading = Reading {
            outcome: Outcome::Unknown,
            best: None,
            line: Vec::new(),
            nodes: 0,
        };
        if let Ok(answer) = self.answer(search) {
            reading.outcome = answer.outcome;
            let reached = answer.finding.reached;
            if reached || self.side == Side::Breaker {
                search.set_free(answer.free);
                reading.line = search.principal_variation(self.side, answer.finding);
            }
            if reached == (self.side == Side::Maker) {
                reading.best = reading.line.first().copied();
            }
        }
        reading.nodes = search.budget.nodes;
        reading
    }

    /// Searches under as many ko rules as it takes.
    fn answer<G: Goal>(&self, search: &mut Search<G>) -> Result<Answer, Spent> {
        let answer = |outcome, finding, free| {
            Ok(Answer {
                outcome,
                finding,
                free,
            })
        };
        let with_threats = self.search(search, Free::Maker)?;
        if !with_threats.reached {
            let plies = self.plies();
            return answer(Outcome::Prevented { plies }, with_threats, Free::Maker);
        }
        if !with_threats.by_ko {
            let plies = self.plies_of(&with_threats);
            return answer(Outcome::Reached { plies }, with_threats, Free::Maker);
        }
        let against_threats = self.search(search, Free::Breaker)?;
        if against_threats.reached {
            let plies = self.plies_of(&against_threats);
            return answer(Outcome::Reached { plies }, against_threats, Free::Breaker);
        }
        let as_it_is = self.search(search, Free::Nobody)?;
        let (needs_threat, plies) = if as_it_is.reached {
            (self.maker.opposite(), self.plies_of(&as_it_is))
        } else {
            (self.maker, self.plies_of(&with_threats))
        };
        let outcome = Outcome::Ko {
            needs_threat,
            plies,
        };
        match (self.side, as_it_is.reached) {
            (Side::Maker, false) => answer(outcome, with_threats, Free::Maker),
            (Side::Breaker, true) => answer(outcome, against_threats, Free::Breaker),
            _ => answer(outcome, as_it_is, Free::Nobody),
        }
    }

    fn plies(&self) -> usize {
        self.limits.plies.min(MOST_PLIES)
    }

    /// Searches for one move of the maker, then for one more, as long as the goal is not reached.
    fn search<G: Goal>(&self, search: &mut Search<G>, free: Free) -> Result<Finding, Spent> {
        search.set_free(free);
        let most = match self.side {
            Side::Maker => self.plies().div_ceil(2),
            Side::Breaker => self.plies() / 2,
        };
        let mut finding = Finding::default();
        for moves in 0..=most {
            finding = search.search(Turn {
                depth: 0,
                side: self.side,
                moves,
                ko: self.ko,
            })?;
            if finding.reached {
                break;
            }
        }
        Ok(finding)
    }

    /// Plies of the success: each move of the maker but the first follows one of the breaker.
    fn plies_of(&self, finding: &Finding) -> usize {
        2 * usize::from(finding.moves) - usize::from(self.side == Side::Maker)
    }
}
