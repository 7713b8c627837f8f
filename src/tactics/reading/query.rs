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
    #[error("no stone at {point:?} (column and row, counted from 0)")]
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
        /// Upper bound on the number of plies to the goal.
        plies: usize,
    },
    /// The outcome depends on a ko. Under the basic ko rule, the side `needs_threat` fails. It would succeed if it
    /// could retake every ko immediately, which corresponds to having enough ko threats.
    Ko {
        /// Colour of the side that needs ko threats: the breaker if the maker succeeds under the basic ko rule, and the
        /// maker otherwise.
        needs_threat: Color,
        /// Upper bound on the number of plies to the goal. If the maker needs threats, the bound assumes that the maker
        /// may retake every ko immediately.
        plies: usize,
    },
    /// The goal cannot be reached within the given number of plies, even if the maker may retake every ko immediately.
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
    /// Move with which the side to move succeeds, possibly a pass: a maker move that leads to the goal, or a breaker
    /// move that prevents it. If the outcome depends on a ko, the move may need ko threats to succeed. `None` if there
    /// is no such move, or if the outcome is unknown.
    pub best_move: Option<Move>,
    /// Principal variation. If the maker succeeds, the variation continues until the goal is reached; it can end
    /// earlier if results are missing from the table. If the breaker is to move and succeeds, the variation consists of
    /// the first move only. It is empty if the maker is to move and fails, or if the outcome is unknown.
    pub pv: Vec<Move>,
    /// Number of positions visited.
    pub nodes: u64,
}
