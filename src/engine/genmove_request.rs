//! The types that describe one `genmove` request: its options, its state while the search runs, and its result.

use std::time::{Duration, Instant};

use super::decision::Decision;
use super::move_budget::MoveBudget;
use crate::game::color::Color;
use crate::search::report::{Report, ValueEstimates};
use crate::search::restriction::Restriction;

/// Options of a [`genmove`](super::Engine::genmove) request.
#[derive(Clone, Debug)]
pub struct GenmoveOptions {
    /// Moves that the engine may play.
    pub restriction: Restriction,
    /// Whether reports contain the expected ownership of every point.
    pub ownership: bool,
    /// Whether reports also contain ownership and the no-result probability for every move.
    pub per_move_stats: bool,
    /// Whether this is a move of the cleanup phase, which follows a disagreement about dead stones. In that phase, the
    /// engine captures the opponent's dead stones, never resigns, and passes only once it considers all remaining
    /// stones alive.
    pub cleanup: bool,
    /// Whether to play the move on the board and charge its time to the clock. If false, the move is only a suggestion,
    /// and the engine never resigns.
    pub play: bool,
    /// Number of consecutive turns before this one on which the side to move was in a lost position, for a game that
    /// was started by another process. If `None`, the engine uses its own count.
    pub lost_turns: Option<u32>,
}

impl Default for GenmoveOptions {
    fn default() -> Self {
        Self {
            restriction: Restriction::none(),
            ownership: false,
            per_move_stats: false,
            cleanup: false,
            play: true,
            lost_turns: None,
        }
    }
}

/// Result of a [`genmove`](super::Engine::genmove) request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenmoveResult {
    pub decision: Decision,
    /// Values of the position, from the perspective of the side to move.
    pub values: ValueEstimates,
    /// Number of consecutive turns on which the side to move was in a lost position. Includes this turn if the move was
    /// played.
    pub lost_turns: u32,
}

/// State of a move request while its search runs.
#[derive(Clone, Debug)]
pub(super) struct PendingMove {
    pub color: Color,
    pub options: GenmoveOptions,
    /// Moves that the search may consider: `options.restriction` or, if that allows all moves, the [sensible
    /// moves](super::decision::sensible_moves).
    pub restriction: Restriction,
    pub started: Instant,
    /// Number of root visits at the start of the search.
    pub initial_visits: u32,
    pub budget: MoveBudget,
    /// Fraction of the budget reserved for endgame queries after the search.
    pub query_share: f64,
}

impl PendingMove {
    /// Returns how late the move is: the time since its deadline or, if longer, the time by which the endgame queries,
    /// which started at `search_end`, have exceeded the time reserved for them. Returns zero if there is no game clock.
    pub fn lateness(&self, search_end: Instant) -> Duration {
        let Some(deadline) = self.budget.deadline(self.started) else {
            return Duration::ZERO;
        };
        let query_time = search_end.elapsed();
        let planned = (self.budget.target_time().unwrap_or_default()).mul_f64(self.query_share);
        deadline.elapsed().max(query_time.saturating_sub(planned))
    }
}

/// The engine's last decision in this game and the search results on which it is based.
#[derive(Clone, Debug)]
pub struct LastDecision {
    pub color: Color,
    /// Number of moves played in the game before this decision.
    pub(super) moves_before: usize,
    pub decision: Decision,
    pub report: Report,
}
