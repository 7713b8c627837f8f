//! Earlier positions of a game: the position that is shown, and moves that were taken back.

use std::borrow::Cow;

use super::board_view::Marks;
use super::error::TerminalError;
use super::game::Game;
use super::output::last_move_text;
use crate::game::position::Position;

impl Game {
    /// Returns the number of moves before the shown position.
    pub fn shown_move_count(&self) -> usize {
        self.shown_move_count.unwrap_or(self.record().moves().len())
    }

    /// Returns the position that is shown: the latest one, unless the user has gone back in the game.
    pub fn shown_position(&self) -> Cow<'_, Position> {
        let earlier = (self.shown_move_count).and_then(|count| self.record().position_after(count));
        earlier.unwrap_or(Cow::Borrowed(self.record().position()))
    }

    /// Returns true if an earlier position than the latest one is shown.
    pub const fn shows_earlier_position(&self) -> bool {
        self.shown_move_count.is_some()
    }

    /// Shows the position after `move_count` moves, or the latest one if the game has no more moves.
    pub(super) fn show_position(&mut self, move_count: usize) {
        let is_earlier = move_count < self.record().moves().len();
        self.shown_move_count = is_earlier.then_some(move_count);
        self.marks = Marks::None;
    }

    /// Describes the shown position: its number, its last move, and the review of this move.
    pub(super) fn shown_position_text(&self) -> String {
        let count = self.shown_move_count();
        let last = last_move_text(&self.shown_position()).unwrap_or_default();
        let review = self.reviewed_move(count).map(|reviewed_move| {
            let size = self.record().size();
            format!(" {}", super::review::verdict(reviewed_move, size))
        });
        let total = self.record().moves().len();
        let text = format!(
            "Move {count} of {total}. {last}{}",
            review.unwrap_or_default()
        );
        text.trim_end().to_owned()
    }

    /// Returns an error if an earlier position is shown.
    pub(super) fn expect_latest_position(&self) -> Result<(), TerminalError> {
        match self.shown_move_count {
            Some(shown) => Err(TerminalError::EarlierPosition {
                shown,
                total: self.record().moves().len(),
            }),
            None => Ok(()),
        }
    }

    /// Takes back the moves after the first `target` ones. [`redo`](Self::redo) plays them again.
    pub(super) fn take_back_to(&mut self, target: usize) {
        let taken_back = self.record().moves()[target..].to_vec();
        for _ in &taken_back {
            self.engine.undo();
        }
        self.undone_moves.extend(taken_back.iter().rev());
        self.show_position(target);
    }

    /// Plays moves again that were taken back, up to the next turn of the user. Returns false if there are none.
    pub(super) fn redo(&mut self) -> bool {
        let mut is_changed = false;
        while let Some((color, mv)) = self.undone_moves.pop() {
            if self.engine.play(color, mv).is_err() {
                // The rules have been changed.
                self.undone_moves.clear();
                break;
            }
            is_changed = true;
            let position = self.record().position();
            if self.human_colors.is_human(position.to_move()) {
                break;
            }
        }
        self.show_position(self.record().moves().len());
        is_changed
    }
}
