//! The positions from the root of a search to the current node.

use crate::game::point::Move;
use crate::game::position::Position;
use crate::game::rules::KoRule;

/// Positions of the current line, indexed by ply. The first one is the root.
pub struct Line {
    positions: Vec<Position>,
}

impl Line {
    /// Creates a line that consists of the root only.
    pub fn new(root: &Position) -> Self {
        Self {
            positions: vec![root.clone()],
        }
    }

    /// Returns the position at `ply`.
    pub fn position(&self, ply: usize) -> &Position {
        &self.positions[ply]
    }

    /// Plays a legal move in the position at `ply` and stores the result as the position at `ply + 1`.
    pub fn play(&mut self, ply: usize, mv: Move) {
        let next = self.copy_to_next(ply);
        next.play_unchecked(next.to_move(), mv);
    }

    fn copy_to_next(&mut self, ply: usize) -> &mut Position {
        if self.positions.len() == ply + 1 {
            self.positions.push(self.positions[ply].clone());
        } else {
            let (before, after) = self.positions.split_at_mut(ply + 1);
            after[0].clone_from(&before[ply]);
        }
        &mut self.positions[ply + 1]
    }

    /// Returns true if the position at `ply` repeats an earlier one of the line, or if its third occurrence in the game
    /// ends the game without a result. Positions before a pass do not count. Always false under superko, where
    /// repetitions are illegal.
    pub fn is_repetition(&self, ply: usize) -> bool {
        let current = &self.positions[ply];
        if current.rules().ko != KoRule::Simple {
            return false;
        }
        let is_same = |earlier: &Position| {
            earlier.to_move() == current.to_move()
                && earlier.board().hash() == current.board().hash()
        };
        let since_pass = (0..ply)
            .rev()
            .take_while(|&earlier| !self.positions[earlier + 1].last_move_was_pass());
        let repeats_line = since_pass
            .into_iter()
            .any(|earlier| is_same(&self.positions[earlier]));
        repeats_line || current.has_no_result()
    }
}
