//! A board with a turn, a past and rules: what may be played, and what playing it does.
//!
//! A [`Position`] is cheap to copy (the search copies the root and plays down); going back is the business of
//! [`Record`](super::record::Record), which keeps the earlier positions.

use std::hash::{Hash, Hasher};

use super::board::{Board, NoLiberties};
use super::color::{ByColor, Color};
use super::hasher::StableHasher;
use super::point::{BoardSize, Move, Point};
use super::pointset::PointSet;
use super::rules::{KoRule, Rules};
use super::zobrist;

mod legal;
mod past;

pub use legal::{Illegal, MOST_MOVES};

/// Earlier boards that a position remembers, newest first: what the network's history planes show.
pub const REMEMBERED: usize = 7;

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
    past: Vec<u64>,
    last_moves: [Option<(Color, Move)>; REMEMBERED],
    earlier: [ByColor<PointSet>; REMEMBERED],
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Self {
            board: self.board.clone(),
            past: self.past.clone(),
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
            past,
            last_moves,
            earlier,
        } = other;
        self.board.clone_from(board);
        self.past.clone_from(past);
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
        self.earlier = *earlier;
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
            past: Vec::new(),
            last_moves: [None; REMEMBERED],
            earlier: [ByColor::default(); REMEMBERED],
        };
        position
            .past
            .push(position.key(position.board.hash(), to_move));
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
    ) -> Result<Self, NoLiberties> {
        let board = Board::with_stones(size, stones[Color::Black], stones[Color::White])?;
        Ok(Self::from_board(board, to_move, rules))
    }

    /// This game with other stones: prisoners and handicap stay, the past is forgotten.
    ///
    /// # Errors
    /// When a chain would have no liberty.
    pub fn rearranged(
        &self,
        stones: ByColor<PointSet>,
        to_move: Color,
    ) -> Result<Self, NoLiberties> {
        Ok(Self {
            handicap: self.handicap,
            prisoners: self.prisoners,
            ..Self::set_up(self.size(), stones, to_move, self.rules)?
        })
    }

    /// This position as the first of a game, with `color` to move.
    #[must_use]
    pub fn begun_by(&self, color: Color) -> Self {
        let same = self.rearranged(*self.board.stones_by_color(), color);
        same.expect("these stones stand so")
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
        let (barred, point) = self.ko?;
        (barred == color).then_some(point)
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
    pub fn more_stones_of_black(&self) -> i64 {
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

    /// Whether the move made `back` turns ago (0 is the last one) was the pass that took the button.
    #[must_use]
    pub fn took_button(&self, back: u32) -> bool {
        self.button
            .is_some_and(|(_, number)| number + back == self.move_number)
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

    /// The move made `back` turns ago (0 is the last one) and who made it, within the last [`REMEMBERED`].
    #[must_use]
    pub fn last_move(&self, back: usize) -> Option<(Color, Move)> {
        self.last_moves.get(back).copied().flatten()
    }

    /// Whether the last move was a pass.
    #[must_use]
    pub fn after_pass(&self) -> bool {
        matches!(self.last_move(0), Some((_, Move::Pass)))
    }

    /// The stones of a colour `back` moves ago, 0 being now; empty before the start and beyond [`REMEMBERED`].
    #[must_use]
    pub fn stones_before(&self, back: usize, color: Color) -> PointSet {
        match back.checked_sub(1) {
            None => *self.board.stones(color),
            Some(index) => self
                .earlier
                .get(index)
                .map_or(PointSet::EMPTY, |stones| stones[color]),
        }
    }

    /// White's points before a stone is played: komi and handicap bonus, and the button, in half points.
    #[must_use]
    pub fn white_half_points(&self) -> i32 {
        let button = self.button().map_or(0, |owner| -owner.from_black(1));
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
            self.past.clear();
        }
        self.rules = rules;
        if self.past.is_empty() {
            self.past.push(self.key(self.board.hash(), self.to_move));
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

    /// Makes a move for `color`, its turn or not; the other side is to move next. Play may go on after its end.
    ///
    /// # Errors
    /// When the move is not legal; nothing has changed then.
    pub fn play(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        if let Move::Play(point) = mv {
            self.legal_for(color, point)?;
        }
        self.play_legal(color, mv);
        Ok(())
    }

    /// Makes a move of a game that was played elsewhere; else as [`play`](Self::play).
    ///
    /// # Errors
    /// When the move [cannot be](Self::possible_for); nothing has changed then.
    pub fn replay(&mut self, color: Color, mv: Move) -> Result<(), Illegal> {
        if let Move::Play(point) = mv {
            self.possible_for(color, point)?;
        }
        self.play_legal(color, mv);
        Ok(())
    }

    /// Makes a move known to be legal.
    ///
    /// # Panics
    /// When the point is not an empty point of the board; ko and suicide are not looked at.
    pub fn play_legal(&mut self, color: Color, mv: Move) {
        self.earlier.rotate_right(1);
        self.earlier[0] = *self.board.stones_by_color();
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
            Move::Play(point) => self.put_stone(color, point),
        }
        // A pass makes a new situation but not a new position.
        if self.rules.ko != KoRule::Positional || mv != Move::Pass {
            self.past.push(self.key(self.board.hash(), self.to_move));
        }
    }

    fn put_stone(&mut self, color: Color, point: Point) {
        self.passes = 0;
        let placed = self.board.place(color, point);
        if placed.captured.is_empty() {
            return;
        }
        let owner = if placed.suicide {
            color
        } else {
            color.opposite()
        };
        self.removed[owner] |= placed.captured;
        self.prisoners[owner] += placed.captured.len() as u32;
        self.ko = placed.ko.map(|taken| (owner, taken));
    }

    fn key(&self, hash: u64, to_move: Color) -> u64 {
        match self.rules.ko {
            KoRule::Simple | KoRule::Situational => hash ^ zobrist::to_move(to_move),
            KoRule::Positional => hash,
        }
    }
}
