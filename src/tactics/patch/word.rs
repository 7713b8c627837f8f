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
    fn lowest(self) -> u32;

    /// The number of the point in that column and row, where each row has so many columns with its padding; nothing if
    /// the word does not reach that far.
    fn number(stride: u32, column: u32, row: u32) -> Option<u32>;

    /// The column and the row of the point with that number.
    fn place_of(stride: u32, number: u32) -> (u32, u32);

    /// What is left and right of each point, padding included.
    fn sideways(self) -> Self;

    /// What is above and below each point, beyond the last row too.
    fn upright(self, stride: u32) -> Self;

    /// Whether it is empty.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the two have a point in common.
    #[inline]
    fn meets(self, other: Self) -> bool {
        self & other != Self::EMPTY
    }

    /// Whether all its points are in the other.
    #[inline]
    fn within(self, other: Self) -> bool {
        self & !other == Self::EMPTY
    }

    /// The point with that number alone.
    #[inline]
    fn point(number: u32) -> Self {
        Self::FIRST << number
    }

    /// The numbers of its points, ascending.
    #[inline]
    fn points(self) -> Points<Self> {
        Points(self)
    }
}

/// Iterates over the points of a set.
#[derive(Clone, Debug)]
pub struct Points<W>(W);

impl<W: Word> Iterator for Points<W> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let number = self.0.lowest();
        self.0 &= !W::point(number);
        Some(number)
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
        fn lowest(self) -> u32 {
            self.trailing_zeros()
        }
    };
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            bits!($type);

            fn number(stride: u32, column: u32, row: u32) -> Option<u32> {
                let number = row.checked_mul(stride)?.checked_add(column)?;
                (number < Self::BITS).then_some(number)
            }

            fn place_of(stride: u32, number: u32) -> (u32, u32) {
                (number % stride, number / stride)
            }

            #[inline]
            fn sideways(self) -> Self {
                self << 1 | self >> 1
            }

            #[inline]
            fn upright(self, stride: u32) -> Self {
                self << stride | self >> stride
            }
        }
    };
}

word!(u8);
word!(u64);

impl Word for u128 {
    bits!(u128);

    fn number(stride: u32, column: u32, row: u32) -> Option<u32> {
        Some(<u64 as Word>::number(stride, column, row / 2)? + row % 2 * u64::BITS)
    }

    fn place_of(stride: u32, number: u32) -> (u32, u32) {
        let (column, pair) = <u64 as Word>::place_of(stride, number % u64::BITS);
        (column, 2 * pair + number / u64::BITS)
    }

    #[inline]
    fn sideways(self) -> Self {
        let [even, odd] = halves(self);
        joined([even.sideways(), odd.sideways()])
    }

    #[inline]
    fn upright(self, stride: u32) -> Self {
        let [even, odd] = halves(self);
        // A step is one row of a half or none; told so, the compiler does not look after longer ones.
        let step = stride % u64::BITS;
        joined([odd | odd << step, even | even >> step])
    }
}

/// The rows of even number and those of odd number.
#[inline]
const fn halves(word: u128) -> [u64; 2] {
    [word as u64, (word >> u64::BITS) as u64]
}

#[inline]
const fn joined([even, odd]: [u64; 2]) -> u128 {
    even as u128 | (odd as u128) << u64::BITS
}
