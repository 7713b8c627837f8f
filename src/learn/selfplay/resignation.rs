//! When a side gives up, and whether it would have been right to.

use super::SelfplaySettings;
use super::conditions::GameConditions;
use crate::engine::resign::should_resign;
use crate::game::color::{ByColor, Color};
use crate::game::position::Position;

/// Watches the chances of both sides through one game.
#[derive(Clone, Debug)]
pub struct ResignationTracker {
    /// Chance to win, 0 to 1, below which a position is lost.
    lost_winrate: f64,
    disables_resignation: bool,
    /// Own turns in a row in a lost position.
    lost_turns: ByColor<u32>,
    resigner: Option<Color>,
}

impl ResignationTracker {
    /// None yet.
    #[must_use]
    pub fn new(settings: &SelfplaySettings, conditions: &GameConditions) -> Self {
        Self {
            lost_winrate: settings.resign_percent / 100.0,
            disables_resignation: conditions.disables_resignation,
            lost_turns: ByColor::default(),
            resigner: None,
        }
    }

    /// Whether the side to move resigns, which thinks that it wins with this chance.
    pub fn update(&mut self, position: &Position, winrate: f64) -> bool {
        let color = position.to_move();
        let is_lost = winrate < self.lost_winrate;
        self.lost_turns[color] = if is_lost {
            self.lost_turns[color] + 1
        } else {
            0
        };
        let resigns = should_resign(position, color, self.lost_turns[color]);
        if resigns && self.resigner.is_none() {
            self.resigner = Some(color);
        }
        resigns && !self.disables_resignation
    }

    /// Who has given up first, or would have where the game is played out.
    #[must_use]
    pub const fn resigner(&self) -> Option<Color> {
        self.resigner
    }
}
