//! What the search has found out about positions, with the zones it rests on.
//!
//! A finding is true of a position whatever came before it (see the parent module), so the memory is never emptied. It
//! is not the shared [`Table`](crate::tactics::table::Table) because a zone alone takes 48 bytes.

use crate::game::point::Point;
use crate::game::pointset::PointSet;

/// Slots that a key may lie in.
const BUCKET: usize = 4;
/// Buckets, a power of two: 4.5 MiB in all.
const BUCKETS: usize = 1 << 14;

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finding {
    /// Where the result cannot be changed from outside; see [`zone`](super::zone).
    pub(super) zone: PointSet,
    /// The best move known of the side to move; none is a pass, or no move better than another.
    pub(super) best: Option<Point>,
    /// If the goal is reached, the maker needs at most so many moves; if not, so many are too few.
    pub(super) moves: u16,
    /// Whether the goal is reached.
    pub(super) reached: bool,
    /// Whether that rests on the ko rule, or on being free of it.
    pub(super) by_ko: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    finding: Finding,
    age: u8,
}

/// Findings by key.
#[derive(Debug)]
pub(super) struct Memory {
    slots: Vec<[Slot; BUCKET]>,
    age: u8,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            slots: vec![[Slot::default(); BUCKET]; BUCKETS],
            age: 1,
        }
    }

    /// A new question: what the earlier ones have left makes room first.
    pub(super) fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1).max(1);
    }

    /// What is known of the key.
    pub(super) fn get(&self, key: u64) -> Option<&Finding> {
        self.slots[Self::bucket(key)]
            .iter()
            .find(|slot| slot.key == key && slot.age != 0)
            .map(|slot| &slot.finding)
    }

    /// What is known of the key that answers for so many moves of the maker.
    pub(super) fn get_for(&self, key: u64, moves: usize) -> Option<Finding> {
        self.get(key)
            .filter(|finding| finding.reached || usize::from(finding.moves) >= moves)
            .copied()
    }

    /// Keeps the finding in place of an earlier one of the same key, or of an old or shallow one.
    pub(super) fn put(&mut self, key: u64, finding: Finding) {
        let age = self.age;
        let worth = |slot: &Slot| match slot {
            slot if slot.key == key => 0,
            Slot { age: 0, .. } => 1,
            slot => 2 + u32::from(slot.finding.moves) + (u32::from(slot.age == age) << 8),
        };
        let slot = self.slots[Self::bucket(key)]
            .iter_mut()
            .min_by_key(|slot| worth(slot))
            .expect("a bucket has slots");
        *slot = Slot { key, finding, age };
    }

    fn bucket(key: u64) -> usize {
        key as usize & (BUCKETS - 1)
    }
}
