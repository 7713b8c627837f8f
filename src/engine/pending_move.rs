//! The types that describe one `genmove` request: its options, its state while the search runs, and its result.

use std::time::{Duration, Instant};

use super::decision::Decision;
use super::move_budget::MoveBudget;
use crate::game::color::Color;
use crate::search::report::Report;
use crate::search::restriction::Restriction;

/// Options of a [`genmove`](super::Engine::genmove) request.
#[derive(Clone, Debug)]
pub struct GenmoveOptions {
    /// Moves that the engine may play.
    pub restriction: Restriction,
    /// Whether reports contain the expected owner of every point.
    pub ownership: bool,
    /// Whether reports contain ownership and the no-result probability for every move as well.
    pub per_move_stats: bool,
    /// Whether the players disagreed about dead stones. The engine then captures the opponent's dead stones, never
    /// resigns, and passes only when it considers all remaining stones alive.
    pub cleanup: bool,
    /// Whether the move is played on the board and charged to the clock. If false, the move is a suggestion, and the
    /// engine never resigns.
    pub play: bool,
}

impl Default for GenmoveOptions {
    fn default() -> Self {
        Self {
            restriction: Restriction::none(),
            ownership: false,
            per_move_stats: false,
            cleanup: false,
            play: true,
        }
    }
}

/// A move that the engine is searching for.
#[derive(Clone, Debug)]
pub(super) struct PendingMove {
    pub color: Color,
    pub options: GenmoveOptions,
    /// Moves that the search may follow at the root.
    pub restriction: Restriction,
    pub started: Instant,
    /// Visits of the root before the search.
    pub initial_visits: u32,
    pub budget: MoveBudget,
    /// Fraction of the budget reserved for endgame queries after the search.
    pub query_share: f64,
}

impl PendingMove {
    /// Returns by how much the move exceeds its planned time, given the time at which its search ended.
    pub fn lateness(&self, search_end: Instant) -> Duration {
        let Some(deadline) = self.budget.deadline(self.started) else {
            return Duration::ZERO;
        };
        let query_time = search_end.elapsed();
        let planned = (self.budget.target_time().unwrap_or_default()).mul_f64(self.query_share);
        deadline.elapsed().max(query_time.saturating_sub(planned))
    }
}

/// The engine's last decision in this game and the search results that it is based on.
#[derive(Clone, Debug)]
pub struct LastMove {
    pub color: Color,
    /// Number of moves in the game before this one.
    pub(super) moves_before: usize,
    pub decision: Decision,
    pub report: Report,
}
