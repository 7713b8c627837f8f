//! Numbers at equal distances, whose places are looked after once for all of them.
//!
//! Worth its `unsafe`: Winograd's transforms do one or two operations with a number, and the compiler does not see that
//! the last place covers all others, so that tests of the places took more instructions than the transforms.
#![expect(
    unsafe_code,
    reason = "places that have been tested are not tested again"
)]

/// `N` numbers from each of `C` starts, to be read.
#[derive(Clone, Copy)]
pub struct Strided<'a, T, const N: usize, const C: usize> {
    /// The last of them is within.
    numbers: &'a [T],
    distance: usize,
    starts: [usize; C],
}

impl<'a, T: Copy, const N: usize, const C: usize> Strided<'a, T, N, C> {
    /// So far from each other.
    ///
    /// # Panics
    /// When the last one is not there.
    #[inline(always)]
    pub fn new(numbers: &'a [T], distance: usize, starts: [usize; C]) -> Self {
        check(numbers.len(), N, distance, starts);
        Self {
            numbers,
            distance,
            starts,
        }
    }

    /// One of them.
    ///
    /// # Panics
    /// When there are not so many.
    #[inline(always)]
    pub fn get(&self, start: usize, index: usize) -> T {
        assert!(index < N, "a number of those that there are");
        let place = self.starts[start] + index * self.distance;
        // SAFETY: `new` has seen that number `N - 1` from each start is within; this is none after it.
        unsafe { *self.numbers.get_unchecked(place) }
    }
}

/// `N` numbers from each of `C` starts, to be written.
pub struct StridedMut<'a, T, const N: usize, const C: usize> {
    /// The last of them is within.
    numbers: &'a mut [T],
    distance: usize,
    starts: [usize; C],
}

impl<'a, T: Copy, const N: usize, const C: usize> StridedMut<'a, T, N, C> {
    /// So far from each other.
    ///
    /// # Panics
    /// When the last one is not there.
    #[inline(always)]
    pub fn new(numbers: &'a mut [T], distance: usize, starts: [usize; C]) -> Self {
        check(numbers.len(), N, distance, starts);
        Self {
            numbers,
            distance,
            starts,
        }
    }

    /// One of them.
    ///
    /// # Panics
    /// When there are not so many.
    #[inline(always)]
    pub fn at(&mut self, start: usize, index: usize) -> &mut T {
        assert!(index < N, "a number of those that there are");
        let place = self.starts[start] + index * self.distance;
        // SAFETY: `new` has seen that number `N - 1` from each start is within; this is none after it.
        unsafe { self.numbers.get_unchecked_mut(place) }
    }
}

/// Sees that so many numbers at this distance from each start are among `length`.
#[inline(always)]
fn check<const C: usize>(length: usize, count: usize, distance: usize, starts: [usize; C]) {
    let reach = (count - 1).checked_mul(distance);
    for start in starts {
        let last = reach.and_then(|reach| reach.checked_add(start));
        assert!(last.is_some_and(|last| last < length), "numbers end early");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_their_distance() {
        let mut numbers: Vec<u32> = (0..12).collect();
        let spread = Strided::<_, 4, 2>::new(&numbers, 3, [0, 2]);
        let of = |start| [0, 1, 2, 3].map(|index| spread.get(start, index));
        assert_eq!([of(0), of(1)], [[0, 3, 6, 9], [2, 5, 8, 11]]);
        *StridedMut::<_, 4, 1>::new(&mut numbers, 3, [1]).at(0, 3) = 100;
        assert_eq!(numbers[10], 100);
    }

    #[test]
    fn the_last_place_must_be_there() {
        for (length, distance, start, there) in [
            (10, 3, 0, true),
            (9, 3, 0, false),
            (10, 3, 1, false),
            (11, 3, 1, true),
            (1, 0, 0, true),
            (0, 0, 0, false),
            (10, 1, usize::MAX, false),
            // Four times a quarter of all places is none.
            (10, usize::MAX / 3 + 1, 0, false),
        ] {
            let numbers = vec![0; length];
            let found = std::panic::catch_unwind(|| {
                Strided::<i32, 4, 2>::new(&numbers, distance, [0, start]);
            });
            assert_eq!(found.is_ok(), there, "{length} {distance} {start}");
        }
    }

    #[test]
    #[should_panic(expected = "a number of those that there are")]
    fn one_too_many_is_refused() {
        Strided::<_, 2, 1>::new(&[1, 2, 3], 1, [0]).get(0, 2);
    }
}
