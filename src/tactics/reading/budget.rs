//! How much a reading may cost.

use std::time::{Duration, Instant};

/// The limits of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Moves of both sides, passes included, within which the goal is to be reached.
    pub plies: usize,
    /// Positions looked at.
    pub nodes: u64,
    /// Time spent, if that is to be limited; answers then depend on the machine.
    pub time: Option<Duration>,
}

/// Enough for most of what occurs in games, in a fraction of a second.
impl Default for Limits {
    fn default() -> Self {
        Self {
            plies: 9,
            nodes: 50_000,
            time: None,
        }
    }
}

/// The budget is spent: nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spent;

/// What is left of the limits.
#[derive(Debug, Default)]
pub(super) struct Budget {
    pub(super) nodes: u64,
    limit: u64,
    end: Option<Instant>,
}

/// Nodes between two looks at the clock, a power of two.
const CLOCK_INTERVAL: u64 = 256;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            nodes: 0,
            limit: limits.nodes,
            end: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
        }
    }

    /// One more position is looked at.
    #[inline]
    pub(super) fn spend(&mut self) -> Result<(), Spent> {
        if self.nodes >= self.limit || self.is_late() {
            return Err(Spent);
        }
        self.nodes += 1;
        Ok(())
    }

    fn is_late(&self) -> bool {
        self.nodes.is_multiple_of(CLOCK_INTERVAL)
            && self.end.is_some_and(|end| Instant::now() >= end)
    }
}
