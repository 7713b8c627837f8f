//! A machine word as a set of points, and how a board lies in it: row after row, with a column of padding between, so
//! that neighbours are shifts.
//!
//! Of the two halves of a double word one has the rows of even number, the other those of odd number: a point and the one
//! above or below it are at the same place, or a row apart, of either half, and nothing is shifted across both.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl};

/// An unsigned word whose bits are points.
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
    /// How many bits it has.
    const BITS: u32;
    /// No point.
    const EMPTY: Self;
    /// The first point alone.
    const FIRST: Self;

    /// How many points are in it.
    fn count(self) -> u32;

    /// The number of its first point; [`BITS`](Self::BITS) of an empty set.
    fn lowest_index(self) -> u32;

    /// The number of the point in that column and row, where each row has so many columns with its padding; nothing if
    /// the word does not reach that far.
    fn index(stride: u32, column: u32, row: u32) -> Option<u32>;

    /// The column and the row of the point with that number.
    fn coordinates(stride: u32, index: u32) -> (u32, u32);

    /// What is left and right of each point, padding included.
    fn horizontal_neighbours(self) -> Self;

    /// What is above and below each point, beyond the last row too.
    fn vertical_neighbours(self, stride: u32) -> Self;

    /// Whether it is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the two have a point in common.
    #[inline]
    fn intersects(self, other: Self) -> bool {
        self & other != Self::EMPTY
    }

    /// Whether all its points are in the other.
    #[inline]
    fn is_subset(self, other: Self) -> bool {
        self & !other == Self::EMPTY
    }

    /// The point with that number alone.
    #[inline]
    fn single(index: u32) -> Self {
        Self::FIRST << index
    }

    /// The numbers of its points, ascending.
    #[inline]
    fn indices(self) -> Indices<Self> {
        Indices(self)
    }
}

/// Iterates over the points of a set.
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
        const BITS: u32 = <$type>::BITS;
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
        let [even, odd] = halves(self);
        join_halves([even.horizontal_neighbours(), odd.horizontal_neighbours()])
    }

    #[inline]
    fn vertical_neighbours(self, stride: u32) -> Self {
        let [even, odd] = halves(self);
        // A step is one row of a half or none; told so, the compiler does not look after longer ones.
        let step = stride % u64::BITS;
        join_halves([odd | odd << step, even | even >> step])
    }
}

/// The rows of even number and those of odd number.
#[inline]
const fn halves(word: u128) -> [u64; 2] {
    [word as u64, (word >> u64::BITS) as u64]
}

#[inline]
const fn join_halves([even, odd]: [u64; 2]) -> u128 {
    even as u128 | (odd as u128) << u64::BITS
}
