//! Machine words as sets of points. A board is laid out row by row with a padding column between rows, so that shifts
//! compute the neighbours of a set.
//!
//! A 128-bit word consists of two halves, which contain the even and the odd rows. Vertically adjacent points are at
//! the same position in both halves or one row apart, so no shift crosses from one half to the other.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl};

/// An unsigned integer with one bit per point.
pub trait Word:
    Copy
    + Debug
    + Default
    + Eq
    + Hash
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
{
    const EMPTY: Self;
    /// The set that contains only the point with index 0.
    const FIRST: Self;

    /// Returns the number of points in the set.
    fn count(self) -> u32;

    /// Returns the lowest index in the set, or the number of bits if the set is empty.
    fn lowest_index(self) -> u32;

    /// Returns the index of a point, or `None` if it does not fit the word. `stride` is the row length including the
    /// padding.
    fn index(stride: u32, column: u32, row: u32) -> Option<u32>;

    /// Returns the column and row of the point with the given index.
    fn coordinates(stride: u32, index: u32) -> (u32, u32);

    /// Returns the left and right neighbours of all points in the set. The result may contain padding points.
    fn horizontal_neighbours(self) -> Self;

    /// Returns the upper and lower neighbours of all points in the set. The result may contain points below the last
    /// row.
    fn vertical_neighbours(self, stride: u32) -> Self;

    /// Returns true if the set is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Returns true if the sets have a common point.
    #[inline]
    fn intersects(self, other: Self) -> bool {
        self & other != Self::EMPTY
    }

    /// Returns true if `other` contains all points of the set.
    #[inline]
    fn is_subset(self, other: Self) -> bool {
        self & !other == Self::EMPTY
    }

    /// Returns the set that contains only the point `index`.
    #[inline]
    fn single(index: u32) -> Self {
        Self::FIRST << index
    }

    /// Iterates over the indices of the points in ascending order.
    #[inline]
    fn indices(self) -> Indices<Self> {
        Indices(self)
    }
}

/// Iterator over the indices of a set.
#[derive(Clone, Debug)]
pub struct Indices<W>(W);

impl<W: Word> Iterator for Indices<W> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.lowest_index();
        self.0 &= !W::single(index);
        Some(index)
    }
}

macro_rules! bits {
    ($type:ty) => {
        const EMPTY: Self = 0;
        const FIRST: Self = 1;

        #[inline]
        fn count(self) -> u32 {
            self.count_ones()
        }

        #[inline]
        fn lowest_index(self) -> u32 {
            self.trailing_zeros()
        }
    };
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            bits!($type);

            fn index(stride: u32, column: u32, row: u32) -> Option<u32> {
                let index = row.checked_mul(stride)?.checked_add(column)?;
                (index < Self::BITS).then_some(index)
            }

            fn coordinates(stride: u32, index: u32) -> (u32, u32) {
                (index % stride, index / stride)
            }

            #[inline]
            fn horizontal_neighbours(self) -> Self {
                self << 1 | self >> 1
            }

            #[inline]
            fn vertical_neighbours(self, stride: u32) -> Self {
                self << stride | self >> stride
            }
        }
    };
}

word!(u8);
word!(u64);

impl Word for u128 {
    bits!(u128);

    fn index(stride: u32, column: u32, row: u32) -> Option<u32> {
        Some(<u64 as Word>::index(stride, column, row / 2)? + row % 2 * u64::BITS)
    }

    fn coordinates(stride: u32, index: u32) -> (u32, u32) {
        let (column, pair) = <u64 as Word>::coordinates(stride, index % u64::BITS);
        (column, 2 * pair + index / u64::BITS)
    }

    #[inline]
    fn horizontal_neighbours(self) -> Self {
        let [even, odd] = even_odd_rows(self);
        join_even_odd_rows([even.horizontal_neighbours(), odd.horizontal_neighbours()])
    }

    #[inline]
    fn vertical_neighbours(self, stride: u32) -> Self {
        let [even, odd] = even_odd_rows(self);
        // `stride` is always less than 64. The modulo lets the compiler omit the check for larger shifts.
        let step = stride % u64::BITS;
        join_even_odd_rows([odd | odd << step, even | even >> step])
    }
}

/// Splits a word into the even and the odd rows.
#[inline]
const fn even_odd_rows(word: u128) -> [u64; 2] {
    [word as u64, (word >> u64::BITS) as u64]
}

#[inline]
const fn join_even_odd_rows([even, odd]: [u64; 2]) -> u128 {
    even as u128 | (odd as u128) << u64::BITS
}
