//! Early stop of a search that has a target time. Such a search takes less time if the choice is clear or forced, and
//! more if the best moves are close or the expected result has dropped.
//!
//! The maximum duration is the target time multiplied by a factor. The factor is `BASE_TIME_FACTOR` if one move has all
//! visits. It increases with the visits of the second most visited move. It also increases if the move to play is not
//! the most visited one, and if the result is worse than expected. The search ends before the maximum duration if no
//! other move can catch up with the most visited one, if the move to play is obvious, or if only one move is allowed.

use std::time::Duration;

use super::params::SearchParams;
use super::restriction::Restriction;
use super::root::ranked_candidates;
use super::tree::Tree;
use crate::game::color::Color;

/// Time factor if one move has all visits.
const BASE_TIME_FACTOR: f64 = 0.75;
/// Amount added to the factor if the two most visited moves have equal visits. If their visits differ, the amount is
/// multiplied by the square of the ratio of the smaller number to the larger one.
const CLOSE_CHOICE_EXTENSION: f64 = 0.6;
/// Amount added to the factor if the move to play is not the most visited one.
const UNDECIDED_EXTENSION: f64 = 0.5;
/// Amount added to the factor if the result is worse than expected by at least [`FULL_VALUE_DROP`]. A smaller drop adds
/// a proportional part.
const VALUE_DROP_EXTENSION: f64 = 0.75;
/// Drop of the expected result, on a scale from -1 to 1, at which the full [`VALUE_DROP_EXTENSION`] is added.
const FULL_VALUE_DROP: f64 = 0.2;
/// Fraction of the target time after which an obvious move is played.
const OBVIOUS_MOVE_TIME_FACTOR: f64 = 0.1;
/// Minimum prior of an obvious move.
const MIN_OBVIOUS_PRIOR: f32 = 0.95;
/// Minimum fraction of the root visits that an obvious move must have received.
const MIN_OBVIOUS_SHARE: f64 = 0.95;
/// Minimum number of new visits before the root statistics are used for an early stop.
const MIN_NEW_VISITS: u32 = 16;

/// Target duration of a search that may end early or run longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeTarget {
    /// Duration of a search in which the choice is neither clear nor close.
    pub target: Duration,
    /// Result that the previous search for the same side expected, from -1 to 1 from that side's perspective. If the
    /// current search expects a worse result, it takes longer. `None` if there was no previous search.
    pub expected_value: Option<f64>,
    /// Whether unused time remains available for later moves. If false, only an obvious move or the only allowed move
    /// ends the search early.
    pub carries_over: bool,
}

impl TimeTarget {
    /// Returns true if the target time has passed and unused time carries over. Used while no [`RootStatus`] is
    /// available.
    pub fn is_reached_with_carryover(&self, elapsed: Duration) -> bool {
        self.carries_over && elapsed >= self.target
    }
}

/// Root statistics of a running search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootStatus {
    /// Number of root visits since the start of this search.
    pub new_visits: u32,
    /// Number of root visits, including reused ones.
    pub total_visits: u32,
    /// Visits of the most visited move.
    pub leading_visits: u32,
    /// Visits of the second most visited move, or 0 if there is only one move.
    pub second_visits: u32,
    /// True if the most visited move is also the move that the final choice selects.
    pub is_decided: bool,
    /// Expected result of the move to play, from -1 to 1, for the side to move.
    pub value: f64,
    /// Prior of the most visited move.
    pub prior: f32,
    /// True if only one move is allowed.
    pub is_only_move: bool,
}

impl RootStatus {
    /// Collects the statistics of a search that started with `initial_visits` root visits. Returns `None` if the search
    /// has too few new visits or no allowed move has been visited.
    pub fn from_tree(
        params: &SearchParams,
        tree: &Tree,
        to_move: Color,
        restriction: &Restriction,
        initial_visits: u32,
    ) -> Option<Self> {
        let visits = tree.root().visits();
        let new_visits = visits.saturating_sub(initial_visits);
        let candidates = ranked_candidates(params, tree, to_move, restriction);
        let first = candidates.first()?;
        let most_visited = candidates.iter().max_by_key(|candidate| candidate.visits)?;
        let others = candidates
            .iter()
            .filter(|other| other.index != most_visited.index);
        let edges = tree.edges(tree.root());
        let allowed = edges
            .iter()
            .filter(|edge| restriction.allows_at_root(edge.mv()));
        let child = edges[first.index].child()?;
        let mean = tree.node(child).outcome_stats();
        (new_visits >= MIN_NEW_VISITS).then(|| Self {
            new_visits,
            total_visits: visits,
            leading_visits: most_visited.visits,
            second_visits: others.map(|other| other.visits).max().unwrap_or(0),
            is_decided: first.visits == most_visited.visits,
            value: to_move.to_perspective(mean.value),
            prior: edges[most_visited.index].prior(),
            is_only_move: allowed.count() == 1,
        })
    }

    /// Returns true if the search can stop `elapsed` after its start.
    pub fn should_stop(&self, target: &TimeTarget, elapsed: Duration) -> bool {
        if self.is_only_move
            || self.is_obvious() && elapsed >= target.target.mul_f64(OBVIOUS_MOVE_TIME_FACTOR)
        {
            return true;
        }
        if !target.carries_over {
            return false;
        }
        let limit = target.target.mul_f64(self.max_time_factor(target));
        let remaining = limit.saturating_sub(elapsed);
        remaining.is_zero()
            || self.is_decided && self.remaining_visits(elapsed, remaining) < self.visit_lead()
    }

    /// Returns true if the move to play is the most visited one and has a very high prior and almost all visits.
    fn is_obvious(&self) -> bool {
        let share =
            f64::from(self.leading_visits) / f64::from(self.total_visits.max(self.leading_visits));
        self.is_decided && self.prior >= MIN_OBVIOUS_PRIOR && share >= MIN_OBVIOUS_SHARE
    }

    /// Returns the maximum duration of the search as a multiple of the target time.
    fn max_time_factor(&self, target: &TimeTarget) -> f64 {
        let closeness = f64::from(self.second_visits) / f64::from(self.leading_visits.max(1));
        let undecided = if self.is_decided {
            0.0
        } else {
            UNDECIDED_EXTENSION
        };
        let drop = target
            .expected_value
            .map_or(0.0, |expected| expected - self.value);
        BASE_TIME_FACTOR
            + CLOSE_CHOICE_EXTENSION * closeness * closeness
            + undecided
            + VALUE_DROP_EXTENSION * (drop / FULL_VALUE_DROP).clamp(0.0, 1.0)
    }

    /// Estimates how many visits the search completes in the remaining time if it continues at the same rate.
    fn remaining_visits(&self, elapsed: Duration, remaining: Duration) -> f64 {
        f64::from(self.new_visits) * remaining.as_secs_f64()
            / elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns by how many visits the most visited move leads the second one.
    fn visit_lead(&self) -> f64 {
        f64::from(self.leading_visits - self.second_visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: TimeTarget = TimeTarget {
        target: Duration::from_secs(10),
        expected_value: Some(0.0),
        carries_over: true,
    };

    fn status(leading_visits: u32, second_visits: u32) -> RootStatus {
        RootStatus {
            new_visits: leading_visits + second_visits,
            total_visits: leading_visits + second_visits,
            leading_visits,
            second_visits,
            is_decided: true,
            value: 0.0,
            prior: 0.5,
            is_only_move: false,
        }
    }

    /// Returns the time, in tenths of a second, at which a search stops if its visits grow linearly and reach those in
    /// `status` after ten seconds.
    fn stop_time(status: RootStatus, target: &TimeTarget) -> u64 {
        let is_stopped = |tenths: &u64| {
            let scaled = |visits: u32| (f64::from(visits) * *tenths as f64 / 100.0) as u32;
            let current = RootStatus {
                new_visits: scaled(status.new_visits),
                total_visits: scaled(status.total_visits),
                leading_visits: scaled(status.leading_visits),
                second_visits: scaled(status.second_visits),
                ..status
            };
            current.should_stop(target, Duration::from_millis(100 * tenths))
        };
        (1..1_000).find(is_stopped).expect("an end")
    }

    #[test]
    fn stops_when_no_move_can_catch_up() {
        // 100 visits per second for at most 7.5 s: after half of this time the second move cannot catch up any more.
        let only_one = stop_time(status(1_000, 0), &TARGET);
        assert!((37..=39).contains(&only_one), "{only_one}");
        assert!(stop_time(status(900, 100), &TARGET) > only_one);
    }

    #[test]
    fn close_choices_take_longer() {
        let stop_time_of = |status| stop_time(status, &TARGET);
        let (clear, close) = (
            stop_time_of(status(800, 200)),
            stop_time_of(status(500, 500)),
        );
        assert!(clear < 60, "{clear}");
        assert_eq!(close, 135, "0.75 and 0.6 of ten seconds");
        let undecided = RootStatus {
            is_decided: false,
            ..status(500, 500)
        };
        assert_eq!(stop_time_of(undecided), 185);
        let dropped = RootStatus {
            value: -0.3,
            ..undecided
        };
        assert_eq!(stop_time_of(dropped), 260);
        let no_expectation = TimeTarget {
            expected_value: None,
            ..TARGET
        };
        assert_eq!(
            stop_time(dropped, &no_expectation),
            185,
            "nothing to compare with"
        );
    }

    #[test]
    fn obvious_move_stops_early_on_any_clock() {
        let obvious = RootStatus {
            prior: 0.97,
            ..status(970, 30)
        };
        let only_move = RootStatus {
            is_only_move: true,
            ..status(20, 0)
        };
        let no_carry_over = TimeTarget {
            carries_over: false,
            ..TARGET
        };
        let reused_tree = RootStatus {
            prior: 0.97,
            total_visits: 1_000,
            ..status(600, 390)
        };
        let few_new_visits = RootStatus {
            new_visits: 16,
            ..reused_tree
        };
        assert!(
            !few_new_visits.should_stop(&no_carry_over, Duration::from_secs(2)),
            "most visits of a kept tree are not all"
        );
        for target in [TARGET, no_carry_over] {
            assert_eq!(stop_time(obvious, &target), 10);
            assert!(only_move.should_stop(&target, Duration::from_millis(1)));
        }
        let long = Duration::from_secs(99);
        assert!(
            !status(1_000, 0).should_stop(&no_carry_over, long),
            "the limit ends it"
        );
    }
}
