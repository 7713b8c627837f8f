//! Placing a stone: captures, and incremental updates of chains, liberties and hash.

use super::{Board, Chain, EMPTY, cell_of, neighbour_cells, point_of};
use crate::game::color::Color;
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::zobrist;

/// Result of placing a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Removed stones. They belong to the side that moved if `suicide` is true, and to the opponent otherwise.
    pub captured: PointSet,
    /// True if the move was suicide.
    pub suicide: bool,
    /// Point at which the opponent could retake a basic ko, or `None`. There is a basic ko if the placed stone captured
    /// exactly one stone, is not connected to other stones and has a single liberty.
    pub ko: Option<Point>,
}

impl Board {
    /// Places a stone and removes the opposing chains that have lost their last liberty. If the chain of the new stone
    /// then has no liberties, removes that chain (suicide).
    ///
    /// # Panics
    /// Panics if `point` is not an empty point of the board.
    pub fn place(&mut self, color: Color, point: Point) -> Placement {
        assert!(
            self.is_empty_at(point),
            "{point:?} is not an empty point of the board"
        );
        let mut captured = PointSet::EMPTY;
        for c in neighbour_cells(point) {
            let id = self.cells[c];
            if self
                .chain_in_cell(c)
                .is_some_and(|chain| chain.color != color)
            {
                let chain = &mut self.chains[usize::from(id)];
                chain.liberties.remove(point);
                if chain.liberties.is_empty() {
                    captured |= self.remove_chain(id);
                }
            }
        }
        let id = self.join_chain(color, point);
        self.stones[color].insert(point);
        self.hash ^= zobrist::stone_key(color, point);
        let chain = &self.chains[usize::from(id)];
        if chain.liberties.is_empty() {
            return Placement {
                captured: self.remove_chain(id),
                suicide: true,
                ko: None,
            };
        }
        let lone_in_atari =
            !captured.is_empty() && chain.stones.len() == 1 && chain.liberties.len() == 1;
        Placement {
            captured,
            suicide: false,
            ko: captured.only().filter(|_| lone_in_atari),
        }
    }

    /// Joins a new stone with all adjacent chains of the same colour and returns the index of the resulting chain.
    fn join_chain(&mut self, color: Color, point: Point) -> u16 {
        let mut joined = Chain {
            color,
            stones: PointSet::single(point),
            liberties: PointSet::EMPTY,
        };
        let mut target_id: Option<u16> = None;
        for c in neighbour_cells(point) {
            let id = self.cells[c];
            if id == EMPTY {
                joined.liberties.insert(point_of(c));
            } else if target_id != Some(id)
                && self
                    .chain_in_cell(c)
                    .is_some_and(|chain| chain.color == color)
            {
                let chain = self.chains[usize::from(id)];
                match target_id {
                    None => target_id = Some(id),
                    Some(target) => self.merge_into(id, target),
                }
                joined.stones |= chain.stones;
                joined.liberties |= chain.liberties;
            }
        }
        joined.liberties.remove(point);
        let id = match target_id {
            Some(id) => {
                self.chains[usize::from(id)] = joined;
                id
            }
            None => self.store_chain(joined),
        };
        self.cells[cell_of(point)] = id;
        id
    }

    /// Assigns the cells of chain `from` to chain `to` and frees the slot of `from`. The caller updates the stones and
    /// liberties of `to`.
    fn merge_into(&mut self, from: u16, to: u16) {
        let stones = std::mem::take(&mut self.chains[usize::from(from)].stones);
        for stone in stones {
            self.cells[cell_of(stone)] = to;
        }
        self.free_slots.push(from);
    }

    pub(super) fn store_chain(&mut self, chain: Chain) -> u16 {
        if let Some(id) = self.free_slots.pop() {
            self.chains[usize::from(id)] = chain;
            return id;
        }
        self.chains.push(chain);
        u16::try_from(self.chains.len() - 1).expect("a board has fewer chains than points")
    }

    /// Removes a chain from the board and returns its stones. The vacated points become liberties of the adjacent
    /// chains.
    fn remove_chain(&mut self, id: u16) -> PointSet {
        let slot = &mut self.chains[usize::from(id)];
        let color = slot.color;
        let stones = std::mem::take(&mut slot.stones);
        self.free_slots.push(id);
        self.stones[color] -= stones;
        for stone in stones {
            self.cells[cell_of(stone)] = EMPTY;
            self.hash ^= zobrist::stone_key(color, stone);
        }
        for stone in stones {
            for c in neighbour_cells(stone) {
                if let Some(chain) = self.chains.get_mut(usize::from(self.cells[c])) {
                    chain.liberties.insert(stone);
                }
            }
        }
        stones
    }
}
