//! The moves that threads are searching, so that other threads can search other moves first.
//!
//! This divides the work of threads that search the same nodes with a shared transposition table: once a thread reaches
//! a deferred move, the table often contains its value. The method is a simplification of ABDADA (Weill, "The ABDADA
//! distributed minimax-search algorithm", 1996) by Tom Kerrigan.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::game::point::{Move, POINT_TABLE_LEN};
use crate::random::splitmix64;

/// Number of slots, far more than there are moves in progress.
const NUM_SLOTS: usize = 1 << 12;

/// The moves in progress. A move is forgotten if another one takes its slot, which only costs time.
pub struct MovesInProgress {
    /// Identifiers of the moves, or 0.
    slots: Box<[AtomicU64]>,
}

/// A move in a node.
#[derive(Clone, Copy, Debug)]
pub struct MoveId(u64);

impl MoveId {
    /// Identifies `mv` in the position with the given table key.
    pub fn new(key: u64, mv: Move) -> Self {
        let number = mv.point().map_or(POINT_TABLE_LEN, |point| point.number());
        Self(splitmix64(key ^ splitmix64(number as u64)).max(1))
    }
}

impl Default for MovesInProgress {
    fn default() -> Self {
        Self {
            slots: (0..NUM_SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl MovesInProgress {
    /// Returns true if a thread is searching the move.
    pub fn contains(&self, id: MoveId) -> bool {
        self.slot(id).load(Relaxed) == id.0
    }

    /// Adds a move.
    pub fn insert(&self, id: MoveId) {
        self.slot(id).store(id.0, Relaxed);
    }

    /// Removes a move.
    pub fn remove(&self, id: MoveId) {
        // Another move may be stored in the slot by now.
        let _ = self.slot(id).compare_exchange(id.0, 0, Relaxed, Relaxed);
    }

    fn slot(&self, id: MoveId) -> &AtomicU64 {
        &self.slots[id.0 as usize % NUM_SLOTS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_affects_only_own_move() {
        let moves = MovesInProgress::default();
        let pass = MoveId::new(1, Move::Pass);
        // The slots of these moves coincide.
        let other = MoveId(pass.0 ^ 1 << 63);
        moves.insert(pass);
        assert!(moves.contains(pass) && !moves.contains(other));
        moves.insert(other);
        moves.remove(pass);
        assert!(moves.contains(other) && !moves.contains(pass));
        moves.remove(other);
        assert!(!moves.contains(other));
        assert!(!moves.contains(MoveId::new(2, Move::Pass)));
    }
}
