//! A small board, or a piece of a large one, in single machine words: for searches of millions of positions.
//!
//! Where [`game::board`](crate::game::board) keeps chains and their liberties, this finds them by flooding when asked:
//! on few points that is quicker, and a position is two words. How points lie in a word is the word's affair.

pub mod benson;
pub mod word;

use word::Word;

/// The shape of the board, and what lies beyond if it is a piece of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardGeometry<W> {
    width: u32,
    height: u32,
    stride: u32,
    /// Whether its columns are the word's rows.
    is_transposed: bool,
    area: W,
    outside: Outside<W>,
}

/// How a piece of a larger board hangs together with the rest of it; nothing of a board of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside<W> {
    /// The points beside what lies beyond: ground that reaches them leads out.
    pub boundary: W,
    /// Where the stones of each side have a liberty beyond.
    pub liberties: Stones<W>,
}

/// The stones on it, of the two sides that the searcher tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones<W> {
    /// Those of the side that something is to be proved for.
    pub own: W,
    /// Those of the other side.
    pub opponent: W,
}

impl<W: Word> Stones<W> {
    /// With the sides exchanged.
    #[must_use]
    #[inline]
    pub fn swapped(self) -> Self {
        Self {
            own: self.opponent,
            opponent: self.own,
        }
    }
}

/// What a legal stone does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveEffect<W> {
    /// The stones afterwards.
    pub stones: Stones<W>,
    /// The stones taken off.
    pub captured: W,
    /// The point where taking straight back is a basic ko, if there is one.
    pub ko: W,
}

impl<W: Word> MoveEffect<W> {
    /// What a stone of the own side does, or else of the other one, that has a liberty of its own and takes nothing: no
    /// chain has to be followed to know it.
    #[must_use]
    #[inline]
    pub fn quiet(stones: &Stones<W>, own_to_move: bool, point: W) -> Self {
        let with_stone = |set: W, is_added: bool| if is_added { set | point } else { set };
        Self {
            stones: Stones {
                own: with_stone(stones.own, own_to_move),
                opponent: with_stone(stones.opponent, !own_to_move),
            },
            captured: W::EMPTY,
            ko: W::EMPTY,
        }
    }
}

impl<W: Word> BoardGeometry<W> {
    /// The board of that many columns and rows, if it fits the word, upright or lying on its side.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Option<Self> {
        Self::from_rows(width, height).or_else(|| {
            let transposed = Self::from_rows(height, width)?;
            Some(Self {
                width,
                height,
                is_transposed: true,
                ..transposed
            })
        })
    }

    /// With the word's rows as its own.
    fn from_rows(width: u32, height: u32) -> Option<Self> {
        let stride = width.checked_add(1)?;
        // Of rows that lie one after the other the last but one may reach further than the last.
        let rows = height.saturating_sub(2)..height;
        for row in rows {
            W::index(stride, width.checked_sub(1)?, row)?;
        }
        let mut geometry = Self {
            width,
            height,
            stride,
            is_transposed: false,
            area: W::EMPTY,
            outside: Outside::default(),
        };
        for row in 0..height {
            for column in 0..width {
                geometry.area |= W::single(geometry.index(column, row));
            }
        }
        (height > 0).then_some(geometry)
    }

    /// The same board as a piece of a larger one.
    #[must_use]
    pub const fn with_outside(self, outside: Outside<W>) -> Self {
        Self { outside, ..self }
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
    pub const fn boundary(&self) -> W {
        self.outside.boundary
    }

    /// The number of the point in that column and row, counted from 0.
    ///
    /// # Panics
    /// Where the board has no such point.
    #[must_use]
    pub fn index(&self, column: u32, row: u32) -> u32 {
        let (column, row) = if self.is_transposed {
            (row, column)
        } else {
            (column, row)
        };
        W::index(self.stride, column, row).expect("the board fits the word")
    }

    /// The column and the row of the point with that number.
    #[must_use]
    pub fn coordinates(&self, index: u32) -> (u32, u32) {
        let (column, row) = W::coordinates(self.stride, index);
        if self.is_transposed {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// The points beside the set, and those of the set that are beside one another.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, set: W) -> W {
        (set.horizontal_neighbours() | set.vertical_neighbours(self.stride)) & self.area
    }

    /// The points across a corner from the point.
    #[must_use]
    #[inline]
    pub fn diagonal_neighbours(&self, point: W) -> W {
        (point.horizontal_neighbours() & self.area).vertical_neighbours(self.stride) & self.area
    }

    /// What can be reached from the set by steps within `through`, which the start need not be part of.
    #[must_use]
    #[inline]
    pub fn flood(&self, from: W, through: W) -> W {
        let mut reached = from;
        loop {
            let grown = reached | self.neighbours(reached) & through;
            if grown == reached {
                return reached;
            }
            reached = grown;
        }
    }

    /// What can be reached from the set by so many steps within `through`.
    #[must_use]
    pub fn flood_steps(&self, from: W, through: W, steps: u32) -> W {
        (0..steps).fold(from, |reached, _| {
            reached | self.neighbours(reached) & through
        })
    }

    /// The connected parts of the set.
    #[inline]
    pub fn components(&self, mut set: W) -> impl Iterator<Item = W> {
        std::iter::from_fn(move || {
            if set.is_empty() {
                return None;
            }
            let component = self.flood(W::single(set.lowest_index()), set);
            set &= !component;
            Some(component)
        })
    }

    /// The points without a stone.
    #[must_use]
    #[inline]
    pub fn empty(&self, stones: &Stones<W>) -> W {
        self.area & !(stones.own | stones.opponent)
    }

    /// What a stone of the own side on the empty `point` does, or nothing if it would be suicide.
    #[must_use]
    #[inline]
    pub fn place(&self, stones: &Stones<W>, point: W) -> Option<MoveEffect<W>> {
        self.place_with(stones, point, &self.outside.liberties)
    }

    /// The same with the liberties beyond told, so that the sides may be exchanged.
    #[inline]
    fn place_with(
        &self,
        stones: &Stones<W>,
        point: W,
        outside_liberties: &Stones<W>,
    ) -> Option<MoveEffect<W>> {
        let own = stones.own | point;
        let empty = self.empty(stones) & !point;
        let neighbours = self.neighbours(point);
        let mut captured = W::EMPTY;
        let mut adjacent_opponents = neighbours & stones.opponent;
        while !adjacent_opponents.is_empty() {
            let chain = self.flood(
                W::single(adjacent_opponents.lowest_index()),
                stones.opponent,
            );
            adjacent_opponents &= !chain;
            if !self.neighbours(chain).intersects(empty)
                && !chain.intersects(outside_liberties.opponent)
            {
                captured |= chain;
            }
        }
        let has_liberty = neighbours.intersects(empty) || point.intersects(outside_liberties.own);
        if captured.is_empty() && !has_liberty {
            let chain = self.flood(point, own);
            if !self.neighbours(chain).intersects(empty) && !chain.intersects(outside_liberties.own)
            {
                return None;
            }
        }
        let is_single_stone = !has_liberty && !neighbours.intersects(stones.own);
        Some(MoveEffect {
            stones: Stones {
                own,
                opponent: stones.opponent & !captured,
            },
            captured,
            ko: if is_single_stone && captured.count() == 1 {
                captured
            } else {
                W::EMPTY
            },
        })
    }

    /// The same for a stone of the own side, or else of the other one; the sides are told apart as before.
    #[must_use]
    #[inline]
    pub fn play(&self, stones: &Stones<W>, own_to_move: bool, point: W) -> Option<MoveEffect<W>> {
        if own_to_move {
            return self.place(stones, point);
        }
        let outside_liberties = self.outside.liberties.swapped();
        let effect = self.place_with(&stones.swapped(), point, &outside_liberties)?;
        Some(MoveEffect {
            stones: effect.stones.swapped(),
            ..effect
        })
    }

    /// The points where the own side, or else the other one, takes stones: the last liberties of its opponent's chains.
    #[must_use]
    #[inline]
    pub fn capturing_moves(&self, stones: &Stones<W>, own_to_move: bool) -> W {
        let empty = self.empty(stones);
        let outside_liberties = &self.outside.liberties;
        let (opponents, breath) = if own_to_move {
            (stones.opponent, outside_liberties.opponent)
        } else {
            (stones.own, outside_liberties.own)
        };
        self.components(opponents)
            .filter(|chain| !chain.intersects(breath))
            .map(|chain| self.neighbours(chain) & empty)
            .filter(|liberties| liberties.count() == 1)
            .fold(W::EMPTY, |all, liberty| all | liberty)
    }

    /// The own side's lead if every stone counts: stones, and empty points that only one side's stones border
    /// (Tromp and Taylor's area scoring, without komi).
    #[must_use]
    pub fn area_score(&self, stones: &Stones<W>) -> i32 {
        let empty = self.empty(stones);
        let own = self.flood(stones.own, empty);
        let opponent = self.flood(stones.opponent, empty);
        (own & !opponent).count() as i32 - (opponent & !own).count() as i32
    }
}

#[cfg(test)]
mod tests;
