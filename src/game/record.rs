//! The game as it is played: a first position, the moves, and the position after each of them.
//!
//! A record keeps size and rules through [`clear`](Record::clear), and komi and rules through
//! [`resize`](Record::resize), because GTP clients send them once for many games. Going back is dropping the last
//! position, so nothing of a board is ever undone.

use super::board::{Board, NoLiberties};
use super::color::{ByColor, Color};
use super::handicap;
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::{Illegal, MOST_MOVES, Position};
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
    /// The position before the first move and after each move: one more than `moves`.
    positions: Vec<Position>,
    moves: Vec<(Color, Move)>,
    /// Whether somebody named the handicap, which the moves do not tell then.
    names_handicap: bool,
    resigned: Option<Color>,
}

impl Record {
    /// A game on an empty board.
    #[must_use]
    pub fn new(size: BoardSize, rules: Rules) -> Self {
        Self::starting_from(Position::new(size, rules))
    }

    /// A game that starts from a position.
    #[must_use]
    pub fn starting_from(initial: Position) -> Self {
        Self {
            positions: vec![initial],
            moves: Vec::new(),
            names_handicap: false,
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

    /// The position after the first `moves` moves.
    #[must_use]
    pub fn position_after(&self, moves: usize) -> Option<&Position> {
        self.positions.get(moves)
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
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.add(color, mv, Position::legal_for)
    }

    /// Makes a move of a game played elsewhere, where ko and suicide may be [other things](Position::possible_for).
    ///
    /// # Errors
    /// When the move cannot be, or is one too many; nothing has changed then.
    pub fn replay(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        self.add(color, mv, Position::possible_for)
    }

    fn add(
        &mut self,
        color: Color,
        mv: Move,
        may: fn(&Position, Color, Point) -> Result<(), Illegal>,
    ) -> Result<(), Illegal> {
        if self.moves.len() >= MOST_MOVES {
            return Err(Illegal::TooLong);
        }
        let legal = (mv.point()).map_or(Ok(()), |point| may(self.position(), color, point));
        legal.map(|()| self.play_legal(color, mv))
    }

    /// Makes a move that is known to be possible, or was when it was made first.
    pub(crate) fn play_legal(&mut self, color: Color, mv: Move) {
        let mut next = self.position().clone();
        next.play_legal(color, mv);
        self.moves.push((color, mv));
        if !self.names_handicap {
            handicap::take_from(&mut next, self.initial().board(), &self.moves);
        }
        self.positions.push(next);
        self.resigned = None;
    }

    /// How many stones Black plays before White moves or anybody passes.
    #[must_use]
    pub fn first_stones(&self) -> usize {
        let is_black = |&&(color, mv): &&(Color, Move)| color == Color::Black && mv != Move::Pass;
        self.moves.iter().take_while(is_black).count()
    }

    /// Says that the game has a handicap of so many stones, or none, whatever its moves [tell](handicap::told_by). More
    /// than Black had before White's first move, or a single one, cannot be.
    pub fn name_handicap(&mut self, stones: usize) {
        let placed = self.initial().board().stones(Color::Black).len();
        let most = placed + self.first_stones();
        let named = Some(stones.min(most)).filter(|&stones| stones > 1);
        for position in &mut self.positions {
            position.set_handicap(named.unwrap_or(0));
        }
        // A number that cannot be is left to the moves to come.
        self.names_handicap = stones <= most;
    }

    /// Whether somebody [named](Self::name_handicap) the handicap, so that the moves tell none.
    #[must_use]
    pub const fn names_handicap(&self) -> bool {
        self.names_handicap
    }

    /// Takes the last move (or a resignation with it) back and says which it was; `None` at the start, where neither
    /// handicap nor set-up stones are taken back.
    pub fn undo(&mut self) -> Option<(Color, Move)> {
        let undone = self.moves.pop()?;
        self.positions.pop();
        self.resigned = None;
        Some(undone)
    }

    /// Takes a resignation back, and leaves the moves; false where there is none.
    pub const fn take_back_resignation(&mut self) -> bool {
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
        let (resigned, turn) = (self.resigned, self.position().to_move());
        let moves = std::mem::take(&mut self.moves);
        self.positions.truncate(1);
        self.positions[0].set_rules(rules);
        for (color, mv) in moves {
            self.play_legal(color, mv);
        }
        self.set_to_move(turn);
        self.resigned = resigned;
    }

    /// Starts a new game from these stones.
    ///
    /// # Errors
    /// When a chain would have no liberty; nothing has changed then.
    ///
    /// # Panics
    /// When a point is off the board or of both colours.
    pub fn set_up(&mut self, stones: ByColor<PointSet>, to_move: Color) -> Result<(), NoLiberties> {
        let initial = Position::set_up(self.size(), stones, to_move, *self.rules())?;
        *self = Self::starting_from(initial);
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
        *self = Self::starting_from(initial);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
