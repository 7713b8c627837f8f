//! When a search stops by itself.

use std::time::Duration;

/// Bounds of one search; whichever is reached first ends it. Without any it runs until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Visits of the root in all, those of a kept subtree included.
    pub visits: Option<u64>,
    /// Time from the start.
    pub time: Option<Duration>,
    /// Whether to average the owner of every point over the playouts.
    pub ownership: bool,
}

impl Limits {
    /// That many visits of the root.
    #[must_use]
    pub const fn visits(visits: u64) -> Self {
        Self {
            visits: Some(visits),
            time: None,
            ownership: false,
        }
    }
}
