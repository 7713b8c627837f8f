//! The positions on the path from the root, and their effect on results.
//!
//! Two restrictions make results valid under every superko rule. The prover never recreates an earlier board. Its
//! opponent may not play moves that every superko rule forbids, which are the moves that recreate an earlier board with
//! the same side to move.
//!
//! Results therefore depend on the path if an earlier board can be recreated. To recreate a board, all stones that it
//! did not contain must first be captured. For this reason, each result includes the set of points where stones were
//! captured during its search. A result is reused on a path if, for each earlier board, this set lacks the point of at
//! least one stone that would have to be captured.

use super::board::SolverBoard;
use super::node::{NO_HISTORY, Node, Set, SymmetryKeys};
use crate::random::splitmix64;
use crate::tactics::bitboard::Stones;
use crate::tactics::bitboard::word::Word;

/// Salt of all keys that include the path. It separates results for an empty path from those that hold for any path.
const PATH_SALT: u64 = splitmix64(0x0009_a575);

/// Positions on the path from the root, up to but excluding the current position.
#[derive(Debug, Default)]
pub struct PathHistory {
    entries: Vec<PathEntry>,
}

#[derive(Debug)]
struct PathEntry {
    stones: Stones<Set>,
    prover_to_move: bool,
    /// XOR of the keys of all positions up to this one, under each symmetry. Positions after a pass are omitted.
    keys: SymmetryKeys,
}

impl PathHistory {
    /// Appends a position.
    pub fn push(&mut self, node: &Node) {
        let mut keys = self.keys();
        if !node.last_was_pass {
            node.xor_into_path_keys(&mut keys);
        }
        self.entries.push(PathEntry {
            stones: node.stones,
            prover_to_move: node.prover_to_move,
            keys,
        });
    }

    /// Removes the last position.
    pub fn pop(&mut self) {
        self.entries.pop();
    }

    /// Removes all positions.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    fn keys(&self) -> SymmetryKeys {
        self.entries.last().map_or(NO_HISTORY, |last| last.keys)
    }

    /// Returns the key of a position in combination with its path.
    pub fn node_key(&self, board: &SolverBoard, node: &Node) -> u64 {
        board.key(node, &self.keys()).0 ^ PATH_SALT
    }

    /// Returns true if the board of `node` occurred earlier on the path.
    pub fn has_board(&self, node: &Node) -> bool {
        self.entries
            .iter()
            .any(|earlier| earlier.stones == node.stones)
    }

    /// Returns true if the board of `node` occurred earlier on the path with the same side to move.
    pub fn has_situation(&self, node: &Node) -> bool {
        let same = |earlier: &PathEntry| {
            earlier.prover_to_move == node.prover_to_move && earlier.stones == node.stones
        };
        self.entries.iter().any(same)
    }

    /// Returns true if a result for `node` does not depend on the path. `captured` contains the points where stones
    /// were captured during the search for the result.
    pub fn is_irrelevant_to(&self, node: &Node, captured: Set) -> bool {
        self.entries.iter().all(|earlier| {
            // If `to_remove` is empty, the earlier board can be recreated by placing the missing stones, as in the
            // repetition "sending two, returning one".
            let to_remove = (node.stones.own & !earlier.stones.own)
                | (node.stones.opponent & !earlier.stones.opponent);
            // An equal board on the path can only be the board before a pass, and keys distinguish positions after a
            // pass.
            earlier.stones == node.stones || !to_remove.is_subset(captured)
        })
    }
}
