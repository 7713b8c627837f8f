//! When a search stops by itself.

use std::time::Duration;

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
    #[must_use]
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

/// How long a search should take that may take longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeTarget {
    /// Time from the start, if the choice is neither clear nor open.
    pub target: Duration,
    /// The result, from -1 to 1 for the side to move, that its last search expected; one that turns out worse is looked
    /// into longer.
    pub expected_value: Option<f64>,
    /// Whether time saved is worth anything. Where it is not, only an obvious move ends the search early.
    pub carries_over: bool,
}

impl TimeTarget {
    /// Whether the target is reached, where a search has seen too little to be judged by what it found.
    #[must_use]
    pub fn is_reached(&self, elapsed: Duration) -> bool {
        self.carries_over && elapsed >= self.target
    }
}
