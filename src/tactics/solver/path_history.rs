//! The line that led to a position, and what of it can matter.
//!
//! Two rules make what is shown true under every superko rule: the prover never makes a board that stood before, and
//! the other side loses only the moves that every superko rule forbids, those that make a board that stood before with
//! the same side to move. Both look at the whole line, so that a result may be true for one past only. It is true for
//! another past as well when neither past can come back: to make an earlier board again, all stones that were not on it
//! must be taken first. So with each result goes the set of points where stones were taken in finding it, and the
//! result is used again where for every earlier board some stone stands outside that set.

use super::node::{Keys, NO_HISTORY, Node, Set, SolverBoard};
use crate::random::splitmix64;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;

/// In all keys of positions with their past, so that what holds after nothing is told from what holds after anything.
const PATH_SALT: u64 = splitmix64(0x0009_a575);

/// The positions before the present one.
#[derive(Debug, Default)]
pub struct PathHistory {
    entries: Vec<PathEntry>,
}

#[derive(Debug)]
struct PathEntry {
    stones: Stones<Set>,
    prover_to_move: bool,
    /// The exclusive-or of the keys of all positions up to this one, by symmetry.
    keys: Keys,
}

impl PathHistory {
    /// The position becomes the last of the past.
    pub fn push(&mut self, node: &Node) {
        let mut keys = self.keys();
        if !node.last_was_pass {
            node.xor_into(&mut keys);
        }
        self.entries.push(PathEntry {
            stones: node.stones,
            prover_to_move: node.prover_to_move,
            keys,
        });
    }

    /// The last of the past goes.
    pub fn pop(&mut self) {
        self.entries.pop();
    }

    /// All of it goes.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    fn keys(&self) -> Keys {
        self.entries.last().map_or(NO_HISTORY, |last| last.keys)
    }

    /// The key of the position together with its past.
    #[must_use]
    pub fn key(&self, board: &SolverBoard, node: &Node, use_symmetry: bool) -> u64 {
        board.key(node, &self.keys(), use_symmetry).0 ^ PATH_SALT
    }

    /// Whether the board has stood before.
    #[must_use]
    pub fn has_board(&self, node: &Node) -> bool {
        self.entries
            .iter()
            .any(|earlier| earlier.stones == node.stones)
    }

    /// Whether it has with the same side to move.
    #[must_use]
    pub fn has_situation(&self, node: &Node) -> bool {
        let same = |earlier: &PathEntry| {
            earlier.prover_to_move == node.prover_to_move && earlier.stones == node.stones
        };
        self.entries.iter().any(same)
    }

    /// Whether a result about the position does not depend on this past, if stones were taken on those points alone.
    #[must_use]
    pub fn is_irrelevant_to(&self, node: &Node, captured: Set) -> bool {
        self.entries.iter().all(|earlier| {
            // Where nothing is gone the earlier board comes back by stones that are added: two sent, one returned.
            let removed = (node.stones.own & !earlier.stones.own)
                | (node.stones.opponent & !earlier.stones.opponent);
            // The very same board is before a pass, which is part of the position.
            earlier.stones == node.stones || !removed.is_subset(captured)
        })
    }
}
