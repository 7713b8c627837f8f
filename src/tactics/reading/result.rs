//! Limits and result of a tactical search.

use std::time::Duration;

use crate::game::color::Color;
use crate::game::point::{Move, Point};

/// Limits of a tactical search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLimits {
    /// Maximum number of plies, including passes, within which the goal must be reached.
    pub plies: usize,
    /// Maximum number of positions to visit.
    pub nodes: u64,
    /// Maximum time, if any. With a time limit, results depend on the speed of the machine.
    pub time: Option<Duration>,
}

/// The default limits suffice for most positions in games. A search with these limits usually takes a fraction of a
/// second.
impl Default for ReadingLimits {
    fn default() -> Self {
        Self {
            plies: 9,
            nodes: 50_000,
            time: None,
        }
    }
}

/// Error returned when the stones of a query are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadingError {
    #[error("there is no stone at {point:?} (column, row)")]
    NoStone { point: Point },
    /// The stones to connect have different colours.
    #[error("the two stones have different colours")]
    DifferentColors,
}

/// Outcome of a tactical search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingOutcome {
    /// The goal is reached even if the breaker may retake every ko immediately. Ko threats therefore do not help the
    /// breaker.
    Reached {
        /// Upper bound on the number of plies.
        plies: usize,
    },
    /// The outcome depends on a ko. Under the basic ko rule, the side in `needs_threat` fails. It succeeds if it may
    /// retake every ko immediately, as it could with enough ko threats.
    Ko {
        /// The breaker if the goal is reached when neither side has threats, otherwise the maker.
        needs_threat: Color,
        /// Upper bound on the number of plies to the goal, without threats or with threats of the maker.
        plies: usize,
    },
    /// The goal cannot be reached within `plies`, even if the maker may retake every ko immediately.
    Prevented {
        /// Number of plies that were searched: the requested number, but at most 200.
        plies: usize,
    },
    /// The budget was exhausted before an outcome was proved.
    Unknown,
}

/// Result of a tactical search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingResult {
    pub outcome: ReadingOutcome,
    /// Move with which the side to move succeeds: a maker move that reaches the goal, or a breaker move (possibly a
    /// pass) that prevents it. `None` if there is no such move, or if the outcome is unknown.
    pub best_move: Option<Move>,
    /// Principal variation. If the maker succeeds, it continues until the goal is reached, unless entries are missing
    /// from the table. If the breaker is to move and succeeds, it consists of the first move only.
    pub pv: Vec<Move>,
    /// Number of positions visited.
    pub nodes: u64,
}
