//! Conditions under which the games of a match are played: board size, rules, times and limits.

use std::time::Duration;

use super::time_settings::{GRACE_SECONDS, MatchTime};
use crate::clock::game_clock::GameClock;
use crate::game::color::Color;
use crate::game::point::BoardSize;
use crate::game::rules::Rules;

/// Conditions of a game, identical for both players.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub size: BoardSize,
    /// Rules, including komi.
    pub rules: Rules,
    /// Name of the rules, as specified by the user.
    pub rules_name: String,
    /// Time settings sent to the players, and whether the match enforces them.
    pub time: MatchTime,
    /// Maximum time to wait for a `genmove` response. With a clock, the remaining time can be a lower limit; see
    /// [`genmove_timeout`](Conditions::genmove_timeout).
    pub hang_timeout: Duration,
    /// Number of moves, including the opening, after which a game ends without a result.
    pub max_moves: usize,
}

impl Conditions {
    /// Returns the time limit for a `genmove` response: the remaining time of `color` plus [`GRACE_SECONDS`], but at
    /// most `hang_timeout`. If the clock is unlimited, returns `hang_timeout`.
    pub fn genmove_timeout(&self, clock: &GameClock, color: Color) -> Duration {
        clock
            .seconds_until_flag(color)
            .map_or(self.hang_timeout, |seconds| {
                let limit = self.hang_timeout.as_secs_f64();
                Duration::from_secs_f64((seconds + GRACE_SECONDS).min(limit))
            })
    }
}
