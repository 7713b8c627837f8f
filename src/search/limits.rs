//! When a search stops by itself.

use std::time::Duration;

use super::early_stop::TimeTarget;

/// Bounds of one search; whichever is reached first ends it. Without any it runs until it is stopped,
/// or has made some thousand million visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchLimits {
    /// Visits of the root in all, those of a kept subtree included.
    pub visits: Option<u64>,
    /// Time from the start.
    pub time: Option<Duration>,
    /// When to stop before that time.
    pub time_target: Option<TimeTarget>,
    /// Whether to average the owner of every point over the playouts that end with an evaluation.
    pub ownership: bool,
    /// Whether to do so for each move of the root, too, and to average the chance of a game without result.
    pub per_move_stats: bool,
}

impl SearchLimits {
    /// That many visits of the root.
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
