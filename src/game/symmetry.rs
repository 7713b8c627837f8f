//! The eight symmetries of the square.
//!
//! Numbered 0..8: bit 0 turns the board upside down, bit 1 left to right, then bit 2 swaps columns and rows (the
//! numbering that other engines' `kata-raw-nn` takes). Those with bit 2 turn a WxH board into an HxW one.

use super::point::{BoardSize, Point};
use super::pointset::PointSet;

/// One of the eight symmetries; `Default` is the identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything as it is.
    pub const IDENTITY: Self = Self(0);
    /// Puts the bottom row on top.
    pub const FLIP_VERTICAL: Self = Self(1);
    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The symmetry of that number, if below eight.
    #[must_use]
    pub const fn from_number(number: usize) -> Option<Self> {
        if number < 8 {
            Some(Self(number as u8))
        } else {
            None
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether columns and rows are swapped.
    #[must_use]
    pub const fn transposes(self) -> bool {
        self.0 & 4 != 0
    }

    /// The symmetries that map a board of that size to itself: all eight for a square, four else.
    pub fn for_size(size: BoardSize) -> impl Iterator<Item = Self> {
        let is_square = size.width() == size.height();
        Self::ALL
            .into_iter()
            .filter(move |symmetry| is_square || !symmetry.transposes())
    }

    /// The symmetry itself, or without its swap of columns and rows on a board that has not as many of both.
    #[must_use]
    pub fn without_transpose_on(self, size: BoardSize) -> Self {
        match size.width() == size.height() {
            true => self,
            false => Self(self.0 & 3),
        }
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self.0 {
            // The two quarter turns are each other's inverse; all others are their own.
            5 => Self(6),
            6 => Self(5),
            _ => self,
        }
    }

    /// This one and then `next`, as one symmetry.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        // Flips of what has been transposed flip the other way.
        let flips = if self.transposes() {
            (next.0 & 1) << 1 | (next.0 & 2) >> 1
        } else {
            next.0 & 3
        };
        Self(self.0 ^ flips ^ (next.0 & 4))
    }

    /// The size that a board of `map_size` has afterwards.
    #[must_use]
    pub fn map_size(self, size: BoardSize) -> BoardSize {
        if self.transposes() {
            BoardSize::new(size.height(), size.width()).expect("both sides were in range")
        } else {
            size
        }
    }

    /// Where a point of a board of `map_size` goes.
    #[must_use]
    pub fn map_point(self, size: BoardSize, point: Point) -> Point {
        let (mut column, mut row) = (point.column(), point.row());
        if self.0 & 1 != 0 {
            row = size.height() - 1 - row;
        }
        if self.0 & 2 != 0 {
            column = size.width() - 1 - column;
        }
        if self.transposes() {
            Point::at(row, column)
        } else {
            Point::at(column, row)
        }
    }

    /// Where a set of points of a board of `map_size` goes.
    #[must_use]
    pub fn map_set(self, size: BoardSize, set: &PointSet) -> PointSet {
        set.iter()
            .map(|point| self.map_point(size, point))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes_each_symmetry() {
        let size = BoardSize::new(5, 8).unwrap();
        for symmetry in Symmetry::ALL {
            let mapped_size = symmetry.map_size(size);
            assert_eq!(
                symmetry.map_set(size, &PointSet::board(size)),
                PointSet::board(mapped_size)
            );
            for point in size.points() {
                assert_eq!(
                    symmetry
                        .inverse()
                        .map_point(mapped_size, symmetry.map_point(size, point)),
                    point,
                    "{symmetry:?}"
                );
            }
        }
    }

    #[test]
    fn all_symmetries_differ() {
        let size = BoardSize::new(3, 3).unwrap();
        let images = |s: Symmetry| {
            size.points()
                .map(|p| s.map_point(size, p))
                .collect::<Vec<_>>()
        };
        for (i, a) in Symmetry::ALL.into_iter().enumerate() {
            assert!(Symmetry::ALL[..i].iter().all(|b| images(*b) != images(a)));
        }
    }

    #[test]
    fn then_composes_symmetries() {
        let size = BoardSize::new(5, 3).unwrap();
        for first in Symmetry::ALL {
            for next in Symmetry::ALL {
                for point in size.points() {
                    let expected =
                        next.map_point(first.map_size(size), first.map_point(size, point));
                    assert_eq!(first.then(next).map_point(size, point), expected);
                }
            }
        }
    }
}
