//! What may be played in a position, and why something may not.

use super::Position;
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::rules::KoRule;

/// Moves that others may make in a [`Record`](crate::game::record::Record): more than any takes, and few enough that all
/// positions fit the memory.
pub const MAX_MOVES: usize = 4_000;

/// Why a stone may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The point is not on the board.
    #[error("expected a point of the board, found one outside it")]
    OffBoard,
    /// There is a stone.
    #[error("expected an empty point, found a stone")]
    Occupied,
    /// It would remove its own chain, and the rules forbid that, as all do for a single stone.
    #[error("expected a move that leaves a liberty, found suicide")]
    Suicide,
    /// It takes straight back in a ko.
    #[error("expected a move elsewhere first, found a ko retaken at once")]
    Ko,
    /// It repeats an earlier position.
    #[error("expected a new position, found one that superko forbids")]
    Superko,
    /// The game has as many moves as a record takes.
    #[error("expected a game of at most {MAX_MOVES} moves, found one more")]
    TooManyMoves,
}

impl Position {
    /// Whether the side to move may play there.
    ///
    /// # Errors
    /// The reason why not.
    pub fn legal(&self, point: Point) -> Result<(), MoveError> {
        self.legal_for(self.to_move, point)
    }

    /// Whether `color` may play there now, its turn or not.
    ///
    /// # Errors
    /// The reason why not.
    pub fn legal_for(&self, color: Color, point: Point) -> Result<(), MoveError> {
        if !self.size().contains(point) {
            return Err(MoveError::OffBoard);
        }
        if !self.board.is_empty_at(point) {
            return Err(MoveError::Occupied);
        }
        let suicide = self.board.is_suicide(color, point);
        // A single stone that removes itself would be a pass in disguise, which no client or engine expects.
        let is_single_stone = || self.board.hash_after(color, point) == self.board.hash();
        if suicide && (!self.rules.suicide || is_single_stone()) {
            return Err(MoveError::Suicide);
        }
        // After two moves of one side running, situational superko alone would not see it.
        if self.ko == Some((color, point)) {
            return Err(MoveError::Ko);
        }
        match self.rules.ko {
            KoRule::Positional | KoRule::Situational
                if (suicide || self.removed[color].contains(point))
                    && self.is_repetition(color, point) =>
            {
                Err(MoveError::Superko)
            }
            _ => Ok(()),
        }
    }

    /// Whether `color` can have played there in some game: as [`legal_for`](Self::legal_for), but neither ko and superko
    /// nor the suicide of several stones are looked at. Records come from games under other rules than they name, and
    /// from servers and players that let such moves pass.
    ///
    /// # Errors
    /// The reason why not.
    pub fn legal_for_lenient(&self, color: Color, point: Point) -> Result<(), MoveError> {
        match self.legal_for(color, point) {
            Err(MoveError::Ko | MoveError::Superko) => Ok(()),
            Err(MoveError::Suicide) if self.board.hash_after(color, point) != self.board.hash() => {
                Ok(())
            }
            result => result,
        }
    }

    /// The points where the side to move may play.
    #[must_use]
    pub fn legal_points(&self) -> PointSet {
        self.board
            .empty()
            .iter()
            .filter(|&point| self.legal(point).is_ok())
            .collect()
    }

    /// The empty points where ko or superko alone keeps the side to move away.
    #[must_use]
    pub fn ko_points(&self) -> PointSet {
        let candidates = match self.rules.ko {
            KoRule::Simple => self
                .ko
                .map_or(PointSet::EMPTY, |(_, point)| PointSet::single(point)),
            _ if self.rules.suicide => self.board.empty(),
            _ => self.board.empty() & self.removed[self.to_move],
        };
        candidates
            .iter()
            .filter(|&point| matches!(self.legal(point), Err(MoveError::Ko | MoveError::Superko)))
            .collect()
    }

    fn is_repetition(&self, color: Color, point: Point) -> bool {
        let key = self.repetition_key(self.board.hash_after(color, point), color.opposite());
        self.position_keys.contains(&key)
    }
}
