//! The line that led to a position, and what of it can matter.
//!
//! Two rules make what is shown true under every superko rule: the prover never makes a board that stood before, and
//! the other side loses only the moves that every superko rule forbids, those that make a board that stood before with
//! the same side to move. Both look at the whole line, so that a result may be true for one past only. It is true for
//! another past as well when neither past can come back: to make an earlier board again, all stones that were not on it
//! must be taken first. So with each result goes the set of points where stones were taken in finding it, and the
//! result is used again where for every earlier board some stone stands outside that set.

use super::node::{Ground, Keys, NO_PAST, Node};
use crate::rng::splitmix64;
use crate::tactics::patch::Stones;
use crate::tactics::patch::word::Word;

/// In all keys of positions with their past, so that what holds after nothing is told from what holds after anything.
const WITH_PAST: u64 = splitmix64(0x0009_a575);

/// The positions before the present one.
#[derive(Debug, Default)]
pub struct Past<W> {
    line: Vec<Earlier<W>>,
}

#[derive(Debug)]
struct Earlier<W> {
    stones: Stones<W>,
    own_to_move: bool,
    /// The exclusive-or of the keys of all positions up to this one, by symmetry.
    keys: Keys,
}

impl<W: Word> Past<W> {
    /// The position becomes the last of the past.
    pub fn push(&mut self, node: &Node<W>) {
        let mut keys = self.keys();
        if !node.passed {
            node.add_to(&mut keys);
        }
        self.line.push(Earlier {
            stones: node.stones,
            own_to_move: node.own_to_move,
            keys,
        });
    }

    /// The last of the past goes.
    pub fn pop(&mut self) {
        self.line.pop();
    }

    /// All of it goes.
    pub fn clear(&mut self) {
        self.line.clear();
    }

    fn keys(&self) -> Keys {
        self.line.last().map_or(NO_PAST, |last| last.keys)
    }

    /// The key of the position together with its past.
    #[must_use]
    pub fn key(&self, ground: &Ground<W>, node: &Node<W>, symmetry: bool) -> u64 {
        ground.key(node, &self.keys(), symmetry).0 ^ WITH_PAST
    }

    /// Whether the board has stood before.
    #[must_use]
    pub fn has_board(&self, node: &Node<W>) -> bool {
        self.line
            .iter()
            .any(|earlier| earlier.stones == node.stones)
    }

    /// Whether it has with the same side to move.
    #[must_use]
    pub fn has_situation(&self, node: &Node<W>) -> bool {
        let same = |earlier: &Earlier<W>| {
            earlier.own_to_move == node.own_to_move && earlier.stones == node.stones
        };
        self.line.iter().any(same)
    }

    /// Whether a result about the position does not depend on this past, if stones were taken on those points alone.
    #[must_use]
    pub fn cannot_matter(&self, node: &Node<W>, taken: W) -> bool {
        self.line.iter().all(|earlier| {
            // Where nothing is gone the earlier board comes back by stones that are added: two sent, one returned.
            let gone = (node.stones.own & !earlier.stones.own)
                | (node.stones.other & !earlier.stones.other);
            // The very same board is before a pass, which is part of the position.
            earlier.stones == node.stones || !gone.within(taken)
        })
    }
}
