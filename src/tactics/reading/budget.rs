//! How much a reading may cost.

use std::time::{Duration, Instant};

/// The limits of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLimits {
    /// Moves of both sides, passes included, within which the goal is to be reached.
    pub plies: usize,
    /// Positions looked at.
    pub nodes: u64,
    /// Time spent, if that is to be limited; answers then depend on the machine.
    pub time: Option<Duration>,
}

/// Enough for most of what occurs in games, in a fraction of a second.
impl Default for ReadingLimits {
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
pub(super) struct OutOfBudget;

/// What is left of the limits.
#[derive(Debug, Default)]
pub(super) struct ReadingBudget {
    pub(super) nodes: u64,
    node_limit: u64,
    deadline: Option<Instant>,
}

/// Nodes between two looks at the clock, a power of two.
const CLOCK_CHECK_INTERVAL: u64 = 256;

impl ReadingBudget {
    pub(super) fn new(limits: &ReadingLimits) -> Self {
        Self {
            nodes: 0,
            node_limit: limits.nodes,
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
        }
    }

    /// One more position is looked at.
    #[inline]
    pub(super) fn count_node(&mut self) -> Result<(), OutOfBudget> {
        if self.nodes >= self.node_limit || self.is_out_of_time() {
            return Err(OutOfBudget);
        }
        self.nodes += 1;
        Ok(())
    }

    fn is_out_of_time(&self) -> bool {
        self.nodes.is_multiple_of(CLOCK_CHECK_INTERVAL)
            && self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
