//! Views of elements at equal distances, with a single bounds check for all of them.
//!
//! This is worth the `unsafe` code: Winograd's transforms perform only one or two operations per element, and the
//! compiler does not recognise that a check of the last index covers all the others. The separate bounds checks took
//! more instructions than the transforms.
#![expect(
    unsafe_code,
    reason = "indices that have been checked are not checked again"
)]

/// Read-only view of `N` equally spaced elements from each of `C` starts.
#[derive(Clone, Copy)]
pub struct StridedView<'a, T, const N: usize, const C: usize> {
    /// Contains the last element for every start, as checked by `new`.
    data: &'a [T],
    distance: usize,
    starts: [usize; C],
}

impl<'a, T: Copy, const N: usize, const C: usize> StridedView<'a, T, N, C> {
    /// Creates a view of the elements at `starts[start] + index * distance` for `index < N`.
    ///
    /// # Panics
    /// Panics if the last element for any start is out of bounds.
    #[inline(always)]
    pub fn new(data: &'a [T], distance: usize, starts: [usize; C]) -> Self {
        assert_in_bounds(data.len(), N, distance, starts);
        Self {
            data,
            distance,
            starts,
        }
    }

    /// Returns element `index` of the sequence that begins at `starts[start]`.
    ///
    /// # Panics
    /// Panics if `index >= N` or `start >= C`.
    #[inline(always)]
    pub fn get(&self, start: usize, index: usize) -> T {
        assert!(index < N, "an index below the number of elements");
        let position = self.starts[start] + index * self.distance;
        // SAFETY: `new` has checked that element `N - 1` of each start is in bounds, without overflow of its index.
        // Since `index < N`, `position` is at most the index of that element, so it is in bounds too.
        unsafe { *self.data.get_unchecked(position) }
    }
}

/// Mutable view of `N` equally spaced elements from each of `C` starts.
pub struct StridedViewMut<'a, T, const N: usize, const C: usize> {
    /// Contains the last element for every start, as checked by `new`.
    data: &'a mut [T],
    distance: usize,
    starts: [usize; C],
}

impl<'a, T: Copy, const N: usize, const C: usize> StridedViewMut<'a, T, N, C> {
    /// Creates a view of the elements at `starts[start] + index * distance` for `index < N`.
    ///
    /// # Panics
    /// Panics if the last element for any start is out of bounds.
    #[inline(always)]
    pub fn new(data: &'a mut [T], distance: usize, starts: [usize; C]) -> Self {
        assert_in_bounds(data.len(), N, distance, starts);
        Self {
            data,
            distance,
            starts,
        }
    }

    /// Returns a mutable reference to element `index` of the sequence that begins at `starts[start]`.
    ///
    /// # Panics
    /// Panics if `index >= N` or `start >= C`.
    #[inline(always)]
    pub fn get_mut(&mut self, start: usize, index: usize) -> &mut T {
        assert!(index < N, "an index below the number of elements");
        let position = self.starts[start] + index * self.distance;
        // SAFETY: `new` has checked that element `N - 1` of each start is in bounds, without overflow of its index.
        // Since `index < N`, `position` is at most the index of that element, so it is in bounds too.
        unsafe { self.data.get_unchecked_mut(position) }
    }
}

/// Checks that for each start, `count` elements spaced by `distance` lie within a slice of `length` elements.
///
/// # Panics
/// Panics if an element is out of bounds or if an index overflows.
#[inline(always)]
fn assert_in_bounds<const C: usize>(
    length: usize,
    count: usize,
    distance: usize,
    starts: [usize; C],
) {
    let reach = (count - 1).checked_mul(distance);
    for start in starts {
        let last = reach.and_then(|reach| reach.checked_add(start));
        assert!(
            last.is_some_and(|last| last < length),
            "an element is out of bounds"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_at_their_distance() {
        let mut data: Vec<u32> = (0..12).collect();
        let spread = StridedView::<_, 4, 2>::new(&data, 3, [0, 2]);
        let of = |start| [0, 1, 2, 3].map(|index| spread.get(start, index));
        assert_eq!([of(0), of(1)], [[0, 3, 6, 9], [2, 5, 8, 11]]);
        *StridedViewMut::<_, 4, 1>::new(&mut data, 3, [1]).get_mut(0, 3) = 100;
        assert_eq!(data[10], 100);
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
            // The index of the last element overflows `usize`.
            (10, usize::MAX / 3 + 1, 0, false),
        ] {
            let data = vec![0; length];
            let found = std::panic::catch_unwind(|| {
                StridedView::<i32, 4, 2>::new(&data, distance, [0, start]);
            });
            assert_eq!(found.is_ok(), there, "{length} {distance} {start}");
        }
    }

    #[test]
    #[should_panic(expected = "an index below the number of elements")]
    fn one_too_many_is_refused() {
        StridedView::<_, 2, 1>::new(&[1, 2, 3], 1, [0]).get(0, 2);
    }
}
