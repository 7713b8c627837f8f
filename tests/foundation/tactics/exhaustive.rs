//! Exhaustive search: is a goal reached within a number of plies? Tries every move and pass of both sides.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::naive::{NaiveBoard, Place};

/// Side that may retake kos immediately.
pub type KoImmune = Option<Color>;

/// Goal of the maker.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// Capture of the chain at the point.
    Capture(Place),
    /// Connection of two chains.
    Connect([Place; 2]),
}

impl Goal {
    /// Returns the colour of the maker.
    pub fn maker(&self, board: &NaiveBoard) -> Color {
        match self {
            Self::Capture(target) => board.at(*target).unwrap().opposite(),
            Self::Connect([stone, _]) => board.at(*stone).unwrap(),
        }
    }

    /// Returns whether the goal is reached, if this is decided.
    fn decided(&self, board: &NaiveBoard) -> Option<bool> {
        match *self {
            Self::Capture(target) => board.at(target).is_none().then_some(true),
            Self::Connect([a, b]) if board.at(a).is_none() || board.at(b).is_none() => Some(false),
            Self::Connect([a, b]) => board.chain(a).stones.contains(&b).then_some(true),
        }
    }

    /// Returns a lower bound on the maker's moves. Each move removes at most one liberty.
    fn moves_needed(&self, board: &NaiveBoard) -> usize {
        match self {
            Self::Capture(target) => board.chain(*target).liberties.len(),
            Self::Connect(_) => 1,
        }
    }
}

/// Exhaustive search with a cache, for a fixed goal and ko immunity.
pub struct Exhaustive {
    goal: Goal,
    maker: Color,
    ko_immune: KoImmune,
    found: HashMap<(NaiveBoard, Color, Option<Place>, usize), bool>,
    positions_left: usize,
}

/// The search exceeded its position limit.
#[derive(Debug)]
pub struct Unfinished;

impl Exhaustive {
    pub fn new(goal: Goal, maker: Color, ko_immune: KoImmune, positions: usize) -> Self {
        Self {
            goal,
            maker,
            ko_immune,
            found: HashMap::new(),
            positions_left: positions,
        }
    }

    /// Returns whether the goal is reached within `plies` with `color` to move, which may not play at `ko`.
    pub fn is_reached(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        ko: Option<Place>,
        plies: usize,
    ) -> Result<bool, Unfinished> {
        if let Some(decided) = self.goal.decided(board) {
            return Ok(decided);
        }
        let moves = (plies + usize::from(color == self.maker)) / 2;
        if self.goal.moves_needed(board) > moves {
            return Ok(false);
        }
        let key = (board.clone(), color, ko, plies);
        if let Some(&known) = self.found.get(&key) {
            return Ok(known);
        }
        self.positions_left = self.positions_left.checked_sub(1).ok_or(Unfinished)?;
        let reached = self.search(board, color, ko, plies)?;
        self.found.insert(key, reached);
        Ok(reached)
    }

    fn search(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        ko: Option<Place>,
        plies: usize,
    ) -> Result<bool, Unfinished> {
        let is_maker = color == self.maker;
        let other = color.opposite();
        // The side to move succeeds if any of its moves does.
        if self.is_reached(board, other, None, plies - 1)? == is_maker {
            return Ok(is_maker);
        }
        for place in board.empty() {
            if ko == Some(place) && self.ko_immune != Some(color) {
                continue;
            }
            let after = board.after(color, place);
            if after.suicide {
                continue;
            }
            let next_ko = after.retaken_at(place);
            if self.is_reached(&after.board, other, next_ko, plies - 1)? == is_maker {
                return Ok(is_maker);
            }
        }
        Ok(!is_maker)
    }
}
