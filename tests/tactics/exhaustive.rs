//! Is a chain captured within so many plies? Answered by trying every move and pass of both sides.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::naive::{NaiveBoard, Place};

/// Who may take kos back at once.
pub type Free = Option<Color>;

/// A search that remembers what it has found; the target and who is free of the ko rule never change.
pub struct Exhaustive {
    target: Place,
    attacker: Color,
    free: Free,
    found: HashMap<(NaiveBoard, Color, Option<Place>, usize), bool>,
    positions_left: usize,
}

/// It took too long.
#[derive(Debug)]
pub struct Unfinished;

impl Exhaustive {
    pub fn new(board: &NaiveBoard, target: Place, free: Free, positions: usize) -> Self {
        Self {
            target,
            attacker: board.at(target).unwrap().opposite(),
            free,
            found: HashMap::new(),
            positions_left: positions,
        }
    }

    /// Whether the chain is captured within so many plies with `color` to move, but not at `ko`.
    pub fn is_captured(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        ko: Option<Place>,
        plies: usize,
    ) -> Result<bool, Unfinished> {
        // A move of the attacker takes away one liberty at most.
        let attacks = (plies + usize::from(color == self.attacker)) / 2;
        if board.chain(self.target).liberties.len() > attacks {
            return Ok(false);
        }
        let key = (board.clone(), color, ko, plies);
        if let Some(&known) = self.found.get(&key) {
            return Ok(known);
        }
        self.positions_left = self.positions_left.checked_sub(1).ok_or(Unfinished)?;
        let captured = self.search(board, color, ko, plies)?;
        self.found.insert(key, captured);
        Ok(captured)
    }

    fn search(
        &mut self,
        board: &NaiveBoard,
        color: Color,
        ko: Option<Place>,
        plies: usize,
    ) -> Result<bool, Unfinished> {
        let attacks = color == self.attacker;
        let other = color.opposite();
        // Who moves has reached the goal when one move does.
        if self.is_captured(board, other, None, plies - 1)? == attacks {
            return Ok(attacks);
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
            let captured = after.captured.contains(&self.target)
                || self.is_captured(&after.board, other, next_ko, plies - 1)?;
            if captured == attacks {
                return Ok(attacks);
            }
        }
        Ok(!attacks)
    }
}
