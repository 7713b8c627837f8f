//! A question from the outside, put to the search: deeper and deeper, and under one ko rule after the other.

use super::Outcome;
use super::budget::Spent;
use super::ko::Free;
use super::memory::Finding;
use super::search::Search;
use super::turn::{Side, Turn};
use crate::game::color::Color;
use crate::game::point::Point;

/// Who moves, and what is asked.
pub(super) struct Question {
    pub(super) side: Side,
    /// Where that side may not play.
    pub(super) ko: Option<Point>,
    /// Within how many plies.
    pub(super) plies: usize,
    pub(super) attacker: Color,
}

/// The outcome, and what it was told by: the finding of one search, and who was free of the ko rule in it.
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    pub(super) finding: Finding,
    pub(super) free: Free,
}

impl Question {
    /// Searches under as many ko rules as it takes.
    pub(super) fn answer(&self, search: &mut Search) -> Result<Answer, Spent> {
        let answer = |outcome, finding, free| {
            Ok(Answer {
                outcome,
                finding,
                free,
            })
        };
        let with_threats = self.search(search, Free::Attacker)?;
        if !with_threats.captured {
            let plies = self.plies;
            return answer(Outcome::Safe { plies }, with_threats, Free::Attacker);
        }
        if !with_threats.by_ko {
            let plies = self.plies_of(&with_threats);
            return answer(Outcome::Captured { plies }, with_threats, Free::Attacker);
        }
        let against_threats = self.search(search, Free::Defender)?;
        if against_threats.captured {
            let plies = self.plies_of(&against_threats);
            return answer(Outcome::Captured { plies }, against_threats, Free::Defender);
        }
        let as_it_is = self.search(search, Free::Nobody)?;
        let (needs_threat, plies) = if as_it_is.captured {
            (self.attacker.opposite(), self.plies_of(&as_it_is))
        } else {
            (self.attacker, self.plies_of(&with_threats))
        };
        let outcome = Outcome::Ko {
            needs_threat,
            plies,
        };
        match (self.side, as_it_is.captured) {
            (Side::Attacker, false) => answer(outcome, with_threats, Free::Attacker),
            (Side::Defender, true) => answer(outcome, against_threats, Free::Defender),
            _ => answer(outcome, as_it_is, Free::Nobody),
        }
    }

    /// Searches for one move of the attacker, then for one more, as long as there is no capture.
    fn search(&self, search: &mut Search, free: Free) -> Result<Finding, Spent> {
        search.set_free(free);
        let most = match self.side {
            Side::Attacker => self.plies.div_ceil(2),
            Side::Defender => self.plies / 2,
        };
        let mut finding = Finding::default();
        for moves in 0..=most {
            finding = search.search(Turn {
                depth: 0,
                side: self.side,
                moves,
                ko: self.ko,
            })?;
            if finding.captured {
                break;
            }
        }
        Ok(finding)
    }

    /// Plies of the capture: each move of the attacker but the first follows one of the defender.
    fn plies_of(&self, finding: &Finding) -> usize {
        2 * usize::from(finding.moves) - usize::from(self.side == Side::Attacker)
    }
}
