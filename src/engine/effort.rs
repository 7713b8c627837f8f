//! What a move may take: visits, and time with a clock and without.

use std::time::{Duration, Instant};

use super::Engine;
use crate::clock::budget::{Budget, Stage, budget};
use crate::game::color::Color;
use crate::search::limits::{Limits, Pace};

/// What a move may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    visits: Option<u64>,
    /// Without a clock.
    time: Option<Duration>,
    /// The result that the last move's search expected.
    expected: Option<f64>,
    /// By the clock.
    budget: Option<Budget>,
}

impl Effort {
    /// The time of a move about which there is nothing special.
    pub fn usual_time(&self) -> Option<Duration> {
        self.budget.map_or(self.time, |budget| Some(budget.target))
    }

    /// The time of an unclear move.
    fn longest_time(&self) -> Option<Duration> {
        match self.budget {
            Some(budget) if budget.carries_over => Some(budget.limit),
            _ => self.usual_time(),
        }
    }

    /// When the clock wants the answer to what was asked then.
    pub fn due(&self, started: Instant) -> Option<Instant> {
        let longest = self.budget.and(self.longest_time());
        longest.and_then(|time| started.checked_add(time))
    }

    /// Limits of a search for this share of the effort, of which so much has passed before it starts.
    pub fn limits(&self, share: f64, passed: Duration) -> Limits {
        let left = |time: Duration| time.mul_f64(share).saturating_sub(passed);
        Limits {
            visits: self.visits,
            time: self.longest_time().map(left),
            pace: self.usual_time().map(|target| Pace {
                target: left(target),
                expected: self.expected,
                carries_over: self.budget.is_some_and(|budget| budget.carries_over),
            }),
            ownership: false,
            by_move: false,
        }
    }
}

impl Engine {
    /// What a move of `color` may take now.
    pub(super) fn effort(&self, color: Color) -> Effort {
        let stage = Stage {
            area: self.record.size().area(),
            move_number: self.position().move_number(),
        };
        let own = self.settings.time.unwrap_or(Duration::MAX);
        let budget = budget(&self.clock, color, stage).map(|budget| Budget {
            target: budget.target.min(own),
            limit: budget.limit.min(own),
            ..budget
        });
        Effort {
            visits: self.settings.move_visits(),
            time: self.settings.unclocked_time(),
            expected: self.course.expected[color],
            budget,
        }
    }
}
