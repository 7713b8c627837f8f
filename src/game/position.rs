//! A board with a turn, a past and rules: what may be played, and what playing it does.
//!
//! A [`Position`] is cheap to copy (the search copies the root and plays down); going back is the business of
//! [`Record`](super::record::Record), which keeps the earlier positions.

use std::hash::{Hash, Hasher};

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::rules::{KoRule, Rules};
use super::zobrist;
use crate::random::stable_hash::StableHasher;

mod legal;
mod repetition;

pub use legal::{MAX_MOVES, MoveError};

/// Earlier boards that a position remembers, newest first: what the network's history planes show.
pub const HISTORY_LEN: usize = 7;

/// A position within a game; equal ones have the same past as far as it matters.
#[derive(Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    to_move: Color,
    rules: Rules,
    /// The point where that colour may not retake at once.
    ko: Option<(Color, Point)>,
    passes: u8,
    /// Who took the button, and by which move of the game.
    button: Option<(Color, u32)>,
    handicap: u16,
    move_number: u32,
    prisoners: ByColor<u32>,
    /// Stones of each colour that once stood here and were removed: a point outside cannot repeat a position.
    removed: ByColor<PointSet>,
    /// Keys of all earlier positions and this one; with the side to move in them unless superko is positional.
    position_keys: Vec<u64>,
    last_moves: [Option<(Color, Move)>; HISTORY_LEN],
    previous_stones: [ByColor<PointSet>; HISTORY_LEN],
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self {
            board: self.board.clone(),
            position_keys: self.position_keys.clone(),
            ..*self
        }
    }

    /// Keeps the allocations of `self`.
    fn clone_from(&mut self, other: &Self) {
        let Self {
            board,
            to_move,
            rules,
            ko,
            passes,
            button,
            handicap,
            move_number,
            prisoners,
            removed,
            position_keys,
            last_moves,
            previous_stones,
        } = other;
        self.board.clone_from(board);
        self.position_keys.clone_from(position_keys);
        self.to_move = *to_move;
        self.rules = *rules;
        self.ko = *ko;
        self.passes = *passes;
        self.button = *button;
        self.handicap = *handicap;
        self.move_number = *move_number;
        self.prisoners = *prisoners;
        self.removed = *removed;
        self.last_moves = *last_moves;
        self.previous_stones = *previous_stones;
    }
}

impl Position {
    /// The empty board, Black to move.
    #[must_use]
    pub fn new(size: BoardSize, rules: Rules) -> Self {
        Self::from_board(Board::new(size), Color::Black, rules)
    }

    /// A position set up, with no past.
    #[must_use]
    pub fn from_board(board: Board, to_move: Color, rules: Rules) -> Self {
        let mut position = Self {
            board,
            to_move,
            rules,
            ko: None,
            passes: 0,
            button: None,
            handicap: 0,
            move_number: 0,
            prisoners: ByColor::default(),
            removed: ByColor::default(),
            position_keys: Vec::new(),
            last_moves: [None; HISTORY_LEN],
            previous_stones: [ByColor::default(); HISTORY_LEN],
        };
        position
            .position_keys
            .push(position.repetition_key(position.board.hash(), to_move));
        position
    }

    /// The board with the given stones, with no past.
    ///
    /// # Errors
    /// When a chain would have no liberty.
    pub fn set_up(
        size: BoardSize,
        stones: ByColor<PointSet>,
        to_move: Color,
        rules: Rules,
    ) -> Result<Self, NoLibertiesError> {
        let board = Board::with_stones(size, stones[Color::Black], stones[Color::White])?;
        Ok(Self::from_board(board, to_move, rules))
    }

    /// This game with other stones: prisoners and handicap stay, the past is forgotten.
    ///
    /// # Errors
    /// When a chain would have no liberty.
    pub fn with_stones(
        &self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<Self, NoLibertiesError> {
        Ok(Self {
            handicap: self.handicap,
            prisoners: self.prisoners,
            ..Self::set_up(self.size(), stones, to_move, self.rules)?
        })
    }

    /// This position as the first of a game, with `to_move` to move.
    #[must_use]
    pub fn restarted(&self, to_move: Color) -> Self {
        let restarted = self.with_stones(*self.board.stones_by_color(), to_move);
        restarted.expect("these stones stand so")
    }

    /// The stones.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The board's size.
    #[must_use]
    pub const fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Moves made since the position was set up, passes counted.
    #[must_use]
    pub const fn move_number(&self) -> u32 {
        self.move_number
    }

    /// Where and for whom taking straight back in a basic ko is possible next, whatever the ko rule.
    #[must_use]
    pub const fn ko(&self) -> Option<(Color, Point)> {
        self.ko
    }

    /// Where that colour may not take straight back in a basic ko, whatever the ko rule.
    #[must_use]
    pub fn ko_for(&self, color: Color) -> Option<Point> {
        let (banned, point) = self.ko?;
        (banned == color).then_some(point)
    }

    /// Stones of that colour taken off by captures so far.
    #[must_use]
    pub fn prisoners(&self, color: Color) -> u32 {
        self.prisoners[color]
    }

    /// Counts stones of a colour as taken before.
    pub fn add_prisoners(&mut self, color: Color, count: u32) {
        self.prisoners[color] += count;
    }

    /// Stones that Black has played more than White: those on the board and those taken off.
    #[must_use]
    pub fn black_stone_surplus(&self) -> i64 {
        let played =
            |color| self.board.stones(color).len() as i64 + i64::from(self.prisoners[color]);
        played(Color::Black) - played(Color::White)
    }

    /// Black's handicap stones.
    #[must_use]
    pub fn handicap(&self) -> usize {
        usize::from(self.handicap)
    }

    /// Passes in a row just made that count towards the end.
    #[must_use]
    pub const fn passes(&self) -> u8 {
        self.passes
    }

    /// Who took the button, where the rules have one.
    #[must_use]
    pub fn button(&self) -> Option<Color> {
        self.button.map(|(owner, _)| owner)
    }

    /// Whether the move made `moves_ago` turns ago (0 is the last one) was the pass that took the button.
    #[must_use]
    pub fn took_button(&self, moves_ago: u32) -> bool {
        self.button
            .is_some_and(|(_, number)| number + moves_ago == self.move_number)
    }

    /// Whether a pass would still earn the button.
    #[must_use]
    pub const fn button_is_free(&self) -> bool {
        self.rules.button && self.button.is_none()
    }

    /// Whether play has ended: two passes in a row.
    #[must_use]
    pub const fn ended(&self) -> bool {
        self.passes >= 2
    }

    /// The move made `moves_ago` turns ago (0 is the last one) and who made it, within the last [`HISTORY_LEN`].
    #[must_use]
    pub fn last_move(&self, moves_ago: usize) -> Option<(Color, Move)> {
        self.last_moves.get(moves_ago).copied().flatten()
    }

    /// Whether the last move was a pass.
    #[must_use]
    pub fn last_move_was_pass(&self) -> bool {
        matches!(self.last_move(0), Some((_, Move::Pass)))
    }

    /// The stones of a colour `moves_ago` moves ago, 0 being now; empty before the start and beyond [`HISTORY_LEN`].
    #[must_use]
    pub fn past_stones(&self, moves_ago: usize, color: Color) -> PointSet {
        match moves_ago.checked_sub(1) {
            None => *self.board.stones(color),
            Some(index) => self
                .previous_stones
                .get(index)
                .map_or(PointSet::EMPTY, |stones| stones[color]),
        }
    }

    /// White's points before a stone is played: komi and handicap bonus, and the button, in half points.
    #[must_use]
    pub fn white_bonus_half_points(&self) -> i32 {
        let button = self.button().map_or(0, |owner| -owner.to_perspective(1));
        i32::from(self.rules.komi.half_points())
            + 2 * self.rules.bonus_points(self.handicap())
            + button
    }

    /// A word that tells this position from others where it matters to an evaluation: stones, side to move, ko,
    /// passes, button, handicap, rules, komi and size; not the earlier boards, nor prisoners. The same on every platform.
    #[must_use]
    pub fn situation_hash(&self) -> u64 {
        let mut hasher = StableHasher::default();
        (
            self.board.hash(),
            self.size(),
            self.to_move,
            self.ko,
            self.passes,
            self.button(),
            self.handicap,
        )
            .hash(&mut hasher);
        self.rules.hash(&mut hasher);
        hasher.finish()
    }

    /// Replaces the rules; the past is kept only as far as it means the same under both.
    pub fn set_rules(&mut self, rules: Rules) {
        if rules.ko != self.rules.ko {
            self.position_keys.clear();
        }
        self.rules = rules;
        if self.position_keys.is_empty() {
            self.position_keys
                .push(self.repetition_key(self.board.hash(), self.to_move));
        }
    }

    /// Says how many of Black's stones are a handicap.
    pub fn set_handicap(&mut self, stones: usize) {
        self.handicap = u16::try_from(stones).unwrap_or(u16::MAX);
    }

    /// Gives the turn to a colour without a move being made.
    pub fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    /// Makes a move for `to_move`, its turn or not; the other side is to move next. Play may go on after its end.
    ///
    /// # Errors
    /// When the move is not legal; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        if let Move::Play(point) = mv {
            self.legal_for(color, point)?;
        }
        self.play_unchecked(color, mv);
        Ok(())
    }

    /// Makes a move of a game that was played elsewhere; else as [`play`](Self::play).
    ///
    /// # Errors
    /// When the move [cannot be](Self::legal_for_lenient); nothing has changed then.
    pub fn play_lenient(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        if let Move::Play(point) = mv {
            self.legal_for_lenient(color, point)?;
        }
        self.play_unchecked(color, mv);
        Ok(())
    }

    /// Makes a move known to be legal.
    ///
    /// # Panics
    /// When the point is not an empty point of the board; ko and suicide are not looked at.
    pub fn play_unchecked(&mut self, color: Color, mv: Move) {
        self.previous_stones.rotate_right(1);
        self.previous_stones[0] = *self.board.stones_by_color();
        self.last_moves.rotate_right(1);
        self.last_moves[0] = Some((color, mv));
        self.move_number += 1;
        self.to_move = color.opposite();
        self.ko = None;
        match mv {
            Move::Pass if self.button_is_free() => {
                self.button = Some((color, self.move_number));
                self.passes = 0;
            }
            Move::Pass => self.passes = self.passes.saturating_add(1),
            Move::Play(point) => self.place_stone(color, point),
        }
        // A pass makes a new situation but not a new position.
        if self.rules.ko != KoRule::Positional || mv != Move::Pass {
            self.position_keys
                .push(self.repetition_key(self.board.hash(), self.to_move));
        }
    }

    fn place_stone(&mut self, color: Color, point: Point) {
        self.passes = 0;
        let placement = self.board.place(color, point);
        if placement.captured.is_empty() {
            return;
        }
        let owner = if placement.suicide {
            color
        } else {
            color.opposite()
        };
        self.removed[owner] |= placement.captured;
        self.prisoners[owner] += placement.captured.len() as u32;
        self.ko = placement.ko.map(|point| (owner, point));
    }

    fn repetition_key(&self, hash: u64, to_move: Color) -> u64 {
        match self.rules.ko {
            KoRule::Simple | KoRule::Situational => hash ^ zobrist::to_move_key(to_move),
            KoRule::Positional => hash,
        }
    }
}
