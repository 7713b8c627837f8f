//! Sets of points as bit sets.
//!
//! Six 64-bit words cover the 380 point numbers, so union, intersection and dilation are a few branch-free operations
//! that the compiler vectorises. A step to a neighbour is a shift by 1 or [`STRIDE`]. Steps over the edge of the board
//! end on padding or other points outside the board, which are removed by intersecting the result with
//! [`PointSet::board`].

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Sub, SubAssign};

use super::point::{BoardSize, Point, STRIDE};

const NUM_WORDS: usize = 6;

/// A set of points.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet {
    words: [u64; NUM_WORDS],
}

impl PointSet {
    /// The empty set.
    pub const EMPTY: Self = Self {
        words: [0; NUM_WORDS],
    };

    /// Returns all points of a board.
    pub fn board(size: BoardSize) -> Self {
        size.points().collect()
    }

    /// Returns the set that contains only `point`.
    #[inline]
    pub fn single(point: Point) -> Self {
        let mut set = Self::EMPTY;
        set.insert(point);
        set
    }

    /// Returns the rectangle with the given opposite corners, both included.
    pub fn rectangle(corner: Point, opposite: Point) -> Self {
        let between = |a: usize, b: usize| a.min(b)..=a.max(b);
        let row = |row| {
            between(corner.column(), opposite.column()).map(move |column| Point::at(column, row))
        };
        between(corner.row(), opposite.row())
            .flat_map(row)
            .collect()
    }

    /// Returns the upper left and lower right corners of the smallest rectangle that contains all points, or `None` if
    /// the set is empty.
    pub fn bounding_corners(&self) -> Option<(Point, Point)> {
        let columns = || self.iter().map(Point::column);
        let rows = || self.iter().map(Point::row);
        let first = Point::at(columns().min()?, rows().min()?);
        let last = Point::at(columns().max()?, rows().max()?);
        Some((first, last))
    }

    #[inline]
    pub fn insert(&mut self, point: Point) {
        self.words[point.number() / 64] |= 1 << (point.number() % 64);
    }

    #[inline]
    pub fn remove(&mut self, point: Point) {
        self.words[point.number() / 64] &= !(1 << (point.number() % 64));
    }

    /// Returns true if the set contains the point.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.words[point.number() / 64] >> (point.number() % 64) & 1 != 0
    }

    /// Returns the number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Returns true if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().fold(0, |all, w| all | w) == 0
    }

    /// Returns true if the sets have a point in common.
    #[inline]
    pub fn intersects(&self, other: &Self) -> bool {
        !(*self & *other).is_empty()
    }

    /// Returns true if `other` contains every point of this set.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        (*self - *other).is_empty()
    }

    /// Returns the point with the lowest number, or `None` if the set is empty.
    #[inline]
    pub fn first(&self) -> Option<Point> {
        let word = self.words.iter().position(|&w| w != 0)?;
        Some(Point::from_number(
            word * 64 + self.words[word].trailing_zeros() as usize,
        ))
    }

    /// Returns the only point of the set, or `None` if the set does not have exactly one point.
    #[inline]
    pub fn only(&self) -> Option<Point> {
        if self.len() == 1 { self.first() } else { None }
    }

    /// Iterates over the points in ascending (row-major) order.
    pub fn iter(&self) -> PointIter {
        PointIter {
            words: self.words,
            word_index: 0,
        }
    }

    /// Returns the set with `N` (in 1..64) added to the number of every point. Points shifted out of the last word are
    /// lost.
    #[inline]
    fn shifted_to_higher<const N: usize>(&self) -> Self {
        let w = &self.words;
        Self {
            words: std::array::from_fn(|i| {
                w[i] << N | if i > 0 { w[i - 1] >> (64 - N) } else { 0 }
            }),
        }
    }

    /// Returns the set with `N` (in 1..64) subtracted from the number of every point. Points shifted out of the first
    /// word are lost.
    #[inline]
    fn shifted_to_lower<const N: usize>(&self) -> Self {
        let w = &self.words;
        Self {
            words: std::array::from_fn(|i| {
                w[i] >> N
                    | if i + 1 < NUM_WORDS {
                        w[i + 1] << (64 - N)
                    } else {
                        0
                    }
            }),
        }
    }

    /// Returns all points of `board` that are adjacent to a point of the set. Points of the set are included only if
    /// they are adjacent to another point of the set.
    #[inline]
    pub fn neighbours(&self, board: &Self) -> Self {
        let horizontal = self.shifted_to_higher::<1>() | self.shifted_to_lower::<1>();
        let vertical = self.shifted_to_higher::<STRIDE>() | self.shifted_to_lower::<STRIDE>();
        (horizontal | vertical) & *board
    }

    /// Returns the union of the set and its [neighbours](Self::neighbours) within `board`.
    #[inline]
    pub fn grown(&self, board: &Self) -> Self {
        *self | self.neighbours(board)
    }

    /// Returns the union of the connected components of `through` that intersect this set (flood fill).
    pub fn flood_through(&self, through: &Self) -> Self {
        let mut reached = *self & *through;
        loop {
            let next = reached.grown(through);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Iterates over the connected components, in ascending order of the lowest point number in each.
    pub fn components(self) -> impl Iterator<Item = Self> {
        let mut remaining = self;
        std::iter::from_fn(move || {
            let component = Self::single(remaining.first()?).flood_through(&remaining);
            remaining -= component;
            Some(component)
        })
    }
}

macro_rules! impl_bit_op {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for PointSet {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self {
                    words: std::array::from_fn(|i| {
                        let ($a, $b) = (self.words[i], other.words[i]);
                        $result
                    }),
                }
            }
        }
    };
}

impl_bit_op!(BitAnd, bitand, |a, b| a & b);
impl_bit_op!(BitOr, bitor, |a, b| a | b);
impl_bit_op!(BitXor, bitxor, |a, b| a ^ b);
impl_bit_op!(Sub, sub, |a, b| a & !b);

impl BitOrAssign for PointSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl SubAssign for PointSet {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut set = Self::EMPTY;
        set.extend(points);
        set
    }
}

impl Extend<Point> for PointSet {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        for point in points {
            self.insert(point);
        }
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = PointIter;
    fn into_iter(self) -> PointIter {
        self.iter()
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Iterator over the points of a set; see [`PointSet::iter`].
#[derive(Clone, Debug)]
pub struct PointIter {
    words: [u64; NUM_WORDS],
    word_index: usize,
}

impl Iterator for PointIter {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        while self.word_index < NUM_WORDS {
            let bits = self.words[self.word_index];
            if bits != 0 {
                self.words[self.word_index] = bits & (bits - 1);
                return Some(Point::from_number(
                    self.word_index * 64 + bits.trailing_zeros() as usize,
                ));
            }
            self.word_index += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn naive_neighbours(size: BoardSize, set: &PointSet) -> PointSet {
        let step = |p: Point, dc: isize, dr: isize| {
            size.point(
                p.column().checked_add_signed(dc)?,
                p.row().checked_add_signed(dr)?,
            )
        };
        set.iter()
            .flat_map(|p| [step(p, 1, 0), step(p, -1, 0), step(p, 0, 1), step(p, 0, -1)])
            .flatten()
            .collect()
    }

    #[test]
    fn neighbours_match_naive_on_every_size() {
        let mut rng = Rng::new(5);
        for width in 2..=19 {
            for height in 2..=19 {
                let size = BoardSize::new(width, height).unwrap();
                let board = PointSet::board(size);
                assert_eq!(board.len(), size.area());
                let set: PointSet = size.points().filter(|_| rng.chance(0.3)).collect();
                assert_eq!(
                    set.neighbours(&board),
                    naive_neighbours(size, &set),
                    "{size}"
                );
            }
        }
    }

    #[test]
    fn components_partition_the_set() {
        let mut rng = Rng::new(6);
        let size = BoardSize::STANDARD;
        for _ in 0..50 {
            let set: PointSet = size.points().filter(|_| rng.chance(0.5)).collect();
            let mut union = PointSet::EMPTY;
            for component in set.components() {
                assert!(!component.intersects(&union.grown(&PointSet::board(size))));
                union |= component;
            }
            assert_eq!(union, set);
        }
    }

    #[test]
    fn iteration_is_in_reading_order() {
        let size = BoardSize::new(7, 19).unwrap();
        assert!(PointSet::board(size).iter().eq(size.points()));
    }
}
