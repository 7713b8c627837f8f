//! Counts of the games of a run.

use super::game::{Ending, Played};
use crate::game::color::{ByColor, Color};

/// What has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games of earlier runs found in the folder.
    pub earlier: u64,
    /// Games written.
    pub games: u64,
    /// Their moves.
    pub moves: u64,
    /// Games won by each side.
    pub won: ByColor<u64>,
    /// Games drawn.
    pub drawn: u64,
    /// Games ended by resignation.
    pub resigned: u64,
    /// Games that would have been, but were played out.
    pub given_up: u64,
    /// Those of them that the side giving up did not lose.
    pub given_up_wrongly: u64,
    /// Games without an end, which are not written.
    pub unfinished: u64,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        if played.ending == Ending::Unfinished {
            self.unfinished += 1;
            return;
        }
        self.games += 1;
        self.moves += played.record.moves().len() as u64;
        match played.winner() {
            Some(winner) => self.won[winner] += 1,
            None => self.drawn += 1,
        }
        match (&played.ending, played.given_up) {
            (Ending::Resigned(_), _) => self.resigned += 1,
            (_, Some(color)) => {
                self.given_up += 1;
                self.given_up_wrongly += u64::from(played.winner() != Some(color.opposite()));
            }
            (_, None) => {}
        }
    }

    /// Black's share of the games, a draw a half.
    #[must_use]
    pub fn black_share(&self) -> f64 {
        (self.won[Color::Black] as f64 + self.drawn as f64 / 2.0) / self.games.max(1) as f64
    }
}
