//! A game that has just ended, as passed to the callback of a match.

use std::io;

use super::config::MatchConfig;
use super::game::PlayedGame;
use super::game_record::GameRecord;
use super::match_stats::MatchStats;
use super::player::EngineIdentity;
use super::side::Side;
use crate::game::color::Color;

/// Called with each finished game.
pub type OnGame<'a> = dyn FnMut(&FinishedGame<'_>) -> io::Result<()> + 'a;

/// A game that has just ended.
pub struct FinishedGame<'a> {
    /// Game index, starting at 0.
    pub game_index: usize,
    pub a_color: Color,
    /// The complete game.
    pub played_game: &'a PlayedGame,
    /// Summary of the game for counting and storing.
    pub record: &'a GameRecord,
    /// Statistics of the match, including this game.
    pub stats: &'a MatchStats,
    pub config: &'a MatchConfig,
    pub(super) identities: &'a [EngineIdentity; 2],
}

impl FinishedGame<'_> {
    /// Returns name and version of the player with `color`, followed by its letter if both players have the same
    /// identity.
    pub fn name(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color);
        let [a, b] = self.identities;
        let identity = &self.identities[side as usize];
        if a == b {
            format!("{identity} ({})", self.config.letters[side as usize])
        } else {
            identity.to_string()
        }
    }

    /// Returns letter and label of the player with `color`.
    pub fn label(&self, color: Color) -> String {
        let side = Side::of(color, self.a_color) as usize;
        format!(
            "{}, {}",
            self.config.letters[side], self.config.labels[side]
        )
    }
}
