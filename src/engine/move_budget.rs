//! What a move may take: visits, and time with a clock and without.

use std::time::{Duration, Instant};

use super::Engine;
use crate::clock::budget::{Stage, TimeBudget, budget};
use crate::game::color::Color;
use crate::search::limits::{SearchLimits, TimeTarget};

/// What a move may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveBudget {
    visits: Option<u64>,
    /// Without a clock.
    time: Option<Duration>,
    /// The result that the last move's search expected.
    expected_value: Option<f64>,
    /// By the clock.
    clock_budget: Option<TimeBudget>,
}

impl MoveBudget {
    /// The time of a move about which there is nothing special.
    pub fn target_time(&self) -> Option<Duration> {
        self.clock_budget
            .map_or(self.time, |clock_budget| Some(clock_budget.target))
    }

    /// The time of an unclear move.
    fn max_time(&self) -> Option<Duration> {
        match self.clock_budget {
            Some(clock_budget) if clock_budget.carries_over => Some(clock_budget.limit),
            _ => self.target_time(),
        }
    }

    /// When the clock wants the answer to what was asked then.
    pub fn deadline(&self, started: Instant) -> Option<Instant> {
        let max_time = self.clock_budget.and(self.max_time());
        max_time.and_then(|time| started.checked_add(time))
    }

    /// Limits of a search for this share of the effort, of which so much has passed before it starts.
    pub fn limits(&self, share: f64, elapsed: Duration) -> SearchLimits {
        let remaining = |time: Duration| time.mul_f64(share).saturating_sub(elapsed);
        SearchLimits {
            visits: self.visits,
            time: self.max_time().map(remaining),
            time_target: self.target_time().map(|target| TimeTarget {
                target: remaining(target),
                expected_value: self.expected_value,
                carries_over: self
                    .clock_budget
                    .is_some_and(|clock_budget| clock_budget.carries_over),
            }),
            ownership: false,
            per_move_stats: false,
        }
    }
}

impl Engine {
    /// What a move of `color` may take now.
    pub(super) fn move_budget(&self, color: Color) -> MoveBudget {
        let stage = Stage {
            area: self.record.size().area(),
            move_number: self.position().move_number(),
        };
        let user_limit = self.settings.time.unwrap_or(Duration::MAX);
        let clock_budget = budget(&self.clock, color, stage).map(|budget| TimeBudget {
            target: budget.target.min(user_limit),
            limit: budget.limit.min(user_limit),
            ..budget
        });
        MoveBudget {
            visits: self.settings.move_visits(),
            time: self.settings.time_without_clock(),
            expected_value: self.game_state.expected_values[color],
            clock_budget,
        }
    }
}
