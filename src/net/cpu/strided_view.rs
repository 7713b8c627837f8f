//! Views of elements at equal distances, with a single bounds check for all of them.
//!
//! This is worth the `unsafe` code: Winograd's transforms perform only one or two operations per element, and the
//! compiler does not recognise that a check of the last index covers all the others. The separate bounds checks took
//! more instructions than the transforms.
#![expect(
    unsafe_code,
    reason = "indices that have been checked are not checked again"
)]

/// View of `N` equally spaced elements from each of `C` starts. To write to the elements, view a slice of
/// [`Cell`](std::cell::Cell)s.
#[derive(Clone, Copy)]
pub struct StridedView<'a, T, const N: usize, const C: usize> {
    /// Contains the last element for every start, as checked by `new`.
    data: &'a [T],
    distance: usize,
    starts: [usize; C],
}

impl<'a, T, const N: usize, const C: usize> StridedView<'a, T, N, C> {
    /// Creates a view of the elements at `starts[start] + index * distance` for `index < N`.
    ///
    /// # Panics
    /// Panics if the last element for any start is out of bounds or if its index overflows.
    #[inline(always)]
    pub fn new(data: &'a [T], distance: usize, starts: [usize; C]) -> Self {
        let reach = (N - 1).checked_mul(distance);
        for start in starts {
            let last = reach.and_then(|reach| reach.checked_add(start));
            assert!(
                last.is_some_and(|last| last < data.len()),
                "an element is out of bounds"
            );
        }
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
    pub fn get(&self, start: usize, index: usize) -> &'a T {
        assert!(index < N, "an index below the number of elements");
        let position = self.starts[start] + index * self.distance;
        // SAFETY: `new` has checked that element `N - 1` of each start is in bounds, without overflow of its index.
        // Since `index < N`, `position` is at most the index of that element, so it is in bounds too.
        unsafe { self.data.get_unchecked(position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn elements_stand_at_their_distance() {
        let mut data: Vec<u32> = (0..12).collect();
        let spread = StridedView::<_, 4, 2>::new(&data, 3, [0, 2]);
        let of = |start| [0, 1, 2, 3].map(|index| *spread.get(start, index));
        assert_eq!([of(0), of(1)], [[0, 3, 6, 9], [2, 5, 8, 11]]);
        let cells = Cell::from_mut(&mut *data).as_slice_of_cells();
        StridedView::<_, 4, 1>::new(cells, 3, [1])
            .get(0, 3)
            .set(100);
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
