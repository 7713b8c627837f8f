//! Limits and results of a reading.

use std::time::Duration;

use crate::game::color::Color;
use crate::game::point::{Move, Point};

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

/// There is no chain to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a stone at {point:?} (column, row), found none")]
pub struct NoChainError {
    /// Where no stone is.
    pub point: Point,
}

/// What becomes of the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingOutcome {
    /// It is reached within so many plies, even if the breaker may take every ko back at once: no ko threats help.
    Reached {
        /// Within how many; the shortest way may be shorter.
        plies: usize,
    },
    /// It depends on a ko: under the basic ko rule alone the side that `needs_threat` does not get its way, but it does
    /// when it may take kos back at once, as a player with ko threats enough in effect may.
    Ko {
        /// The breaker, if the goal is reached as things are; the maker, if it is not.
        needs_threat: Color,
        /// Within how many plies it is reached, as things are or with the maker's threats.
        plies: usize,
    },
    /// It cannot be reached within that many plies, even if the maker may take every ko back at once.
    Prevented {
        /// The plies asked for, 200 at most.
        plies: usize,
    },
    /// The budget ran out before there was a proof.
    Unknown,
}

/// What a reading has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingResult {
    /// What becomes of the goal.
    pub outcome: ReadingOutcome,
    /// The move that reaches it, of the maker; the move that prevents it, of the breaker, which may be a pass. None when
    /// no move does, or nothing is known.
    pub best_move: Option<Move>,
    /// The principal variation, `best_move` first: of a success of the maker to its end, as far as it is remembered; of the
    /// breaker the first move.
    pub pv: Vec<Move>,
    /// Positions looked at.
    pub nodes: u64,
}
