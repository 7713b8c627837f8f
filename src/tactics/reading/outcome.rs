//! Limits, outcomes and errors of a reading.

use std::time::Duration;

use crate::game::color::Color;
use crate::game::point::{Move, Point};

/// Limits of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLimits {
    /// Maximum number of plies until the goal is reached, including passes.
    pub plies: usize,
    /// Maximum number of positions.
    pub nodes: u64,
    /// Maximum time, if any. With a time limit, results depend on the machine.
    pub time: Option<Duration>,
}

/// Limits that suffice for most positions in games, and take a fraction of a second.
impl Default for ReadingLimits {
    fn default() -> Self {
        Self {
            plies: 9,
            nodes: 50_000,
            time: None,
        }
    }
}

/// There is no stone at the given point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no stone at {point:?} (column, row)")]
pub struct NoChainError {
    /// The empty point.
    pub point: Point,
}

/// Outcome of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingOutcome {
    /// The goal is reached even if the breaker may retake every ko immediately, so ko threats do not help the
    /// breaker.
    Reached {
        /// Upper bound on the number of plies.
        plies: usize,
    },
    /// The outcome depends on a ko. Under the basic ko rule the side that `needs_threat` fails, but it succeeds if it
    /// may retake kos immediately, which corresponds to a sufficient number of ko threats.
    Ko {
        /// The breaker if the goal is reached without threats, otherwise the maker.
        needs_threat: Color,
        /// Upper bound on the number of plies, without threats or with threats of the maker.
        plies: usize,
    },
    /// The goal cannot be reached within `plies`, even if the maker may retake every ko immediately.
    Prevented {
        /// Number of plies read: the requested number, at most 200.
        plies: usize,
    },
    /// The budget was exhausted before an outcome was proved.
    Unknown,
}

/// Result of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingResult {
    pub outcome: ReadingOutcome,
    /// Move of the side to move that reaches the goal (maker) or prevents it (breaker; possibly a pass). `None` if no
    /// move does or the outcome is unknown.
    pub best_move: Option<Move>,
    /// Principal variation. If the maker succeeds, it continues to the goal, unless entries are missing from the
    /// table. If the breaker, to move, succeeds, it contains the first move only.
    pub pv: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}
