//! A stack with the board after each move of the current line. Reusing the boards avoids allocations during a
//! search, and a move is undone by returning to a smaller depth.

use crate::game::board::{Board, Placement};
use crate::game::color::Color;
use crate::game::point::Point;

/// Boards indexed by depth. The root has depth 0.
#[derive(Debug, Default)]
pub(super) struct BoardStack {
    boards: Vec<Board>,
}

impl BoardStack {
    /// Sets the root.
    pub(super) fn reset(&mut self, board: &Board) {
        match self.boards.first_mut() {
            Some(root) => root.clone_from(board),
            None => self.boards.push(board.clone()),
        }
    }

    /// Returns the board at `depth`. A move must have been played to this depth before.
    #[inline]
    pub(super) fn at(&self, depth: usize) -> &Board {
        &self.boards[depth]
    }

    /// Plays a move on a copy of the board at `depth` and stores the result at `depth + 1`.
    pub(super) fn play(&mut self, depth: usize, color: Color, mv: Point) -> Placement {
        let (reached, spare) = self.boards.split_at_mut(depth + 1);
        if let Some(next) = spare.first_mut() {
            next.clone_from(&reached[depth]);
            return next.place(color, mv);
        }
        let mut next = reached[depth].clone();
        let placement = next.place(color, mv);
        self.boards.push(next);
        placement
    }
}
