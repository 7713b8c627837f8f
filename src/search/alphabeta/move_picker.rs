//! The order in which the moves of a node are searched.

use std::vec::IntoIter;

use super::move_ordering::ScoredMove;
use crate::game::point::Move;

/// Iterates over the moves of a node: the table move, the other moves, and then the deferred moves.
pub struct MovePicker {
    table_move: Option<Move>,
    /// Moves that have been generated. `None` before the table move has been searched, because it often suffices.
    generated: Option<IntoIter<ScoredMove>>,
    deferred: Vec<ScoredMove>,
    /// Whether the deferred moves are being returned.
    is_last_round: bool,
}

impl MovePicker {
    /// Starts with `table_move` if there is one.
    pub const fn new(table_move: Option<Move>) -> Self {
        Self {
            table_move,
            generated: None,
            deferred: Vec::new(),
            is_last_round: false,
        }
    }

    /// Returns the next move. `generate` returns the moves other than the table move, most promising first. Moves for
    /// which `is_deferred` returns true follow after all others.
    pub fn next(
        &mut self,
        generate: impl FnOnce() -> Vec<ScoredMove>,
        is_deferred: impl Fn(Move) -> bool,
    ) -> Option<ScoredMove> {
        if let Some(mv) = self.table_move.take() {
            return Some(ScoredMove::table_move(mv));
        }
        let generated = self.generated.get_or_insert_with(|| generate().into_iter());
        for scored_move in generated.by_ref() {
            if self.is_last_round || !is_deferred(scored_move.mv) {
                return Some(scored_move);
            }
            self.deferred.push(scored_move);
        }
        self.is_last_round = true;
        *generated = std::mem::take(&mut self.deferred).into_iter();
        generated.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Point;

    #[test]
    fn deferred_moves_are_last() {
        let at = |column| Move::Play(Point::at(column, 0));
        let moves = || [1, 2, 3, 4].map(|column| ScoredMove::table_move(at(column)));
        let mut picker = MovePicker::new(Some(at(0)));
        let mut columns = Vec::new();
        while let Some(scored_move) =
            picker.next(|| moves().to_vec(), |mv| mv == at(1) || mv == at(3))
        {
            columns.extend(scored_move.mv.point().map(Point::column));
        }
        assert_eq!(columns, [0, 2, 4, 1, 3]);
    }
}
