//! Counts of the games of a run.

use super::game::{SelfplayGame, SelfplayOutcome};
use crate::game::color::{ByColor, Color};

/// What has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelfplayStats {
    /// Games of earlier runs found in the folder.
    pub existing_games: u64,
    /// Games written.
    pub games: u64,
    /// Their moves.
    pub moves: u64,
    /// Games won by each side.
    pub wins: ByColor<u64>,
    /// Games drawn.
    pub draws: u64,
    /// Games ended by resignation.
    pub resignations: u64,
    /// Games that would have been, but were played out.
    pub suppressed_resignations: u64,
    /// Those of them that the side giving up did not lose.
    pub wrong_resignations: u64,
    /// Games without an end, which are not written.
    pub unfinished_games: u64,
}

impl SelfplayStats {
    /// Counts a game.
    pub fn add(&mut self, game: &SelfplayGame) {
        if game.outcome == SelfplayOutcome::Unfinished {
            self.unfinished_games += 1;
            return;
        }
        self.games += 1;
        self.moves += game.record.moves().len() as u64;
        match game.winner() {
            Some(winner) => self.wins[winner] += 1,
            None => self.draws += 1,
        }
        match (&game.outcome, game.resigner) {
            (SelfplayOutcome::Resigned(_), _) => self.resignations += 1,
            (_, Some(color)) => {
                self.suppressed_resignations += 1;
                self.wrong_resignations += u64::from(game.winner() != Some(color.opposite()));
            }
            (_, None) => {}
        }
    }

    /// Black's share of the games, a draw a half.
    #[must_use]
    pub fn black_win_rate(&self) -> f64 {
        (self.wins[Color::Black] as f64 + self.draws as f64 / 2.0) / self.games.max(1) as f64
    }
}
