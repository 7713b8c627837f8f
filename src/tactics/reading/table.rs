//! What the search has found out about positions, with the zones it rests on.
//!
//! A finding is true of a position whatever came before it (see the parent module), so the memory is never emptied. It
//! is not the shared [`Table`](crate::tactics::table::Table) because a zone alone takes 48 bytes.

use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Longest line, in moves of both sides; a chase ends there without result.
pub(super) const MAX_DEPTH: usize = 400;
/// Slots that a key may lie in.
const BUCKET_SIZE: usize = 4;
/// Buckets, a power of two: 4.5 MiB in all.
const NUM_BUCKETS: usize = 1 << 14;

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeResult {
    /// Where the result cannot be changed from outside; see [`zone`](super::zone).
    pub(super) zone: PointSet,
    /// The best move known of the side to move; none is a pass, or no move better than another.
    pub(super) best_move: Option<Point>,
    /// If the goal is reached, the maker needs at most so many moves; if not, so many are too few.
    pub(super) moves: u16,
    /// Whether the goal is reached.
    pub(super) reached: bool,
    /// Whether that rests on the ko rule, or on being free of it.
    pub(super) depends_on_ko: bool,
}

impl NodeResult {
    /// So many moves of the maker are too few, as the zone shows.
    pub(super) fn too_few_moves(zone: PointSet, moves: usize) -> Self {
        Self {
            zone,
            moves: moves as u16,
            ..Self::default()
        }
    }

    /// No number of moves would do.
    pub(super) fn unreachable(zone: PointSet) -> Self {
        Self::too_few_moves(zone, MAX_DEPTH)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    result: NodeResult,
    generation: u8,
}

/// Findings by key.
#[derive(Debug)]
pub(super) struct ReadingTable {
    slots: Vec<[Slot; BUCKET_SIZE]>,
    generation: u8,
}

impl ReadingTable {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![[Slot::default(); BUCKET_SIZE]; NUM_BUCKETS],
            generation: 1,
        }
    }

    /// A new question: what the earlier ones have left makes room first.
    pub(super) fn new_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1).max(1);
    }

    /// What is known of the key.
    pub(super) fn get(&self, key: u64) -> Option<&NodeResult> {
        self.slots[Self::bucket_index(key)]
            .iter()
            .find(|slot| slot.key == key && slot.generation != 0)
            .map(|slot| &slot.result)
    }

    /// What is known of the key that answers for so many moves of the maker.
    pub(super) fn get_for_moves(&self, key: u64, moves: usize) -> Option<NodeResult> {
        self.get(key)
            .filter(|result| result.reached || usize::from(result.moves) >= moves)
            .copied()
    }

    /// Keeps the finding in place of an earlier one of the same key, or of an old or shallow one.
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
