//! A machine word as a set of points.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

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
    + Shr<u32, Output = Self>
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

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
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
        }
    };
}

word!(u8);
word!(u64);
word!(u128);
