//! What one side owns whatever happens: Benson's pass-alive chains, and the ground beside them where nobody can live.
//!
//! Benson's theorem (see [`game::alive`](crate::game::alive)) says which chains cannot be taken. Of the rest of the
//! board, a region beside them is theirs too when the opponent cannot make two eyes in it. An eye of his cannot touch
//! an uncapturable stone, so he needs two points, not beside each other, that no such stone touches. Where these are
//! missing the owner fills, one by one, the empty points beside his chains (always legal, never in danger), then takes
//! what is left. So every point counted here is the owner's at the end if he always answers; a larger area than
//! Benson's own, in the spirit of van der Werf, "AI techniques for the game of Go" (2004), chapter 5.

use super::{Patch, Stones};
use crate::tactics::patch::word::Word;

/// More chains or regions of one side than this, and nothing is claimed.
const MOST: usize = 48;

/// A few sets of points.
struct Sets<W> {
    items: [W; MOST],
    len: usize,
}

impl<W: Word> Sets<W> {
    /// All of them, unless there are too many.
    fn of(parts: impl Iterator<Item = W>) -> Option<Self> {
        let mut sets = Self {
            items: [W::EMPTY; MOST],
            len: 0,
        };
        for part in parts {
            *sets.items.get_mut(sets.len)? = part;
            sets.len += 1;
        }
        Some(sets)
    }

    fn all(&self) -> &[W] {
        &self.items[..self.len]
    }

    fn retain(&mut self, keep: impl Fn(W) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            if keep(self.items[at]) {
                self.items[kept] = self.items[at];
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl<W: Word> Patch<W> {
    /// The own side's stones that cannot be taken even if it passes for ever (Benson 1976; suicide is not allowed). A
    /// chain with a stone in `eternal` has liberties for ever; a region that leads out of the patch is no eye.
    #[must_use]
    pub fn pass_alive(&self, stones: &Stones<W>, eternal: W) -> W {
        let rest = self.area() & !stones.own;
        if stones.own.is_empty() || rest.is_empty() {
            return W::EMPTY;
        }
        // Most positions have no two regions yet, let alone eyes.
        if self.flood(W::point(rest.lowest()), rest) == rest {
            return self.flood(eternal, stones.own);
        }
        let empty = self.empty(stones);
        let (Some(mut chains), Some(mut regions)) =
            (Sets::of(self.parts(stones.own)), Sets::of(self.parts(rest)))
        else {
            return W::EMPTY;
        };
        regions.retain(|region| !region.meets(self.edge()));
        loop {
            let before = chains.len;
            let all = regions.all();
            chains.retain(|chain| {
                let beside = self.beside(chain);
                let vital = |region: &&W| region.meets(beside) && (**region & empty).within(beside);
                chain.meets(eternal) || all.iter().filter(vital).take(2).count() == 2
            });
            let alive = chains
                .all()
                .iter()
                .fold(W::EMPTY, |sum, &chain| sum | chain);
            if chains.len == before {
                return alive;
            }
            regions.retain(|region| (self.beside(region) & stones.own).within(alive));
        }
    }

    /// The points that are the own side's at the end if it answers every attack: its pass-alive stones, and the
    /// regions beside them where the other side cannot live.
    #[must_use]
    pub fn secure(&self, stones: &Stones<W>, eternal: W) -> W {
        let alive = self.pass_alive(stones, eternal);
        self.with_regions(alive, |_, inner| self.makes_one_eye(inner))
    }

    /// These stones, if there are any, with the regions between them that are chosen by all their points and by their
    /// inner ones, which none of the stones touches.
    pub fn with_regions(&self, stones: W, chosen: impl Fn(W, W) -> bool) -> W {
        if stones.is_empty() {
            return stones;
        }
        let touched = self.beside(stones);
        self.parts(self.area() & !stones)
            .filter(|&region| chosen(region, region & !touched))
            .fold(stones, |sum, region| sum | region)
    }

    /// Whether inner points of a region have no room for a second eye.
    #[must_use]
    pub fn makes_one_eye(&self, inner: W) -> bool {
        match inner.count() {
            0 | 1 => true,
            2 => self.beside(inner).meets(inner),
            _ => false,
        }
    }
}
