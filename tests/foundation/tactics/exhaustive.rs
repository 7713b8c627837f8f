//! Is a goal reached within so many plies? Answered by trying every move and pass of both sides.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::rules::naive::{NaiveBoard, Place};

/// Who may take kos back at once.
pub type Free = Option<Color>;

/// What one side wants.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// To take the chain there.
    Capture(Place),
    /// To make one chain of two.
    Join([Place; 2]),
}

impl Goal {
    /// Who wants it.
    pub fn maker(&self, board: &NaiveBoard) -> Color {
        match self {
            Self::Capture(target) => board.at(*target).unwrap().opposite(),
            Self::Join([stone, _]) => board.at(*stone).unwrap(),
        }
    }

    /// Whether it is reached, if that is decided.
    fn decided(&self, board: &NaiveBoard) -> Option<bool> {
        match *self {
            Self::Capture(target) => board.at(target).is_none().then_some(true),
            Self::Join([a, b]) if board.at(a).is_none() || board.at(b).is_none() => Some(false),
            Self::Join([a, b]) => board.chain(a).stones.contains(&b).then_some(true),
        }
    }

    /// Moves of the maker without which it cannot be; a move takes away one liberty at most.
    fn moves_needed(&self, board: &NaiveBoard) -> usize {
        match self {
            Self::Capture(target) => board.chain(*target).liberties.len(),
            Self::Join(_) => 1,
        }
    }
}

/// A search that remembers what it has found; the goal and who is free of the ko rule never change.
pub struct Exhaustive {
    goal: Goal,
    maker: Color,
    free: Free,
    found: HashMap<(NaiveBoard, Color, Option<Place>, usize), bool>,
    positions_left: usize,
}

/// It took too long.
#[derive(Debug)]
pub struct Unfinished;

impl Exhaustive {
    pub fn new(goal: Goal, maker: Color, free: Free, positions: usize) -> Self {
        Self {
            goal,
            maker,
            free,
            found: HashMap::new(),
            positions_left: positions,
        }
    }

    /// Whether the goal is reached within so many plies with `color` to move, but not at `ko`.
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
        let makes = color == self.maker;
        let other = color.opposite();
        // Who moves has got its way when one move gets it.
        if self.is_reached(board, other, None, plies - 1)? == makes {
            return Ok(makes);
        }
        for place in board.empty() {
            if ko == Some(place) && self.free != Some(color) {
                continue;
            }
            let after = board.after(color, place);
            if after.suicide {
                continue;
            }
            let next_ko = after.retaken_at(place);
            if self.is_reached(&after.board, other, next_ko, plies - 1)? == makes {
                return Ok(makes);
            }
        }
        Ok(!makes)
    }
}
