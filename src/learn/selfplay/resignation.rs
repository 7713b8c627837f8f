//! When a side gives up, and whether it would have been right to.

use super::Settings;
use super::terms::Terms;
use crate::engine::decide::should_resign;
use crate::game::color::{ByColor, Color};
use crate::game::position::Position;

/// Watches the chances of both sides through one game.
#[derive(Clone, Debug)]
pub struct ResignationWatch {
    /// Chance to win, 0 to 1, below which a position is lost.
    lost_below: f64,
    plays_out: bool,
    /// Own turns in a row in a lost position.
    turns: ByColor<u32>,
    given_up: Option<Color>,
}

impl ResignationWatch {
    /// None yet.
    #[must_use]
    pub fn new(settings: &Settings, terms: &Terms) -> Self {
        Self {
            lost_below: settings.resign / 100.0,
            plays_out: terms.plays_out,
            turns: ByColor::default(),
            given_up: None,
        }
    }

    /// Whether the side to move resigns, which thinks that it wins with this chance.
    pub fn resigns(&mut self, position: &Position, winrate: f64) -> bool {
        let color = position.to_move();
        let lost = winrate < self.lost_below;
        self.turns[color] = if lost { self.turns[color] + 1 } else { 0 };
        let gives_up = should_resign(position, color, self.turns[color]);
        if gives_up && self.given_up.is_none() {
            self.given_up = Some(color);
        }
        gives_up && !self.plays_out
    }

    /// Who has given up first, or would have where the game is played out.
    #[must_use]
    pub const fn given_up(&self) -> Option<Color> {
        self.given_up
    }
}
