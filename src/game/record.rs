//! The game as it is played: a first position, the moves, and the position after each of them.
//!
//! A record keeps size and rules through [`clear`](Record::clear), and komi and rules through
//! [`resize`](Record::resize), because GTP clients send them once for many games. Going back is dropping the last
//! position, so nothing of a board is ever undone.

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::handicap;
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::{MAX_MOVES, MoveError, Position};
use super::rules::{Komi, Rules};

/// Why handicap stones cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandicapError {
    /// The game has begun, or stones were set up.
    #[error("expected an empty board, found stones or moves")]
    NotEmpty,
    /// A point is given twice.
    #[error("expected distinct points, found one twice")]
    Repeated,
    /// A point is not on the board.
    #[error("expected points of the board, found one outside it")]
    OffBoard,
    /// The stones leave no liberty.
    #[error("expected stones with liberties, found the board full")]
    BoardFull,
}

/// A game from its first position to its last.
#[derive(Clone, Debug)]
pub struct Record {
    /// The position before the first move and after each move: one more than `move_count`.
    positions: Vec<Position>,
    moves: Vec<(Color, Move)>,
    /// Whether somebody named the handicap, which the moves do not tell then.
    is_handicap_explicit: bool,
    resigned: Option<Color>,
}

impl Record {
    /// A game on an empty board.
    #[must_use]
    pub fn new(size: BoardSize, rules: Rules) -> Self {
        Self::from_position(Position::new(size, rules))
    }

    /// A game that starts from a position.
    #[must_use]
    pub fn from_position(initial: Position) -> Self {
        Self {
            positions: vec![initial],
            moves: Vec::new(),
            is_handicap_explicit: false,
            resigned: None,
        }
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.positions
            .last()
            .expect("a record always has its first position")
    }

    /// The position before the first move: the empty board, handicap stones, or what was set up.
    #[must_use]
    pub fn initial(&self) -> &Position {
        &self.positions[0]
    }

    /// The position after the first `move_count` moves.
    #[must_use]
    pub fn position_after(&self, move_count: usize) -> Option<&Position> {
        self.positions.get(move_count)
    }

    /// The moves in order, each with who made it.
    #[must_use]
    pub fn moves(&self) -> &[(Color, Move)] {
        &self.moves
    }

    /// Whether there are neither moves nor stones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.initial().board().occupied().is_empty()
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.position().size()
    }

    /// The rules in force.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.position().rules()
    }

    /// Who resigned.
    #[must_use]
    pub const fn resigned(&self) -> Option<Color> {
        self.resigned
    }

    /// Whether the game is over: by resignation or by two passes.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.resigned.is_some() || self.position().ended()
    }

    /// Makes a move for `color`, its turn or not. Stones at the start of a game may [tell a handicap](handicap::told_by).
    ///
    /// # Errors
    /// When the move is not legal, or one too many; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.try_play(color, mv, Position::legal_for)
    }

    /// Makes a move of a game played elsewhere, where ko and suicide may be [other things](Position::legal_for_lenient).
    ///
    /// # Errors
    /// When the move cannot be, or is one too many; nothing has changed then.
    pub fn play_lenient(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.try_play(color, mv, Position::legal_for_lenient)
    }

    fn try_play(
        &mut self,
        color: Color,
        mv: Move,
        check: fn(&Position, Color, Point) -> Result<(), MoveError>,
    ) -> Result<(), MoveError> {
        if self.moves.len() >= MAX_MOVES {
            return Err(MoveError::TooManyMoves);
        }
        let result = (mv.point()).map_or(Ok(()), |point| check(self.position(), color, point));
        result.map(|()| self.play_unchecked(color, mv))
    }

    /// Makes a move that is known to be possible, or was when it was made first.
    pub(crate) fn play_unchecked(&mut self, color: Color, mv: Move) {
        let mut next = self.position().clone();
        next.play_unchecked(color, mv);
        self.moves.push((color, mv));
        if !self.is_handicap_explicit {
            handicap::apply_inferred(&mut next, self.initial().board(), &self.moves);
        }
        self.positions.push(next);
        self.resigned = None;
    }

    /// How many stones Black plays before White moves or anybody passes.
    #[must_use]
    pub fn leading_black_moves(&self) -> usize {
        let is_black = |&&(color, mv): &&(Color, Move)| color == Color::Black && mv != Move::Pass;
        self.moves.iter().take_while(is_black).count()
    }

    /// Says that the game has a handicap of so many stones, or none, whatever its moves [tell](handicap::told_by). More
    /// than Black had before White's first move, or a single one, cannot be.
    pub fn set_handicap(&mut self, stones: usize) {
        let setup_stones = self.initial().board().stones(Color::Black).len();
        let max_stones = setup_stones + self.leading_black_moves();
        let handicap = Some(stones.min(max_stones)).filter(|&stones| stones > 1);
        for position in &mut self.positions {
            position.set_handicap(handicap.unwrap_or(0));
        }
        // A number that cannot be is left to the moves to come.
        self.is_handicap_explicit = stones <= max_stones;
    }

    /// Whether somebody [handicap](Self::name_handicap) the handicap, so that the moves tell none.
    #[must_use]
    pub const fn is_handicap_explicit(&self) -> bool {
        self.is_handicap_explicit
    }

    /// Takes the last move (or a resignation with it) back and says which it was; `None` at the start, where neither
    /// handicap nor set-up stones are taken back.
    pub fn undo(&mut self) -> Option<(Color, Move)> {
        let last_move = self.moves.pop()?;
        self.positions.pop();
        self.resigned = None;
        Some(last_move)
    }

    /// Takes a resignation back, and leaves the moves; false where there is none.
    pub const fn undo_resignation(&mut self) -> bool {
        self.resigned.take().is_some()
    }

    /// `color` gives up.
    pub const fn resign(&mut self, color: Color) {
        self.resigned = Some(color);
    }

    /// Starts a new game on an empty board of the same size under the same rules.
    pub fn clear(&mut self) {
        *self = Self::new(self.size(), *self.rules());
    }

    /// Starts a new game on an empty board of another size under the same rules.
    pub fn resize(&mut self, size: BoardSize) {
        *self = Self::new(size, *self.rules());
    }

    /// Sets the komi, for the positions so far as well.
    pub fn set_komi(&mut self, komi: Komi) {
        self.set_rules(self.rules().with_komi(komi));
    }

    /// Gives the turn to a colour without a move being made.
    pub fn set_to_move(&mut self, color: Color) {
        if let Some(position) = self.positions.last_mut() {
            position.set_to_move(color);
        }
    }

    /// Sets the rules as if the game had been played under them from the start. Moves that they forbid stay made.
    pub fn set_rules(&mut self, rules: Rules) {
        let (resigned, to_move) = (self.resigned, self.position().to_move());
        let moves = std::mem::take(&mut self.moves);
        self.positions.truncate(1);
        self.positions[0].set_rules(rules);
        for (color, mv) in moves {
            self.play_unchecked(color, mv);
        }
        self.set_to_move(to_move);
        self.resigned = resigned;
    }

    /// Starts a new game from these stones.
    ///
    /// # Errors
    /// When a chain would have no liberty; nothing has changed then.
    ///
    /// # Panics
    /// When a point is off the board or of both colours.
    pub fn set_up(
        &mut self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<(), NoLibertiesError> {
        let initial = Position::set_up(self.size(), stones, to_move, *self.rules())?;
        *self = Self::from_position(initial);
        Ok(())
    }

    /// Places Black's handicap stones; White is to move. They belong to the first position.
    ///
    /// # Errors
    /// When the game has begun, or the points cannot take the stones; nothing has changed then.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        let size = self.size();
        if !self.is_empty() {
            return Err(HandicapError::NotEmpty);
        }
        if !points.iter().all(|&point| size.contains(point)) {
            return Err(HandicapError::OffBoard);
        }
        let stones: PointSet = points.iter().copied().collect();
        if stones.len() != points.len() {
            return Err(HandicapError::Repeated);
        }
        let board = Board::with_stones(size, stones, PointSet::EMPTY)
            .map_err(|_| HandicapError::BoardFull)?;
        let mut initial = Position::from_board(board, Color::White, *self.rules());
        initial.set_handicap(points.len());
        *self = Self::from_position(initial);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
