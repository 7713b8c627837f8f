//! Limits on the visits and the time of a move, with and without a game clock.

use std::time::{Duration, Instant};

use super::settings::EngineSettings;
use crate::clock::budget::{GameProgress, TimeBudget, budget};
use crate::clock::game_clock::GameClock;
use crate::game::color::Color;
use crate::search::early_stop::TimeTarget;
use crate::search::limits::SearchLimits;

/// Fraction of a move's visits and time that one endgame query may use. In the endgame, each move reserves time for two
/// queries. Without a clock, further queries extend the time of the move.
pub(super) const QUERY_SHARE: f64 = 0.1;

/// Visits and time available for one move.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveBudget {
    visits: Option<u64>,
    /// Time limit, used only if there is no game clock.
    time: Option<Duration>,
    /// Result that the previous search for the same side expected, from -1 to 1.
    expected_value: Option<f64>,
    clock_budget: Option<TimeBudget>,
}

impl MoveBudget {
    /// Computes the budget for a move of `color` at the given `progress` of the game. `expected_value` is the result
    /// that the previous search for `color` expected.
    pub fn new(
        settings: &EngineSettings,
        clock: &GameClock,
        color: Color,
        progress: GameProgress,
        expected_value: Option<f64>,
    ) -> Self {
        let user_limit = settings.time.unwrap_or(Duration::MAX);
        let clock_budget = budget(clock, color, progress).map(|budget| TimeBudget {
            target: budget.target.min(user_limit),
            limit: budget.limit.min(user_limit),
            ..budget
        });
        Self {
            visits: settings.move_visit_limit(),
            time: settings.time_without_clock(),
            expected_value,
            clock_budget,
        }
    }

    /// Returns the target time for an ordinary move, or `None` if the time is unlimited.
    pub fn target_time(&self) -> Option<Duration> {
        self.clock_budget
            .map_or(self.time, |clock_budget| Some(clock_budget.target))
    }

    /// Returns the maximum time for a move, or `None` if the time is unlimited. The maximum exceeds the target time
    /// only if unused time carries over to later moves. It is used up only if the choice is hard.
    fn max_time(&self) -> Option<Duration> {
        match self.clock_budget {
            Some(clock_budget) if clock_budget.carries_over => Some(clock_budget.limit),
            _ => self.target_time(),
        }
    }

    /// Returns the time by which a move started at `started` must be played, or `None` if there is no game clock.
    pub fn deadline(&self, started: Instant) -> Option<Instant> {
        let max_time = self.clock_budget.and(self.max_time());
        max_time.and_then(|time| started.checked_add(time))
    }

    /// Returns the limits of a search that may use `fraction` of the move's time. `elapsed` is the part of this time
    /// that has already passed.
    pub fn limits(&self, fraction: f64, elapsed: Duration) -> SearchLimits {
        let remaining = |time: Duration| time.mul_f64(fraction).saturating_sub(elapsed);
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
