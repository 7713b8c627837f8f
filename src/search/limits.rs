//! Limits of a search.

use std::time::Duration;

use super::early_stop::TimeTarget;

/// Limits of a search, which ends when the first one is reached, and statistics to collect. Without a limit it runs
/// until it is stopped or reaches 2^30 visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchLimits {
    /// Maximum root visits, including reused ones.
    pub visits: Option<u64>,
    /// Maximum time.
    pub time: Option<Duration>,
    /// Criterion for stopping before `time`.
    pub time_target: Option<TimeTarget>,
    /// Whether to average the ownership over the playouts that end with an evaluation.
    pub ownership: bool,
    /// Whether to average ownership and no-result probability for each root move.
    pub per_move_stats: bool,
}

impl SearchLimits {
    /// Limits the root visits only.
    pub const fn visits(visits: u64) -> Self {
        Self {
            visits: Some(visits),
            time: None,
            time_target: None,
            ownership: false,
            per_move_stats: false,
        }
    }
}
