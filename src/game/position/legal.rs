//! Legality of moves.

use super::Position;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::rules::KoRule;

/// Maximum number of moves in a [`Record`](crate::game::record::Record). Real games have fewer moves. Each position
/// contains the hashes of all earlier ones.
pub const MAX_RECORD_MOVES: usize = 5_000;

/// Reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    #[error("the point is not on the board")]
    OffBoard,
    #[error("the point is occupied")]
    Occupied,
    /// The move is suicide. Some rules allow multi-stone suicide; suicide of a single stone is always illegal.
    #[error("suicide is not allowed")]
    Suicide,
    /// The move retakes a basic ko immediately.
    #[error("the ko cannot be retaken immediately")]
    Ko,
    /// The move repeats an earlier position.
    #[error("the move repeats an earlier position (superko)")]
    Superko,
    /// The record already has [`MAX_RECORD_MOVES`] moves.
    #[error("a game can have at most {MAX_RECORD_MOVES} moves")]
    TooManyMoves,
}

impl Position {
    /// Checks whether the side to move may play at `point`.
    ///
    /// # Errors
    /// Returns an error if the move is illegal.
    pub fn check_legal(&self, point: Point) -> Result<(), MoveError> {
        self.check_legal_for(self.to_move, point)
    }

    /// Checks whether `color` may play at `point`, regardless of the side to move.
    ///
    /// # Errors
    /// Returns an error if the move is illegal.
    pub fn check_legal_for(&self, color: Color, point: Point) -> Result<(), MoveError> {
        if !self.size().contains(point) {
            return Err(MoveError::OffBoard);
        }
        if !self.board.is_empty_at(point) {
            return Err(MoveError::Occupied);
        }
        let suicide = self.board.is_suicide(color, point);
        // Suicide of a single stone is equivalent to a pass. No client or engine expects such a move.
        let is_single_stone = || self.board.hash_after(color, point) == self.board.hash();
        if suicide && (!self.rules.suicide || is_single_stone()) {
            return Err(MoveError::Suicide);
        }
        // Checked under every ko rule: situational superko permits retaking immediately if a colour has moved twice in
        // a row.
        if self.ko == Some((color, point)) {
            return Err(MoveError::Ko);
        }
        match self.rules.ko {
            KoRule::Positional | KoRule::Situational
                if (suicide || self.captured_at[color].contains(point))
                    && self.is_repetition(color, point) =>
            {
                Err(MoveError::Superko)
            }
            _ => Ok(()),
        }
    }

    /// Like [`check_legal_for`](Self::check_legal_for), but permits ko and superko violations and multi-stone suicide.
    ///
    /// A game may have been played under rules other than those stated in the file, and some servers and players allow
    /// such moves.
    ///
    /// # Errors
    /// Returns an error if the point is off the board or occupied, or if the move is suicide of a single stone.
    pub fn check_legal_for_lenient(&self, color: Color, point: Point) -> Result<(), MoveError> {
        match self.check_legal_for(color, point) {
            Err(MoveError::Ko | MoveError::Superko) => Ok(()),
            Err(MoveError::Suicide) if self.board.hash_after(color, point) != self.board.hash() => {
                Ok(())
            }
            result => result,
        }
    }

    /// Returns the points at which the side to move may play.
    pub fn legal_points(&self) -> PointSet {
        self.board
            .empty_points()
            .iter()
            .filter(|&point| self.check_legal(point).is_ok())
            .collect()
    }

    /// Returns the empty points that are illegal for the side to move only because of ko or superko.
    pub fn ko_points(&self) -> PointSet {
        let candidates = match self.rules.ko {
            KoRule::Simple => self
                .ko
                .map_or(PointSet::EMPTY, |(_, point)| PointSet::single(point)),
            _ if self.rules.suicide => self.board.empty_points(),
            _ => self.board.empty_points() & self.captured_at[self.to_move],
        };
        candidates
            .iter()
            .filter(|&point| {
                matches!(
                    self.check_legal(point),
                    Err(MoveError::Ko | MoveError::Superko)
                )
            })
            .collect()
    }

    fn is_repetition(&self, color: Color, point: Point) -> bool {
        let key = self.repetition_key(self.board.hash_after(color, point), color.opposite());
        self.position_keys.contains(&key)
    }
}
