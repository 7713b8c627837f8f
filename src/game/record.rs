//! Game records: the initial position, the moves, and the position after each move.
//!
//! [`clear`](Record::clear) preserves board size, rules and komi, and [`resize`](Record::resize) preserves rules and
//! komi, because GTP clients set these values once for many games. [`undo`](Record::undo) removes the last position, so
//! a move never has to be reverted on a board.
//!
//! The positions of an ordinary game are all stored. Of a longer game, only the last ones are, and a few of the others,
//! from which the rest is recomputed on request. This bounds the memory of a record.

use std::borrow::Cow;

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::handicap;
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::position::{MAX_RECORD_MOVES, MoveError, Position};
use super::rules::{Komi, Rules};

/// Reason why handicap stones cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandicapError {
    /// The board has stones, or moves have been played.
    #[error("handicap stones can only be placed on an empty board")]
    NotEmpty,
    #[error("a handicap point is given twice; give each point once")]
    Repeated,
    #[error("a handicap point is outside the board")]
    OffBoard,
    /// The stones would have no liberties.
    #[error("the handicap stones would fill the board; place fewer stones")]
    BoardFull,
}

/// A move that the rules forbid. A record can contain such moves if it was played under other rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number} ({color} {vertex}): {reason}")]
pub struct IllegalMove {
    /// Number of the move, starting at 1.
    pub number: usize,
    pub color: Color,
    pub vertex: String,
    pub reason: MoveError,
}

impl IllegalMove {
    /// Returns a one-line summary of `moves`: the first one and the number of others. Returns `None` if there are none.
    pub fn summarise_all(moves: impl IntoIterator<Item = Self>) -> Option<String> {
        let mut moves = moves.into_iter();
        let first = moves.next()?;
        Some(match moves.count() {
            0 => first.to_string(),
            count => format!("{first} (and {count} more)"),
        })
    }
}

/// Number of last positions that are all stored.
const RECENT_POSITIONS: usize = 400;
/// An earlier position is stored if its number of moves is a multiple of this.
const CHECKPOINT_INTERVAL: usize = 32;

/// A position of a game, or the data needed to recompute it from an earlier one.
#[derive(Clone, Debug)]
struct Stage {
    position: Option<Box<Position>>,
    /// Side to move, which need not follow from the last move.
    to_move: Color,
    /// Number of handicap stones, which need not follow from the moves.
    handicap: usize,
}

impl Stage {
    fn new(position: Position) -> Self {
        Self {
            to_move: position.to_move(),
            handicap: position.handicap(),
            position: Some(Box::new(position)),
        }
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
        if let Some(position) = &mut self.position {
            position.set_to_move(color);
        }
    }

    fn set_handicap(&mut self, stones: usize) {
        self.handicap = stones;
        if let Some(position) = &mut self.position {
            position.set_handicap(stones);
        }
    }
}

/// A game: its moves, and the position before and after each move.
#[derive(Clone, Debug)]
pub struct Record {
    /// Positions before the first move and after each move. There is one more than there are moves. The first and the
    /// last one are always stored.
    stages: Vec<Stage>,
    moves: Vec<(Color, Move)>,
    /// True if the handicap was set explicitly. Otherwise, it is inferred from the moves.
    is_handicap_explicit: bool,
    resigned: Option<Color>,
}

impl Record {
    /// Creates a game on an empty board.
    pub fn new(size: BoardSize, rules: Rules) -> Self {
        Self::from_position(Position::new(size, rules))
    }

    /// Creates a game that starts from the given position.
    pub fn from_position(initial: Position) -> Self {
        Self {
            stages: vec![Stage::new(initial)],
            moves: Vec::new(),
            is_handicap_explicit: false,
            resigned: None,
        }
    }

    /// Returns the current position, which is the one after the last move.
    pub fn position(&self) -> &Position {
        let last = self.stages.last();
        (last.and_then(|stage| stage.position.as_deref())).expect("the last position is stored")
    }

    /// Returns the position before the first move, including handicap or set-up stones.
    pub fn initial(&self) -> &Position {
        (self.stages[0].position.as_deref()).expect("the first position is stored")
    }

    /// Returns the position after the first `move_count` moves, or `None` if fewer moves have been played. Recomputes
    /// the position if it is not stored.
    pub fn position_after(&self, move_count: usize) -> Option<Cow<'_, Position>> {
        let stages = self.stages.get(..=move_count)?;
        let stored = stages.iter().rposition(|stage| stage.position.is_some())?;
        let mut position = Cow::Borrowed(stages[stored].position.as_deref()?);
        for index in stored..move_count {
            self.advance(position.to_mut(), index);
        }
        Some(position)
    }

    /// Advances `position`, the one before the move with this index, to the one after the move.
    fn advance(&self, position: &mut Position, index: usize) {
        let (color, mv) = self.moves[index];
        let next = &self.stages[index + 1];
        position.play_unchecked(color, mv);
        position.set_to_move(next.to_move);
        position.set_handicap(next.handicap);
    }

    /// Returns all moves in order, each with the colour that played it.
    pub fn moves(&self) -> &[(Color, Move)] {
        &self.moves
    }

    /// Returns true if there are no moves and no stones.
    pub fn has_no_moves_or_stones(&self) -> bool {
        self.moves.is_empty() && self.initial().board().occupied_points().is_empty()
    }

    pub fn size(&self) -> BoardSize {
        self.position().size()
    }

    /// Returns the current rules.
    pub fn rules(&self) -> &Rules {
        self.position().rules()
    }

    /// Returns the colour that resigned, or `None` if neither player has resigned.
    pub const fn resigned(&self) -> Option<Color> {
        self.resigned
    }

    /// Iterates over the moves that the rules forbid. They were played with [`play_lenient`](Self::play_lenient) or
    /// under [other rules](Self::set_rules).
    pub fn illegal_moves(&self) -> impl Iterator<Item = IllegalMove> {
        let mut position = Cow::Borrowed(self.initial());
        let moves = self.moves.iter().enumerate();
        moves.filter_map(move |(index, &(color, mv))| {
            let reason = mv
                .point()
                .and_then(|point| position.check_legal_for(color, point).err());
            match &self.stages[index + 1].position {
                Some(next) => position = Cow::Borrowed(next),
                None => self.advance(position.to_mut(), index),
            }
            Some(IllegalMove {
                number: index + 1,
                color,
                vertex: self.size().format_move(mv),
                reason: reason?,
            })
        })
    }

    /// Returns true if the game is over by resignation, two passes or repetition.
    pub fn ended(&self) -> bool {
        self.resigned.is_some() || self.position().ended()
    }

    /// Plays a move for `color`, regardless of the side to move. Withdraws a previous resignation. The opening moves
    /// may [imply a handicap](handicap::inferred_from_last_move).
    ///
    /// # Errors
    /// Returns an error, leaving the record unchanged, if the move is illegal or the game already has
    /// [`MAX_RECORD_MOVES`] moves.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.try_play(color, mv, Position::check_legal_for)
    }

    /// Plays a move of a recorded game like [`play`](Self::play), but with [lenient](Position::check_legal_for_lenient)
    /// checks of ko and suicide.
    ///
    /// # Errors
    /// Returns an error, leaving the record unchanged, if the move fails the lenient checks or the game already has
    /// [`MAX_RECORD_MOVES`] moves.
    pub fn play_lenient(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        self.try_play(color, mv, Position::check_legal_for_lenient)
    }

    /// Plays a move of a recorded game like [`play_lenient`](Self::play_lenient), but also permits suicide of a single
    /// stone, which leaves the board as it is.
    ///
    /// # Errors
    /// Returns an error, leaving the record unchanged, if the point is not an empty point of the board or the game
    /// already has [`MAX_RECORD_MOVES`] moves.
    pub fn play_on_empty_point(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        let result = self.play_lenient(color, mv);
        if result == Err(MoveError::Suicide) {
            self.play_unchecked(color, mv);
            return Ok(());
        }
        result
    }

    fn try_play(
        &mut self,
        color: Color,
        mv: Move,
        check: fn(&Position, Color, Point) -> Result<(), MoveError>,
    ) -> Result<(), MoveError> {
        if self.moves.len() >= MAX_RECORD_MOVES {
            return Err(MoveError::TooManyMoves);
        }
        let result = (mv.point()).map_or(Ok(()), |point| check(self.position(), color, point));
        result.map(|()| self.play_unchecked(color, mv))
    }

    /// Plays a move without checking whether it is legal. The caller must ensure that the point is empty and on the
    /// board.
    pub(crate) fn play_unchecked(&mut self, color: Color, mv: Move) {
        let mut next = self.position().clone();
        next.play_unchecked(color, mv);
        self.moves.push((color, mv));
        let inferred = handicap::inferred_from_last_move(self.initial().board(), &self.moves);
        if let Some(stones) = inferred.filter(|_| !self.is_handicap_explicit) {
            next.set_handicap(stones);
        }
        self.stages.push(Stage::new(next));
        self.resigned = None;
        let old = self.moves.len().saturating_sub(RECENT_POSITIONS);
        if !old.is_multiple_of(CHECKPOINT_INTERVAL) {
            self.stages[old].position = None;
        }
    }

    /// Returns the number of stones that Black played before White's first move or the first pass.
    pub fn leading_black_moves(&self) -> usize {
        let is_black = |&&(color, mv): &&(Color, Move)| color == Color::Black && mv != Move::Pass;
        self.moves.iter().take_while(is_black).count()
    }

    /// Sets the number of handicap stones in all positions of the game. It replaces the number
    /// [inferred](handicap::inferred_from_last_move) from the moves.
    ///
    /// A single stone counts as no handicap. If `stones` exceeds the number of black stones that were set up or played
    /// before White's first move, the handicap is limited to that number, and later moves can still imply another
    /// handicap.
    pub fn set_handicap(&mut self, stones: usize) {
        let setup_stones = self.initial().board().stones(Color::Black).len();
        let max_stones = setup_stones + self.leading_black_moves();
        let handicap = Some(stones.min(max_stones)).filter(|&stones| stones > 1);
        for stage in &mut self.stages {
            stage.set_handicap(handicap.unwrap_or(0));
        }
        // A number that is too large does not count as explicit.
        self.is_handicap_explicit = stones <= max_stones;
    }

    /// Returns true if the handicap was set explicitly. Otherwise it is inferred from the moves.
    pub const fn is_handicap_explicit(&self) -> bool {
        self.is_handicap_explicit
    }

    /// Removes the last move and any resignation that followed it, and returns the move. Returns `None` if there are no
    /// moves; handicap and set-up stones cannot be undone.
    pub fn undo(&mut self) -> Option<(Color, Move)> {
        let last_move = self.moves.pop()?;
        self.stages.pop();
        if let Some(Cow::Owned(position)) = self.position_after(self.moves.len()) {
            *self.stages.last_mut()? = Stage::new(position);
        }
        self.resigned = None;
        Some(last_move)
    }

    /// Withdraws a resignation, leaving the moves intact. Returns false if neither player had resigned.
    pub const fn undo_resignation(&mut self) -> bool {
        self.resigned.take().is_some()
    }

    /// Records that `color` resigns, which ends the game.
    pub const fn resign(&mut self, color: Color) {
        self.resigned = Some(color);
    }

    /// Discards the game and starts a new one with the same board size and rules.
    pub fn clear(&mut self) {
        *self = Self::new(self.size(), *self.rules());
    }

    /// Discards the game and starts a new one with another board size and the same rules.
    pub fn resize(&mut self, size: BoardSize) {
        *self = Self::new(size, *self.rules());
    }

    /// Sets the komi in all positions of the game.
    pub fn set_komi(&mut self, komi: Komi) {
        self.set_rules(self.rules().with_komi(komi));
    }

    /// Sets the side to move in the current position.
    pub fn set_to_move(&mut self, color: Color) {
        if let Some(stage) = self.stages.last_mut() {
            stage.set_to_move(color);
        }
    }

    /// Replaces the rules in all positions of the game. Moves that the new rules forbid remain part of the record, and
    /// the side to move stays the same in every position.
    pub fn set_rules(&mut self, rules: Rules) {
        let resigned = self.resigned;
        let to_move: Vec<Color> = self.stages.iter().map(|stage| stage.to_move).collect();
        let moves = std::mem::take(&mut self.moves);
        let mut initial = self.initial().clone();
        initial.set_rules(rules);
        self.stages = vec![Stage::new(initial)];
        for (color, mv) in moves {
            self.play_unchecked(color, mv);
        }
        for (stage, color) in self.stages.iter_mut().zip(to_move) {
            stage.set_to_move(color);
        }
        self.resigned = resigned;
    }

    /// Discards the game and starts a new one from the given stones, with `to_move` to play. Board size and rules stay
    /// the same.
    ///
    /// # Errors
    /// Returns an error, leaving the record unchanged, if a chain has no liberties.
    ///
    /// # Panics
    /// Panics if a point is off the board or in both sets.
    pub fn reset_to_stones(
        &mut self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<(), NoLibertiesError> {
        let initial = Position::from_stones(self.size(), stones, to_move, *self.rules())?;
        *self = Self::from_position(initial);
        Ok(())
    }

    /// Starts a new game with Black's handicap stones at `points` and White to move. The stones are part of the initial
    /// position.
    ///
    /// # Errors
    /// Returns an error, leaving the record unchanged, if the game has stones or moves, a point is given twice or is
    /// off the board, or the stones would fill the board.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        let size = self.size();
        if !self.has_no_moves_or_stones() {
            return Err(HandicapError::NotEmpty);
        }
        if !points.iter().all(|&point| size.contains(point)) {
            return Err(HandicapError::OffBoard);
        }
        let stones: PointSet = points.iter().copied().collect();
        if stones.len() != points.len() {
            return Err(HandicapError::Repeated);
        }
        let board = Board::from_stones(size, stones, PointSet::EMPTY)
            .map_err(|_| HandicapError::BoardFull)?;
        let mut initial = Position::from_board(board, Color::White, *self.rules());
        initial.set_handicap(points.len());
        *self = Self::from_position(initial);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
