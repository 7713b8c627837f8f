//! What one side owns whatever happens: Benson's pass-alive chains, and the ground beside them where nobody can live.
//!
//! Benson's theorem (see [`game::alive`](crate::game::alive)) says which chains cannot be taken. Of the rest of the
//! board, a region beside them is theirs too when the opponent cannot make two eyes in it. An eye of his cannot touch
//! an uncapturable stone, so he needs two points, not beside each other, that no such stone touches. Where these are
//! missing the owner fills, one by one, the empty points beside his chains (always legal, never in danger), then takes
//! what is left. So every point counted here is the owner's at the end if he always answers; a larger area than
//! Benson's own, in the spirit of van der Werf, "AI techniques for the game of Go" (2004), chapter 5.

use super::{BoardGeometry, Stones};
use crate::tactics::bitboard::word::Word;

/// More chains or regions of one side than this, and nothing is claimed.
const MAX_SETS: usize = 48;

/// A few sets of points.
struct SetList<W> {
    items: [W; MAX_SETS],
    len: usize,
}

impl<W: Word> SetList<W> {
    /// All of them, unless there are too many.
    fn try_collect(components: impl Iterator<Item = W>) -> Option<Self> {
        let mut sets = Self {
            items: [W::EMPTY; MAX_SETS],
            len: 0,
        };
        for component in components {
            *sets.items.get_mut(sets.len)? = component;
            sets.len += 1;
        }
        Some(sets)
    }

    fn as_slice(&self) -> &[W] {
        &self.items[..self.len]
    }

    fn retain(&mut self, keep: impl Fn(W) -> bool) {
        let mut len = 0;
        for index in 0..self.len {
            if keep(self.items[index]) {
                self.items[len] = self.items[index];
                len += 1;
            }
        }
        self.len = len;
    }
}

impl<W: Word> BoardGeometry<W> {
    /// The own side's stones that cannot be taken even if it passes for ever (Benson 1976; suicide is not allowed). A
    /// chain with a stone in `immortal` has liberties for ever; a region that leads out of the patch is no eye.
    #[must_use]
    pub fn pass_alive(&self, stones: &Stones<W>, immortal: W) -> W {
        let non_own = self.area() & !stones.own;
        if stones.own.is_empty() || non_own.is_empty() {
            return W::EMPTY;
        }
        // Most positions have no two regions yet, let alone eyes.
        if self.flood(W::single(non_own.lowest_index()), non_own) == non_own {
            return self.flood(immortal, stones.own);
        }
        let empty = self.empty(stones);
        let (Some(mut chains), Some(mut regions)) = (
            SetList::try_collect(self.components(stones.own)),
            SetList::try_collect(self.components(non_own)),
        ) else {
            return W::EMPTY;
        };
        regions.retain(|region| !region.intersects(self.boundary()));
        loop {
            let previous_len = chains.len;
            let all_regions = regions.as_slice();
            chains.retain(|chain| {
                let neighbours = self.neighbours(chain);
                let is_vital = |region: &&W| {
                    region.intersects(neighbours) && (**region & empty).is_subset(neighbours)
                };
                chain.intersects(immortal)
                    || all_regions.iter().filter(is_vital).take(2).count() == 2
            });
            let alive = chains
                .as_slice()
                .iter()
                .fold(W::EMPTY, |sum, &chain| sum | chain);
            if chains.len == previous_len {
                return alive;
            }
            regions.retain(|region| (self.neighbours(region) & stones.own).is_subset(alive));
        }
    }

    /// The points that are the own side's at the end if it answers every attack: its pass-alive stones, and the
    /// regions beside them where the other side cannot live.
    #[must_use]
    pub fn secure_area(&self, stones: &Stones<W>, immortal: W) -> W {
        let alive = self.pass_alive(stones, immortal);
        self.with_matching_regions(alive, |_, inner| self.fits_at_most_one_eye(inner))
    }

    /// These stones, if there are any, with the regions between them that are chosen by all their points and by their
    /// inner ones, which none of the stones touches.
    pub fn with_matching_regions(&self, stones: W, is_included: impl Fn(W, W) -> bool) -> W {
        if stones.is_empty() {
            return stones;
        }
        let adjacent = self.neighbours(stones);
        self.components(self.area() & !stones)
            .filter(|&region| is_included(region, region & !adjacent))
            .fold(stones, |sum, region| sum | region)
    }

    /// Whether inner points of a region have no room for a second eye.
    #[must_use]
    pub fn fits_at_most_one_eye(&self, inner: W) -> bool {
        match inner.count() {
            0 | 1 => true,
            2 => self.neighbours(inner).intersects(inner),
            _ => false,
        }
    }
}
