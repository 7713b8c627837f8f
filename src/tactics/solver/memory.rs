//! The table as the search uses it: what it knows of a position that is true after the present line.

use super::entry::Known;
use super::features::Features;
use super::node::{Ground, NO_PAST, Node};
use super::past::Past;
use crate::tactics::patch::word::Word;
use crate::tactics::table::Table;

/// What a search has found out about a position.
#[derive(Clone, Copy, Debug)]
pub struct Found<W> {
    /// The prover's score, or a bound of it, as the window says.
    pub value: i32,
    /// Where stones were taken in finding it.
    pub taken: W,
}

impl<W: Word> Found<W> {
    /// Something certain.
    #[must_use]
    pub fn certain(value: i32) -> Self {
        Self {
            value,
            taken: W::EMPTY,
        }
    }
}

/// The window and the depth that a position was searched with.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Moves left.
    pub depth: u32,
    /// What the prover is known to get elsewhere.
    pub alpha: i32,
    /// What the other side is known to hold it to elsewhere.
    pub beta: i32,
}

/// A table, and how to use it.
#[derive(Debug)]
pub struct Memory {
    /// The table.
    pub table: Table<Known>,
    /// Whether and how it is used.
    pub features: Features,
}

impl Memory {
    /// What decides the question, if it is known; else the move that was best before, if any.
    pub fn recall<W: Word>(
        &self,
        ground: &Ground<W>,
        past: &Past<W>,
        node: &Node<W>,
        asked: Asked,
    ) -> Result<Found<W>, Option<u8>> {
        if !self.features.table {
            return Err(None);
        }
        let (key, symmetry) = ground.key(node, &NO_PAST, self.features.symmetry);
        let Some(known) = self.table.get(key) else {
            return Err(None);
        };
        let taken = ground.unpacked(symmetry, known.taken);
        if let Some(value) = self.decides(known, asked)
            && past.cannot_matter(node, taken)
        {
            return Ok(Found { value, taken });
        }
        let with_past = known
            .by_past
            .then(|| past.key(ground, node, self.features.symmetry));
        let with_past = with_past.and_then(|key| self.table.get(key));
        match with_past.and_then(|known| self.decides(known, asked)) {
            Some(value) => Ok(Found {
                value,
                taken: ground.patch().area(),
            }),
            None => Err(Some(ground.unseen(symmetry, known.best))),
        }
    }

    /// Whether what is known answers the question, if it holds after the present line.
    fn decides(&self, known: Known, asked: Asked) -> Option<i32> {
        let (least, most) = (i32::from(known.least), i32::from(known.most));
        let value = if least >= asked.beta {
            least
        } else if most <= asked.alpha && u32::from(known.depth) >= asked.depth {
            most
        } else {
            return None;
        };
        self.features.cutoffs.then_some(value)
    }

    /// Keeps what has been found out: for every past if it can be, and else for this one.
    pub fn keep<W: Word>(
        &self,
        ground: &Ground<W>,
        past: &Past<W>,
        node: &Node<W>,
        asked: Asked,
        found: &Found<W>,
        best: u8,
    ) {
        if !self.features.table {
            return;
        }
        let area = ground.patch().area().count() as i32;
        let (key, symmetry) = ground.key(node, &NO_PAST, self.features.symmetry);
        let best = ground.seen(symmetry, best);
        let shown = if node.own_to_move {
            found.value > asked.alpha
        } else {
            found.value < asked.beta
        };
        // Where no move gave the side to move more than it has elsewhere, only bounds were compared, and the move stays
        // that has shown something before.
        let best_after = |before: Known| {
            if shown || before.best == Known::NO_MOVE {
                best
            } else {
                before.best
            }
        };
        let before = self.table.get(key).unwrap_or(Known::nothing(area));
        let packed = ground.packed(symmetry, found.taken);
        let general = packed.filter(|_| past.cannot_matter(node, found.taken));
        if let Some(taken) = general {
            let entry = merged(before, found, asked, best_after(before), taken);
            self.table.put(key, entry);
            return;
        }
        let marked = Known {
            best: best_after(before),
            by_past: true,
            ..before
        };
        self.table.put(key, marked);
        let with_past = past.key(ground, node, self.features.symmetry);
        let before = self.table.get(with_past).unwrap_or(Known::nothing(area));
        let entry = merged(before, found, asked, best_after(before), 0);
        self.table.put(with_past, entry);
    }
}

fn merged<W>(before: Known, found: &Found<W>, asked: Asked, best: u8, taken: u32) -> Known {
    let mut known = Known {
        best,
        by_past: false,
        taken: before.taken | taken,
        ..before
    };
    if found.value > asked.alpha {
        known.least = found.value as i8;
    }
    if found.value < asked.beta {
        known.most = found.value as i8;
        known.depth = asked.depth.min(u8::MAX.into()) as u8;
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tactics::patch::{Patch, Stones};

    fn ground(width: u32, height: u32) -> Ground<u64> {
        Ground::new(Patch::new(width, height).unwrap())
    }

    fn memory() -> Memory {
        Memory {
            table: Table::new(1).unwrap(),
            features: Features::default(),
        }
    }

    /// A window from `-most` to `most`.
    fn asked(depth: u32, most: i32) -> Asked {
        Asked {
            depth,
            alpha: -most,
            beta: most,
        }
    }

    /// The best move of a position after searches with a window from -1 to 1 that came to these values and moves.
    fn best_after(own_to_move: bool, searches: [(i32, u8); 2]) -> Option<u8> {
        let (ground, memory, past) = (ground(2, 2), memory(), Past::default());
        let node = ground.node(Stones::default(), own_to_move);
        for (value, best) in searches {
            memory.keep(
                &ground,
                &past,
                &node,
                asked(1, 1),
                &Found::certain(value),
                best,
            );
        }
        memory
            .recall(&ground, &past, &node, asked(2, 4))
            .unwrap_err()
    }

    #[test]
    fn a_search_that_shows_nothing_leaves_the_best_move() {
        for (own_to_move, shown, not_shown) in [(true, 0, -1), (true, 1, -2), (false, 0, 1)] {
            let best = |searches| best_after(own_to_move, searches);
            assert_eq!(best([(shown, 0), (not_shown, 1)]), Some(0));
            assert_eq!(best([(not_shown, 1), (shown, 0)]), Some(0));
            assert_eq!(best([(shown, 1), (shown, 0)]), Some(0));
        }
    }

    #[test]
    fn what_holds_after_nothing_does_not_hold_after_anything() {
        // More points than an entry can say that stones were taken on.
        let (ground, memory) = (ground(2, 13), memory());
        let node = ground.node(Stones::default(), true);
        let found = Found {
            value: 1,
            taken: ground.patch().area(),
        };
        let mut past = Past::default();
        memory.keep(&ground, &past, &node, asked(1, 1), &found, 0);
        assert!(memory.recall(&ground, &past, &node, asked(1, 1)).is_ok());
        let stone = Stones {
            own: u64::point(0),
            other: u64::EMPTY,
        };
        past.push(&ground.node(stone, false));
        assert!(memory.recall(&ground, &past, &node, asked(1, 1)).is_err());
    }
}
