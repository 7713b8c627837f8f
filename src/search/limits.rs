//! Limits of a search, and the statistics to collect.

use std::time::Duration;

use super::early_stop::TimeTarget;

/// Limits of a search, and the statistics to collect. The search ends when the first limit is reached. Without limits,
/// a tree search runs until it is stopped or its root has 2^30 visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchLimits {
    /// Maximum number of root visits, including reused ones.
    pub visits: Option<u64>,
    /// Maximum duration.
    pub time: Option<Duration>,
    /// Target time. A tree search with a `time` limit may end earlier or later than this target; without that limit, it
    /// ignores the target. An alpha-beta search ends once the target time has passed.
    pub time_target: Option<TimeTarget>,
    /// Whether to average the predicted ownership over all playouts that end with an evaluation.
    pub ownership: bool,
    /// Whether to average ownership and no-result probability separately for each root move as well.
    pub per_move_stats: bool,
}

impl SearchLimits {
    /// Returns true if a search without a tree that has visited `visits` nodes in the time `elapsed` must end. It uses
    /// the target time if there is one.
    pub fn is_reached_without_tree(&self, visits: u64, elapsed: Duration) -> bool {
        let target = self.time_target.map(|target| target.target);
        let time = [target, self.time].into_iter().flatten().min();
        self.visits.is_some_and(|max_visits| visits >= max_visits)
            || time.is_some_and(|time| elapsed >= time)
    }

    /// Creates limits with a maximum number of root visits and no other limit.
    pub fn with_visits(visits: u64) -> Self {
        Self {
            visits: Some(visits),
            ..Self::default()
        }
    }
}
