//! Small boards, or regions of larger ones. Each set of points is stored in a single machine word, for searches that
//! visit millions of positions.
//!
//! Unlike [`game::board`](crate::game::board), which maintains chains and liberties incrementally, this module computes
//! them by flood fill when they are needed. This is faster on few points and reduces a position to two words. The word
//! type determines the bit layout.

pub mod benson;
pub mod word;

use word::Word;

/// Shape of a board or region, and its connection to the rest of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardGeometry<W> {
    width: u32,
    height: u32,
    stride: u32,
    /// True if the columns of the board are stored as rows of the word.
    is_transposed: bool,
    area: W,
    outside: OutsideConnection<W>,
}

/// Connection of a region to the rest of the board. Empty for a complete board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsideConnection<W> {
    /// Points that have neighbours outside the region. An area that contains such a point is open.
    pub boundary: W,
    /// Points whose stones have a liberty outside the region, for each side.
    pub liberties: Stones<W>,
}

/// Stones of the two sides. Each search defines which side is `own`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones<W> {
    pub own: W,
    pub opponent: W,
}

impl<W: Word> Stones<W> {
    /// Returns the stones with the sides exchanged.
    #[inline]
    pub fn swapped(self) -> Self {
        Self {
            own: self.opponent,
            opponent: self.own,
        }
    }
}

/// Result of a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveEffect<W> {
    /// Stones on the board after the move, including the new stone.
    pub stones: Stones<W>,
    /// Captured stones.
    pub captured: W,
    /// Point where the basic ko rule forbids the opponent to retake immediately. Empty if there is none.
    pub ko: W,
}

impl<W: Word> MoveEffect<W> {
    /// Returns the effect of a move without a flood fill. The move must capture nothing and have an adjacent empty
    /// point.
    #[inline]
    pub fn without_captures(stones: &Stones<W>, own_to_move: bool, point: W) -> Self {
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
    /// Creates the geometry of a board in an orientation that fits the word. Returns `None` if neither orientation
    /// fits.
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

    /// Creates the geometry that stores the rows of the board as rows of the word. Returns `None` if the board does not
    /// fit.
    fn from_rows(width: u32, height: u32) -> Option<Self> {
        let stride = width.checked_add(1)?;
        // With interleaved rows, the second-to-last row can extend further than the last.
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
            outside: OutsideConnection::default(),
        };
        for row in 0..height {
            for column in 0..width {
                geometry.area |= W::single(geometry.index(column, row));
            }
        }
        (height > 0).then_some(geometry)
    }

    /// Returns this geometry, connected to the rest of a larger board by `outside`.
    pub const fn connected_to_outside(self, outside: OutsideConnection<W>) -> Self {
        Self { outside, ..self }
    }

    pub const fn width(&self) -> u32 {
        self.width
    }

    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Returns the set of all points.
    pub const fn all_points(&self) -> W {
        self.area
    }

    /// Returns the points with neighbours outside the region.
    pub const fn outside_boundary(&self) -> W {
        self.outside.boundary
    }

    /// Returns the index of a point, given its zero-based column and row.
    ///
    /// # Panics
    /// May panic if the point is not on the board.
    pub fn index(&self, column: u32, row: u32) -> u32 {
        let (column, row) = if self.is_transposed {
            (row, column)
        } else {
            (column, row)
        };
        W::index(self.stride, column, row).expect("the board fits the word")
    }

    /// Returns the zero-based column and row of the point `index`.
    pub fn coordinates(&self, index: u32) -> (u32, u32) {
        let (column, row) = W::coordinates(self.stride, index);
        if self.is_transposed {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// Returns the points that have a neighbour in `set`. They may include points of `set`.
    #[inline]
    pub fn neighbours(&self, set: W) -> W {
        (set.horizontal_neighbours() | set.vertical_neighbours(self.stride)) & self.area
    }

    /// Returns the diagonal neighbours of a single point.
    #[inline]
    pub fn diagonal_neighbours(&self, point: W) -> W {
        (point.horizontal_neighbours() & self.area).vertical_neighbours(self.stride) & self.area
    }

    /// Returns the points reachable from `from` by steps within `through`, including `from`.
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

    /// Returns the points reachable from `from` by at most `steps` steps within `through`, including `from`.
    pub fn flood_within_steps(&self, from: W, through: W, steps: u32) -> W {
        (0..steps).fold(from, |reached, _| {
            reached | self.neighbours(reached) & through
        })
    }

    /// Returns the connected components of a set.
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

    /// Returns the empty points.
    #[inline]
    pub fn empty_points(&self, stones: &Stones<W>) -> W {
        self.area & !(stones.own | stones.opponent)
    }

    /// Returns the effect of placing a stone of the own side on the empty `point`, or `None` if the move is suicide.
    #[inline]
    fn place(
        &self,
        stones: &Stones<W>,
        point: W,
        outside_liberties: &Stones<W>,
    ) -> Option<MoveEffect<W>> {
        let own = stones.own | point;
        let empty = self.empty_points(stones) & !point;
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

    /// Returns the effect of placing a stone of either side on the empty `point`, or `None` if the move is suicide. The
    /// perspective does not change: `own` is the same side in the result.
    #[inline]
    pub fn play(&self, stones: &Stones<W>, own_to_move: bool, point: W) -> Option<MoveEffect<W>> {
        let outside_liberties = self.outside.liberties;
        if own_to_move {
            return self.place(stones, point, &outside_liberties);
        }
        let effect = self.place(&stones.swapped(), point, &outside_liberties.swapped())?;
        Some(MoveEffect {
            stones: effect.stones.swapped(),
            ..effect
        })
    }

    /// Returns the points where the side to move can capture: the last liberties of the other side's chains.
    #[inline]
    pub fn capturing_moves(&self, stones: &Stones<W>, own_to_move: bool) -> W {
        let empty = self.empty_points(stones);
        let outside = &self.outside.liberties;
        let (opponents, outside_liberties) = if own_to_move {
            (stones.opponent, outside.opponent)
        } else {
            (stones.own, outside.own)
        };
        self.components(opponents)
            .filter(|chain| !chain.intersects(outside_liberties))
            .map(|chain| self.neighbours(chain) & empty)
            .filter(|liberties| liberties.count() == 1)
            .fold(W::EMPTY, |all, liberty| all | liberty)
    }

    /// Returns the own side's lead in points, with all stones counted as alive. The score of a side consists of its
    /// stones and the empty points from which only its stones can be reached (Tromp-Taylor area scoring, without komi).
    pub fn area_score(&self, stones: &Stones<W>) -> i32 {
        let empty = self.empty_points(stones);
        let own = self.flood(stones.own, empty);
        let opponent = self.flood(stones.opponent, empty);
        (own & !opponent).count() as i32 - (opponent & !own).count() as i32
    }
}

#[cfg(test)]
mod tests;
