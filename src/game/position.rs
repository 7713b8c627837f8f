//! Positions: a board with side to move, rules, ko state and history.
//!
//! A [`Position`] is cheap to copy: the search copies the root and plays moves on the copy. A
//! [`Record`](super::record::Record) implements undo by storing all earlier positions.

use std::hash::{Hash, Hasher};

use super::board::{Board, NoLibertiesError};
use super::color::{ByColor, Color};
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::rules::{KoRule, Rules, Scoring};
use super::zobrist;
use crate::random::stable_hash::StableHasher;

mod legal;
mod simple_ko_repetition;

pub use legal::{MAX_RECORD_MOVES, MoveError};
pub use simple_ko_repetition::NO_RESULT_REASON;

/// Number of earlier boards, and of recent moves, stored in a position. The networks' history planes require seven.
pub const HISTORY_LEN: usize = 7;

/// A position within a game. Equality includes the stored history.
#[derive(Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    to_move: Color,
    rules: Rules,
    /// Colour that may not retake a basic ko immediately, and the point of the ko.
    ko: Option<(Color, Point)>,
    passes: u8,
    /// Whether the last move created a situation for the third time under simple ko.
    no_result: bool,
    /// Colour that took the button, and the move number of the pass with which it did so.
    button: Option<(Color, u32)>,
    handicap: u16,
    move_number: u32,
    prisoners: ByColor<u32>,
    /// For each colour, the points at which a stone of that colour has been captured. Only a suicide, or a move of that
    /// colour at one of these points, can repeat an earlier position.
    captured_at: ByColor<PointSet>,
    /// Repetition keys of the positions up to and including the current one. The keys include the side to move unless
    /// the ko rule is positional superko.
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

    /// Copies `other`, reusing the allocations of `self`.
    fn clone_from(&mut self, other: &Self) {
        let Self {
            board,
            to_move,
            rules,
            ko,
            passes,
            no_result,
            button,
            handicap,
            move_number,
            prisoners,
            captured_at,
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
        self.no_result = *no_result;
        self.button = *button;
        self.handicap = *handicap;
        self.move_number = *move_number;
        self.prisoners = *prisoners;
        self.captured_at = *captured_at;
        self.last_moves = *last_moves;
        self.previous_stones = *previous_stones;
    }
}

impl Position {
    /// Creates a position with an empty board and Black to move.
    pub fn new(size: BoardSize, rules: Rules) -> Self {
        Self::from_board(Board::new(size), Color::Black, rules)
    }

    /// Creates a position with the given board and side to move, without history.
    pub fn from_board(board: Board, to_move: Color, rules: Rules) -> Self {
        let mut position = Self {
            board,
            to_move,
            rules,
            ko: None,
            passes: 0,
            no_result: false,
            button: None,
            handicap: 0,
            move_number: 0,
            prisoners: ByColor::default(),
            captured_at: ByColor::default(),
            position_keys: Vec::new(),
            last_moves: [None; HISTORY_LEN],
            previous_stones: [ByColor::default(); HISTORY_LEN],
        };
        position
            .position_keys
            .push(position.repetition_key(position.board.hash(), to_move));
        position
    }

    /// Creates a position with the given stones and without history.
    ///
    /// # Errors
    /// Returns an error if a chain has no liberties.
    pub fn from_stones(
        size: BoardSize,
        stones: ByColor<PointSet>,
        to_move: Color,
        rules: Rules,
    ) -> Result<Self, NoLibertiesError> {
        let board = Board::from_stones(size, stones[Color::Black], stones[Color::White])?;
        Ok(Self::from_board(board, to_move, rules))
    }

    /// Returns a position without history that has the given stones and side to move, and the rules, prisoners and
    /// handicap of this one.
    ///
    /// # Errors
    /// Returns an error if a chain has no liberties.
    pub fn restarted_with_stones(
        &self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<Self, NoLibertiesError> {
        Ok(Self {
            handicap: self.handicap,
            prisoners: self.prisoners,
            ..Self::from_stones(self.size(), stones, to_move, self.rules)?
        })
    }

    /// Returns a position like this one with `to_move` to play, but without history: the ko, the passes, the button and
    /// the move number are reset.
    pub fn without_history(&self, to_move: Color) -> Self {
        let restarted = self.restarted_with_stones(*self.board.stones_by_color(), to_move);
        restarted.expect("every chain of this board has a liberty")
    }

    pub const fn board(&self) -> &Board {
        &self.board
    }

    pub const fn size(&self) -> BoardSize {
        self.board.size()
    }

    /// Returns the side to move.
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns the current rules.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the number of moves since the initial position, including passes.
    pub const fn move_number(&self) -> u32 {
        self.move_number
    }

    /// Returns the colour that may not retake a basic ko immediately, and the point of the ko. Returns `None` if the
    /// last move created no basic ko. The result does not depend on the ko rule.
    pub const fn ko_ban(&self) -> Option<(Color, Point)> {
        self.ko
    }

    /// Returns the point at which `color` may not retake a basic ko immediately, or `None`. The result does not depend
    /// on the ko rule.
    pub fn ko_for(&self, color: Color) -> Option<Point> {
        let (banned, point) = self.ko?;
        (banned == color).then_some(point)
    }

    /// Returns the number of stones of `color` that have been captured so far.
    pub fn lost_stones(&self, color: Color) -> u32 {
        self.prisoners[color]
    }

    /// Increases the number of captured stones of `color` by `count`.
    pub fn add_lost_stones(&mut self, color: Color, count: u32) {
        self.prisoners[color] += count;
    }

    /// Returns the number of Black's handicap stones.
    pub fn handicap(&self) -> usize {
        usize::from(self.handicap)
    }

    /// Returns the number of consecutive passes up to the current position, played by the two sides in turn. A pass
    /// after a pass by the same side starts a new count. The pass that took the button does not count.
    pub const fn passes(&self) -> u8 {
        self.passes
    }

    /// Returns the colour that took the button, or `None` if it has not been taken.
    pub fn button_owner(&self) -> Option<Color> {
        self.button.map(|(owner, _)| owner)
    }

    /// Returns true if the move `moves_ago` moves ago (0 is the last one) was the pass that took the button.
    pub fn was_button_pass(&self, moves_ago: u32) -> bool {
        self.button
            .is_some_and(|(_, number)| number + moves_ago == self.move_number)
    }

    /// Returns true if the rules have a button that has not been taken yet.
    pub const fn button_is_free(&self) -> bool {
        self.rules.button && self.button.is_none()
    }

    /// Returns true if the game has ended, by a [pass](Self::passes) of each side or [without a
    /// result](Self::has_no_result).
    pub const fn ended(&self) -> bool {
        self.passes >= 2 || self.no_result
    }

    /// Returns the move `moves_ago` moves ago (0 is the last one), or `None` if there was none. Only the last
    /// [`HISTORY_LEN`] moves are available.
    pub fn past_move(&self, moves_ago: usize) -> Option<(Color, Move)> {
        self.last_moves.get(moves_ago).copied().flatten()
    }

    /// Returns true if the last move was a pass.
    pub fn last_move_was_pass(&self) -> bool {
        self.was_pass(0)
    }

    /// Returns true if the move `moves_ago` moves ago (0 is the last one) was a pass.
    pub fn was_pass(&self, moves_ago: usize) -> bool {
        matches!(self.past_move(moves_ago), Some((_, Move::Pass)))
    }

    /// Returns the stones that `color` had on the board `moves_ago` moves ago (0 is the current board). Returns the
    /// empty set if `moves_ago` exceeds [`HISTORY_LEN`] or the number of moves played.
    pub fn past_stones(&self, moves_ago: usize, color: Color) -> PointSet {
        match moves_ago.checked_sub(1) {
            None => *self.board.stones(color),
            Some(index) => self
                .previous_stones
                .get(index)
                .map_or(PointSet::EMPTY, |stones| stones[color]),
        }
    }

    /// Returns White's bonus in half points: the sum of komi, handicap bonus and button. The button counts 1 if White
    /// took it and -1 if Black took it.
    pub fn white_bonus_half_points(&self) -> i32 {
        let button = self
            .button_owner()
            .map_or(0, |owner| -owner.to_perspective(1));
        i32::from(self.rules.komi.half_points())
            + 2 * self.rules.handicap_bonus_points(self.handicap())
            + button
    }

    /// Returns the number of half points to subtract from Black's lead in area to obtain Black's lead in score.
    ///
    /// Under territory scoring, a side's lead is its lead in area minus the number of stones that it has played in
    /// excess of the opponent, including captured ones. The bonus therefore includes Black's surplus of stones. Both
    /// sides are assumed to play the same number of stones in the rest of the game.
    pub fn white_area_bonus_half_points(&self) -> i32 {
        let played = |color| self.board.stones(color).len() as i32 + self.prisoners[color] as i32;
        let surplus = match self.rules.scoring {
            Scoring::Area => 0,
            Scoring::Territory => played(Color::Black) - played(Color::White),
        };
        self.white_bonus_half_points() + 2 * surplus
    }

    /// Returns a hash of the current state: stones, side to move, ko, passes, button, handicap, rules, komi and board
    /// size. Earlier boards and moves, and the numbers of prisoners, are excluded. The hash is the same on all
    /// platforms.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StableHasher::default();
        (
            self.board.hash(),
            self.size(),
            self.to_move,
            self.ko,
            self.passes,
            self.button_owner(),
            self.handicap,
        )
            .hash(&mut hasher);
        self.rules.hash(&mut hasher);
        hasher.finish()
    }

    /// Replaces the rules. Clears the repetition history if the ko rule changes.
    pub fn set_rules(&mut self, rules: Rules) {
        if rules.ko != self.rules.ko {
            self.position_keys.clear();
            self.no_result = false;
        }
        self.rules = rules;
        if self.position_keys.is_empty() {
            self.position_keys
                .push(self.repetition_key(self.board.hash(), self.to_move));
        }
    }

    /// Sets the number of Black's handicap stones, which determines White's handicap bonus. Places no stones.
    pub fn set_handicap(&mut self, stones: usize) {
        self.handicap = u16::try_from(stones).unwrap_or(u16::MAX);
    }

    /// Sets the side to move. Ko and history are unchanged.
    pub fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    /// Plays a move for `color`, regardless of the side to move. The opponent moves next. Moves are allowed even after
    /// the game has [ended](Self::ended).
    ///
    /// # Errors
    /// Returns an error, leaving the position unchanged, if the move is illegal.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        if let Move::Play(point) = mv {
            self.check_legal_for(color, point)?;
        }
        self.play_unchecked(color, mv);
        Ok(())
    }

    /// Like [`play`](Self::play), but with the [lenient rules](Self::check_legal_for_lenient) for moves of recorded
    /// games.
    ///
    /// # Errors
    /// Returns an error, leaving the position unchanged, if the move fails the lenient checks.
    pub fn play_lenient(&mut self, color: Color, mv: Move) -> Result<(), MoveError> {
        if let Move::Play(point) = mv {
            self.check_legal_for_lenient(color, point)?;
        }
        self.play_unchecked(color, mv);
        Ok(())
    }

    /// Plays a move without checking the ko and suicide rules.
    ///
    /// # Panics
    /// Panics if the point is not an empty point of the board.
    pub fn play_unchecked(&mut self, color: Color, mv: Move) {
        let repeats_pass = self.past_move(0) == Some((color, Move::Pass));
        self.previous_stones.rotate_right(1);
        self.previous_stones[0] = *self.board.stones_by_color();
        self.last_moves.rotate_right(1);
        self.last_moves[0] = Some((color, mv));
        self.move_number += 1;
        self.to_move = color.opposite();
        self.ko = None;
        let mut may_repeat = false;
        match mv {
            Move::Pass if self.button_is_free() => {
                self.button = Some((color, self.move_number));
                self.passes = 0;
            }
            Move::Pass if repeats_pass => self.passes = 1,
            Move::Pass => self.passes = self.passes.saturating_add(1),
            Move::Play(point) => may_repeat = self.place_stone(color, point),
        }
        // A pass changes the side to move but not the board, so it adds no key under positional superko.
        if self.rules.ko != KoRule::Positional || mv != Move::Pass {
            self.position_keys
                .push(self.repetition_key(self.board.hash(), self.to_move));
        }
        self.no_result = may_repeat && self.had_no_result(0);
    }

    /// Places a stone. Returns true if an earlier board may have been the same as the resulting one.
    fn place_stone(&mut self, color: Color, point: Point) -> bool {
        self.passes = 0;
        let was_captured_here = self.captured_at[color].contains(point);
        let placement = self.board.place(color, point);
        if placement.captured.is_empty() {
            return was_captured_here;
        }
        let owner = if placement.suicide {
            color
        } else {
            color.opposite()
        };
        self.captured_at[owner] |= placement.captured;
        self.prisoners[owner] += placement.captured.len() as u32;
        self.ko = placement.ko.map(|point| (owner, point));
        was_captured_here || placement.suicide
    }

    fn repetition_key(&self, hash: u64, to_move: Color) -> u64 {
        match self.rules.ko {
            KoRule::Simple | KoRule::Situational => hash ^ zobrist::to_move_key(to_move),
            KoRule::Positional => hash,
        }
    }
}
