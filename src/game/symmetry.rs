//! The eight symmetries of the square.
//!
//! They are numbered 0 to 7. Bit 0 of the number flips the board vertically and bit 1 flips it horizontally;
//! afterwards, bit 2 swaps columns and rows. KataGo's GTP command `kata-raw-nn` uses the same numbers. Symmetries with
//! bit 2 set map a WxH board to an HxW board.

use super::point::{BoardSize, Point};
use super::pointset::PointSet;

/// One of the eight symmetries. The default is the identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    pub const IDENTITY: Self = Self(0);
    /// Reverses the order of the rows.
    pub const FLIP_VERTICAL: Self = Self(1);
    /// All eight symmetries, in order of their numbers.
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

    /// Returns the symmetry with the given number, or `None` if the number is greater than 7.
    pub const fn from_number(number: usize) -> Option<Self> {
        if number < 8 {
            Some(Self(number as u8))
        } else {
            None
        }
    }

    /// Returns the number of the symmetry, from 0 to 7.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns true if the symmetry swaps columns and rows.
    pub const fn transposes(self) -> bool {
        self.0 & 4 != 0
    }

    /// Iterates over the symmetries that preserve the board size: eight for a square, otherwise four.
    pub fn for_size(size: BoardSize) -> impl Iterator<Item = Self> {
        let is_square = size.width() == size.height();
        Self::ALL
            .into_iter()
            .filter(move |symmetry| is_square || !symmetry.transposes())
    }

    /// Returns this symmetry if the board is square. Otherwise, returns it without the swap of columns and rows. The
    /// result preserves the board size.
    pub fn without_transpose_on(self, size: BoardSize) -> Self {
        match size.width() == size.height() {
            true => self,
            false => Self(self.0 & 3),
        }
    }

    /// Returns the inverse symmetry.
    pub const fn inverse(self) -> Self {
        match self.0 {
            // The two quarter turns are inverses of each other; all other symmetries are self-inverse.
            5 => Self(6),
            6 => Self(5),
            _ => self,
        }
    }

    /// Returns the symmetry that applies this one first and then `next`.
    pub const fn then(self, next: Self) -> Self {
        // A flip after the swap of columns and rows is equivalent to the other flip before the swap.
        let flips = if self.transposes() {
            (next.0 & 1) << 1 | (next.0 & 2) >> 1
        } else {
            next.0 & 3
        };
        Self(self.0 ^ flips ^ (next.0 & 4))
    }

    /// Returns the size of the board that results from mapping a board of the given `size`.
    pub fn map_size(self, size: BoardSize) -> BoardSize {
        if self.transposes() {
            BoardSize::new(size.height(), size.width()).expect("both sides were in range")
        } else {
            size
        }
    }

    /// Maps a point of a board. `size` is the size of the board before the mapping.
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

    /// Maps a set of points of a board. `size` is the size of the board before the mapping.
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
