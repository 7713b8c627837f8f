//! Positions of the solver.

use crate::random::splitmix64;
use crate::tactics::bitboard::Stones;

/// Set of points on the board.
pub type Set = u64;

/// Number of symmetries of a square board.
pub const NUM_SYMMETRIES: usize = 8;
/// Arbitrary seed of the hash keys.
pub const HASH_SEED: u64 = 0x050_17e4;
const PROVER_TO_MOVE_KEY: u64 = splitmix64(HASH_SEED + 1);

/// Hash keys of a position or a history, one per symmetry.
pub type SymmetryKeys = [u64; NUM_SYMMETRIES];

/// Keys of an empty history.
pub const NO_HISTORY: SymmetryKeys = [0; NUM_SYMMETRIES];

/// A position. In `stones`, `own` holds the prover's stones.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub stones: Stones<Set>,
    /// Point where the ko rule forbids the next move. Empty if there is none.
    pub ko: Set,
    pub prover_to_move: bool,
    pub last_was_pass: bool,
    /// Hash of the stones under each symmetry.
    pub keys: SymmetryKeys,
}

impl Node {
    /// Returns the hash of the stones under the identity symmetry.
    pub const fn stones_key(&self) -> u64 {
        self.keys[0]
    }

    /// Returns the hash of the side to move.
    pub const fn side_to_move_key(&self) -> u64 {
        if self.prover_to_move {
            PROVER_TO_MOVE_KEY
        } else {
            0
        }
    }

    /// XORs the hash of the stones and the side to move into the keys of a history.
    pub fn xor_into_path_keys(&self, history: &mut SymmetryKeys) {
        for (history_key, key) in history.iter_mut().zip(self.keys) {
            *history_key ^= splitmix64(key ^ self.side_to_move_key());
        }
    }
}
