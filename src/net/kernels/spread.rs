//! Numbers at equal distances, whose places are looked after once for all of them.
//!
//! Worth its `unsafe`: Winograd's transforms do one or two operations with a number, and the compiler does not see that
//! the last place covers all others, so that tests of the places took more instructions than the transforms.
#![expect(
    unsafe_code,
    reason = "places that have been tested are not tested again"
)]

/// `N` numbers to be read.
#[derive(Clone, Copy)]
pub struct Spread<'a, T, const N: usize> {
    /// The last of them is within.
    numbers: &'a [T],
    distance: usize,
}

impl<'a, T: Copy, const N: usize> Spread<'a, T, N> {
    /// From the first of them on.
    ///
    /// # Panics
    /// When the last one is not there.
    #[inline(always)]
    pub fn new(numbers: &'a [T], distance: usize) -> Self {
        assert!(holds(numbers.len(), N, distance), "numbers end too early");
        Self { numbers, distance }
    }

    /// One of them.
    ///
    /// # Panics
    /// When there are not so many.
    #[inline(always)]
    pub fn get(self, index: usize) -> T {
        assert!(index < N, "a number of those that there are");
        // SAFETY: `new` has seen that the last place, that of `N - 1`, is within the numbers; this is none after it.
        unsafe { *self.numbers.get_unchecked(index * self.distance) }
    }
}

/// `N` numbers to be written.
pub struct SpreadMut<'a, T, const N: usize> {
    /// The last of them is within.
    numbers: &'a mut [T],
    distance: usize,
}

impl<'a, T: Copy, const N: usize> SpreadMut<'a, T, N> {
    /// From the first of them on.
    ///
    /// # Panics
    /// When the last one is not there.
    #[inline(always)]
    pub fn new(numbers: &'a mut [T], distance: usize) -> Self {
        assert!(holds(numbers.len(), N, distance), "numbers end too early");
        Self { numbers, distance }
    }

    /// One of them.
    ///
    /// # Panics
    /// When there are not so many.
    #[inline(always)]
    pub fn at(&mut self, index: usize) -> &mut T {
        assert!(index < N, "a number of those that there are");
        // SAFETY: `new` has seen that the last place, that of `N - 1`, is within the numbers; this is none after it.
        unsafe { self.numbers.get_unchecked_mut(index * self.distance) }
    }
}

/// Whether so many numbers at this distance are among `length`.
#[inline(always)]
fn holds(length: usize, count: usize, distance: usize) -> bool {
    let last = (count - 1).checked_mul(distance);
    last.is_some_and(|last| last < length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_their_distance() {
        let mut numbers: Vec<u32> = (0..10).collect();
        let spread = Spread::<_, 4>::new(&numbers, 3);
        assert_eq!([0, 1, 2, 3].map(|index| spread.get(index)), [0, 3, 6, 9]);
        *SpreadMut::<_, 4>::new(&mut numbers, 3).at(3) = 90;
        assert_eq!(numbers[9], 90);
        assert_eq!(Spread::<_, 5>::new(&numbers[..1], 0).get(4), 0);
    }

    #[test]
    fn the_last_place_must_be_there() {
        let holds = [
            (10, 4, 3, true),
            (9, 4, 3, false),
            (0, 1, 3, false),
            (10, 3, usize::MAX, false),
            // Half of all addresses three times would be beyond their end and at the start again.
            (usize::MAX, 3, usize::MAX / 2 + 1, false),
        ];
        for (length, count, distance, held) in holds {
            assert_eq!(super::holds(length, count, distance), held);
        }
    }

    #[test]
    #[should_panic(expected = "a number of those that there are")]
    fn one_too_many_is_refused() {
        Spread::<_, 2>::new(&[1, 2, 3], 1).get(2);
    }
}
