//! Benson's pass-alive chains, and the areas adjacent to them in which the opponent cannot live.
//!
//! Benson's theorem (see [`game::benson`](crate::game::benson)) identifies chains that cannot be captured. A region
//! adjacent to them also belongs to their owner if the opponent cannot make two eyes in it. An eye of the opponent
//! cannot touch a pass-alive stone, so two eyes require two *inner points* (points that touch no such stone) that are
//! not adjacent to each other. If there are no two such points, the owner can first fill the empty points next to the
//! pass-alive chains, which is legal and never dangerous, and then capture the remaining stones. The owner therefore
//! gets every point of the region by responding to every attack. The resulting area is usually larger than Benson's.
//! This test follows van der Werf, "AI techniques for the game of Go" (2004), chapter 5.

use super::{BoardGeometry, Stones};
use crate::tactics::bitboard::word::Word;

/// Maximum number of chains or regions per side. If there are more, no chain is considered alive.
const MAX_SETS: usize = 48;

/// List of up to [`MAX_SETS`] sets, without heap allocation.
struct SetList<W> {
    items: [W; MAX_SETS],
    len: usize,
}

impl<W: Word> SetList<W> {
    /// Collects the components. Returns `None` if there are more than [`MAX_SETS`].
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
    /// Returns the stones of the own side that cannot be captured even if their owner always passes (Benson 1976,
    /// without suicide). A chain that contains a stone in `immortal` is assumed to be uncapturable. A region that is
    /// open to the outside does not count as an eye.
    pub fn pass_alive_stones(&self, stones: &Stones<W>, immortal: W) -> W {
        let non_own = self.all_points() & !stones.own;
        if stones.own.is_empty() || non_own.is_empty() {
            return W::EMPTY;
        }
        // In most positions, the points without own stones form a single region, so no chain has two eyes.
        if self.flood(W::single(non_own.lowest_index()), non_own) == non_own {
            return self.flood(immortal, stones.own);
        }
        let empty = self.empty_points(stones);
        let (Some(mut chains), Some(mut regions)) = (
            SetList::try_collect(self.components(stones.own)),
            SetList::try_collect(self.components(non_own)),
        ) else {
            return W::EMPTY;
        };
        regions.retain(|region| !region.intersects(self.outside_boundary()));
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

    /// Returns the points that the own side gets if it responds to every attack: its pass-alive stones, and the
    /// adjacent regions in which the opponent cannot live. Chains that contain a stone in `immortal` count as
    /// pass-alive.
    pub fn secure_area(&self, stones: &Stones<W>, immortal: W) -> W {
        let alive = self.pass_alive_stones(stones, immortal);
        self.stones_and_matching_regions(alive, |_, inner| self.fits_at_most_one_eye(inner))
    }

    /// Returns `stones` together with the regions between them for which `is_included` returns true. `is_included`
    /// receives all points of a region and its inner points, which touch none of the stones. Returns the empty set if
    /// `stones` is empty.
    pub fn stones_and_matching_regions(&self, stones: W, is_included: impl Fn(W, W) -> bool) -> W {
        if stones.is_empty() {
            return stones;
        }
        let adjacent = self.neighbours(stones);
        self.components(self.all_points() & !stones)
            .filter(|&region| is_included(region, region & !adjacent))
            .fold(stones, |sum, region| sum | region)
    }

    /// Returns true if two eyes are impossible in a region with these inner points.
    pub fn fits_at_most_one_eye(&self, inner: W) -> bool {
        match inner.count() {
            0 | 1 => true,
            2 => self.neighbours(inner).intersects(inner),
            _ => false,
        }
    }
}
