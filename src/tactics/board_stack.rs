//! A stack that holds the board after each move of the current line. Boards are reused, so that a search does not
//! allocate. A move is undone by continuing at a smaller depth.

use crate::game::board::{Board, Placement};
use crate::game::color::Color;
use crate::game::point::Point;

/// Boards indexed by depth. The root has depth 0.
#[derive(Debug, Default)]
pub(super) struct BoardStack {
    boards: Vec<Board>,
}

impl BoardStack {
    /// Makes `board` the root at depth 0.
    pub(super) fn reset(&mut self, board: &Board) {
        match self.boards.first_mut() {
            Some(root) => root.clone_from(board),
            None => self.boards.push(board.clone()),
        }
    }

    /// Returns the board at `depth`: the root, or the result of the last [`play`](Self::play) at `depth - 1`.
    #[inline]
    pub(super) fn at(&self, depth: usize) -> &Board {
        &self.boards[depth]
    }

    /// Plays a move on a copy of the board at `depth` and stores the result at `depth + 1`. Returns the effect of the
    /// move.
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
