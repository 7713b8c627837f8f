//! The boards of a line of play that is being read, one for each move, so that reading allocates nothing and a move is
//! taken back by forgetting it.

use crate::game::board::{Board, Placed};
use crate::game::color::Color;
use crate::game::point::Point;

/// Boards by depth: the root at 0, then the board after each move.
#[derive(Debug, Default)]
pub(super) struct Line {
    boards: Vec<Board>,
}

impl Line {
    /// Makes this board the root.
    pub(super) fn start(&mut self, board: &Board) {
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
    pub(super) fn play(&mut self, depth: usize, color: Color, mv: Point) -> Placed {
        let (done, rest) = self.boards.split_at_mut(depth + 1);
        if let Some(next) = rest.first_mut() {
            next.clone_from(&done[depth]);
            return next.place(color, mv);
        }
        let mut next = done[depth].clone();
        let placed = next.place(color, mv);
        self.boards.push(next);
        placed
    }
}
