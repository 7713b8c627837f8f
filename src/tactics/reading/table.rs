//! Transposition table of the reading search. Each result is stored with its zone.
//!
//! Results do not depend on the move history (see the parent module), so the table never has to be cleared. The shared
//! [`TranspositionTable`](crate::tactics::transposition_table::TranspositionTable) is not used, because its entries are
//! too small for a zone of 48 bytes.

use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Maximum length of a line, in moves of both sides. Beyond this depth, the maker plays no forcing moves.
pub(super) const MAX_SEARCH_DEPTH: usize = 400;
/// Number of slots per bucket.
const BUCKET_SIZE: usize = 4;
/// Number of buckets, a power of two. The table takes 4.5 MiB.
const NUM_BUCKETS: usize = 1 << 14;

/// Search result for a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeResult {
    /// Points on which the result depends; see [`zone`](super::zone).
    pub(super) zone: PointSet,
    /// Best known move of the side to move. `None` means a pass, or that no move is better than another.
    pub(super) best_move: Option<Point>,
    /// Upper bound on the number of maker moves to the goal if `reached` is true. Otherwise a number of maker moves
    /// that is not enough.
    pub(super) moves: u16,
    /// True if the maker reaches the goal.
    pub(super) reached: bool,
    /// True if the result depends on the ko rule or on ko immunity.
    pub(super) depends_on_ko: bool,
}

impl NodeResult {
    /// Creates a result stating that `moves` maker moves are not enough. `zone` is the zone of the proof.
    pub(super) fn too_few_moves(zone: PointSet, moves: usize) -> Self {
        Self {
            zone,
            moves: moves as u16,
            ..Self::default()
        }
    }

    /// Creates a result stating that no number of maker moves is enough. `zone` is the zone of the proof.
    pub(super) fn unreachable(zone: PointSet) -> Self {
        Self::too_few_moves(zone, MAX_SEARCH_DEPTH)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    result: NodeResult,
    generation: u8,
}

/// Table of results, indexed by key.
#[derive(Debug)]
pub(super) struct ReadingTable {
    slots: Vec<[Slot; BUCKET_SIZE]>,
    generation: u8,
}

impl Default for ReadingTable {
    fn default() -> Self {
        Self {
            slots: vec![[Slot::default(); BUCKET_SIZE]; NUM_BUCKETS],
            generation: 1,
        }
    }
}

impl ReadingTable {
    /// Starts a new query. Results of earlier queries are then replaced first.
    pub(super) fn new_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1).max(1);
    }

    /// Returns the result stored for `key`, if any.
    pub(super) fn get(&self, key: u64) -> Option<&NodeResult> {
        self.slots[Self::bucket_index(key)]
            .iter()
            .find(|slot| slot.key == key && slot.generation != 0)
            .map(|slot| &slot.result)
    }

    /// Returns the result stored for `key` if it decides whether `moves` maker moves are enough.
    pub(super) fn get_for_moves(&self, key: u64, moves: usize) -> Option<NodeResult> {
        self.get(key)
            .filter(|result| result.reached || usize::from(result.moves) >= moves)
            .copied()
    }

    /// Stores a result. Replaces the result with the same key if there is one, and otherwise uses an empty slot of the
    /// bucket. If the bucket is full, preferably replaces a result of an earlier query, and one for few maker moves.
    pub(super) fn store(&mut self, key: u64, result: NodeResult) {
        let generation = self.generation;
        let keep_priority = |slot: &Slot| match slot {
            slot if slot.key == key => 0,
            Slot { generation: 0, .. } => 1,
            slot => {
                2 + u32::from(slot.result.moves) + (u32::from(slot.generation == generation) << 8)
            }
        };
        let slot = self.slots[Self::bucket_index(key)]
            .iter_mut()
            .min_by_key(|slot| keep_priority(slot))
            .expect("a bucket has slots");
        *slot = Slot {
            key,
            result,
            generation,
        };
    }

    fn bucket_index(key: u64) -> usize {
        key as usize & (NUM_BUCKETS - 1)
    }
}
