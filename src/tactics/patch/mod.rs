//! A small board, or a piece of a large one, in single machine words: for searches of millions of positions.
//!
//! Where [`game::board`](crate::game::board) keeps chains and their liberties, this finds them by flooding when asked:
//! on few points that is quicker, and a position is two words. How points lie in a word is the word's affair.

pub mod secure;
pub mod word;

use word::Word;

/// The shape of the board, and what lies beyond if it is a piece of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch<W> {
    width: u32,
    height: u32,
    stride: u32,
    /// Whether its columns are the word's rows.
    lies: bool,
    area: W,
    beyond: Beyond<W>,
}

/// How a piece of a larger board hangs together with the rest of it; nothing of a board of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond<W> {
    /// The points beside what lies beyond: ground that reaches them leads out.
    pub edge: W,
    /// Where the stones of each side have a liberty beyond.
    pub breath: Stones<W>,
}

/// The stones on it, of the two sides that the searcher tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones<W> {
    /// Those of the side that something is to be proved for.
    pub own: W,
    /// Those of the other side.
    pub other: W,
}

impl<W: Word> Stones<W> {
    /// With the sides exchanged.
    #[must_use]
    #[inline]
    pub fn swapped(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
        }
    }
}

/// What a legal stone does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<W> {
    /// The stones afterwards.
    pub stones: Stones<W>,
    /// The stones taken off.
    pub captured: W,
    /// The point where taking straight back is a basic ko, if there is one.
    pub ko: W,
}

impl<W: Word> Placed<W> {
    /// What a stone of the own side does, or else of the other one, that has a liberty of its own and takes nothing: no
    /// chain has to be followed to know it.
    #[must_use]
    #[inline]
    pub fn quiet(stones: &Stones<W>, own: bool, point: W) -> Self {
        let added = |to: W, here: bool| if here { to | point } else { to };
        Self {
            stones: Stones {
                own: added(stones.own, own),
                other: added(stones.other, !own),
            },
            captured: W::EMPTY,
            ko: W::EMPTY,
        }
    }
}

impl<W: Word> Patch<W> {
    /// The board of that many columns and rows, if it fits the word, upright or lying on its side.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Option<Self> {
        Self::of_rows(width, height).or_else(|| {
            let lying = Self::of_rows(height, width)?;
            Some(Self {
                width,
                height,
                lies: true,
                ..lying
            })
        })
    }

    /// With the word's rows as its own.
    fn of_rows(width: u32, height: u32) -> Option<Self> {
        let stride = width.checked_add(1)?;
        // Of rows that lie one after the other the last but one may reach further than the last.
        let rows = height.saturating_sub(2)..height;
        for row in rows {
            W::number(stride, width.checked_sub(1)?, row)?;
        }
        let mut patch = Self {
            width,
            height,
            stride,
            lies: false,
            area: W::EMPTY,
            beyond: Beyond::default(),
        };
        for row in 0..height {
            for column in 0..width {
                patch.area |= W::point(patch.number(column, row));
            }
        }
        (height > 0).then_some(patch)
    }

    /// The same board as a piece of a larger one.
    #[must_use]
    pub const fn within(self, beyond: Beyond<W>) -> Self {
        Self { beyond, ..self }
    }

    /// Its columns.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Its rows.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// All its points.
    #[must_use]
    pub const fn area(&self) -> W {
        self.area
    }

    /// Its points beside what lies beyond.
    #[must_use]
    pub const fn edge(&self) -> W {
        self.beyond.edge
    }

    /// The number of the point in that column and row, counted from 0.
    ///
    /// # Panics
    /// Where the board has no such point.
    #[must_use]
    pub fn number(&self, column: u32, row: u32) -> u32 {
        let (column, row) = if self.lies {
            (row, column)
        } else {
            (column, row)
        };
        W::number(self.stride, column, row).expect("the board fits the word")
    }

    /// The column and the row of the point with that number.
    #[must_use]
    pub fn place_of(&self, number: u32) -> (u32, u32) {
        let (column, row) = W::place_of(self.stride, number);
        if self.lies {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// The points beside the set, and those of the set that are beside one another.
    #[must_use]
    #[inline]
    pub fn beside(&self, set: W) -> W {
        (set.sideways() | set.upright(self.stride)) & self.area
    }

    /// The points across a corner from the point.
    #[must_use]
    #[inline]
    pub fn corners(&self, point: W) -> W {
        (point.sideways() & self.area).upright(self.stride) & self.area
    }

    /// What can be reached from the set by steps within `through`, which the start need not be part of.
    #[must_use]
    #[inline]
    pub fn flood(&self, from: W, through: W) -> W {
        let mut reached = from;
        loop {
            let grown = reached | self.beside(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    /// What can be reached from the set by so many steps within `through`.
    #[must_use]
    pub fn spread(&self, from: W, through: W, steps: u32) -> W {
        (0..steps).fold(from, |reached, _| reached | self.beside(reached) & through)
    }

    /// The connected parts of the set.
    #[inline]
    pub fn parts(&self, mut set: W) -> impl Iterator<Item = W> {
        std::iter::from_fn(move || {
            if set.is_empty() {
                return None;
            }
            let part = self.flood(W::point(set.lowest()), set);
            set &= !part;
            Some(part)
        })
    }

    /// The points without a stone.
    #[must_use]
    #[inline]
    pub fn empty(&self, stones: &Stones<W>) -> W {
        self.area & !(stones.own | stones.other)
    }

    /// What a stone of the own side on the empty `point` does, or nothing if it would be suicide.
    #[must_use]
    #[inline]
    pub fn place(&self, stones: &Stones<W>, point: W) -> Option<Placed<W>> {
        self.placed(stones, point, &self.beyond.breath)
    }

    /// The same with the liberties beyond told, so that the sides may be exchanged.
    #[inline]
    fn placed(&self, stones: &Stones<W>, point: W, breath: &Stones<W>) -> Option<Placed<W>> {
        let own = stones.own | point;
        let empty = self.empty(stones) & !point;
        let beside = self.beside(point);
        let mut captured = W::EMPTY;
        let mut attacked = beside & stones.other;
        while !attacked.is_empty() {
            let chain = self.flood(W::point(attacked.lowest()), stones.other);
            attacked &= !chain;
            if !self.beside(chain).meets(empty) && !chain.meets(breath.other) {
                captured |= chain;
            }
        }
        let free = beside.meets(empty) || point.meets(breath.own);
        if captured.is_empty() && !free {
            let chain = self.flood(point, own);
            if !self.beside(chain).meets(empty) && !chain.meets(breath.own) {
                return None;
            }
        }
        let lone = !free && !beside.meets(stones.own);
        Some(Placed {
            stones: Stones {
                own,
                other: stones.other & !captured,
            },
            captured,
            ko: if lone && captured.count() == 1 {
                captured
            } else {
                W::EMPTY
            },
        })
    }

    /// The same for a stone of the own side, or else of the other one; the sides are told apart as before.
    #[must_use]
    #[inline]
    pub fn play(&self, stones: &Stones<W>, own: bool, point: W) -> Option<Placed<W>> {
        if own {
            return self.place(stones, point);
        }
        let breath = self.beyond.breath.swapped();
        let placed = self.placed(&stones.swapped(), point, &breath)?;
        Some(Placed {
            stones: placed.stones.swapped(),
            ..placed
        })
    }

    /// The points where the own side, or else the other one, takes stones: the last liberties of its opponent's chains.
    #[must_use]
    #[inline]
    pub fn takes(&self, stones: &Stones<W>, own: bool) -> W {
        let empty = self.empty(stones);
        let breath = &self.beyond.breath;
        let (opponents, breath) = if own {
            (stones.other, breath.other)
        } else {
            (stones.own, breath.own)
        };
        self.parts(opponents)
            .filter(|chain| !chain.meets(breath))
            .map(|chain| self.beside(chain) & empty)
            .filter(|liberties| liberties.count() == 1)
            .fold(W::EMPTY, |all, last| all | last)
    }

    /// The own side's lead if every stone counts: stones, and empty points that only one side's stones border
    /// (Tromp and Taylor's area scoring, without komi).
    #[must_use]
    pub fn lead(&self, stones: &Stones<W>) -> i32 {
        let empty = self.empty(stones);
        let own = self.flood(stones.own, empty);
        let other = self.flood(stones.other, empty);
        (own & !other).count() as i32 - (other & !own).count() as i32
    }
}

#[cfg(test)]
mod tests;
