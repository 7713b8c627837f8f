//! The boards of a line of play that is being read, one for each move, so that reading allocates nothing and a move is
//! taken back by forgetting it.

use crate::game::board::{Board, Placement};
use crate::game::color::Color;
use crate::game::point::Point;

/// Boards by depth: the root at 0, then the board after each move.
#[derive(Debug, Default)]
pub(super) struct BoardStack {
    boards: Vec<Board>,
}

impl BoardStack {
    /// Makes this board the root.
    pub(super) fn reset(&mut self, board: &Board) {
        match self.boards.first_mut() {
            Some(root) => root.clone_from(board),
            None => self.boards.push(board.clone()),
        }
    }

    /// The board at that depth, which must have been reached.
    #[inline]
    pub(super) fn at(&self, depth: usize) -> &Board {
        &self.boards[depth]
    }

    /// Plays on a copy of the board at `depth`, which becomes the board at `depth + 1`.
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
