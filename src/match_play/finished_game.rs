//! Data that a match passes to its callback after each game.

use std::io;

use super::game::PlayedGame;
use super::game_summary::GameSummary;
use super::match_config::MatchConfig;
use super::match_stats::MatchStats;
use super::player::EngineIdentity;
use super::side::Side;
use crate::game::color::Color;

/// Callback for finished games. An error ends the match.
pub type OnGame<'a> = dyn FnMut(&FinishedGame<'_>) -> io::Result<()> + 'a;

/// Game that has just ended, with its context in the match.
pub struct FinishedGame<'a> {
    /// The game with its moves, thinking times and outcome.
    pub played_game: &'a PlayedGame,
    /// Summary of the game, used for statistics and the results file.
    pub summary: &'a GameSummary,
    /// Statistics of the match so far, including this game.
    pub stats: &'a MatchStats,
    pub config: &'a MatchConfig,
    pub(super) identities: &'a [EngineIdentity; 2],
}

impl FinishedGame<'_> {
    /// Returns the name and version of the player with `color`. If both players have the same identity, appends the
    /// player's letter.
    pub fn player_name(&self, color: Color) -> String {
        let side = Side::of(color, self.summary.a_color);
        let [a, b] = self.identities;
        let identity = &self.identities[side as usize];
        if a == b {
            format!("{identity} ({})", self.config.letters[side as usize])
        } else {
            identity.to_string()
        }
    }

    /// Returns the letter and the label of the player with `color`, separated by a comma.
    pub fn player_letter_and_label(&self, color: Color) -> String {
        let side = Side::of(color, self.summary.a_color) as usize;
        format!(
            "{}, {}",
            self.config.letters[side], self.config.labels[side]
        )
    }
}
