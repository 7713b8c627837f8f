//! Tests of integer attention with sums close to the overflow limit.

use super::*;
use crate::net::desc::blocks::Rotation;
use crate::net::kernels::vocabulary::Vocabulary;

/// Returns the output of a single attention head and board, `[points, value_width]`, for each available instruction
/// set with pair products.
fn mixed(
    side: usize,
    [width, value_width]: [usize; 2],
    [query, key]: [impl Fn(usize) -> f32; 2],
    value: impl Fn(usize) -> f32,
) -> Vec<(&'static str, Vec<f32>)> {
    let layer = Attention {
        query: 0,
        key: 1,
        value: 2,
        to: 3,
        heads: 1,
        kv_heads: 1,
        width,
        value_width,
        rotation: Rotation::None,
        turns: 0,
    };
    let boards = Boards::new(1, side, side, 0);
    let points = boards.points(1).places;
    let spread = |width: usize, number: &dyn Fn(usize) -> f32| {
        let mut rows = vec![0.0; boards.total * width];
        for (point, place) in points.iter().enumerate() {
            rows[place * width..][..width].fill(number(point));
        }
        rows
    };
    let (query, key) = (spread(width, &query), spread(width, &key));
    let value = spread(value_width, &value);
    let known = Vocabulary::available().filter_map(|it| Some((it, it.pairs()?)));
    let of = |(vocabulary, multiplier): (Vocabulary, super::super::multiplier::Multiplier)| {
        let mut to = vec![f32::NAN; boards.total * value_width];
        multiplier.run(Mixing {
            layer: &layer,
            boards: &boards,
            count: 1,
            turns: &Turns::new(&layer.rotation, 1, 0, 0, &boards),
            query: (&query, width),
            key: (&key, width),
            value: (&value, value_width),
            to: (&mut to, value_width),
            room: &mut Room::new(vocabulary.lanes(), side * side, width, value_width),
        });
        let rows = points
            .iter()
            .flat_map(|place| to[place * value_width..][..value_width].to_vec());
        (vocabulary.name(), rows.collect())
    };
    known.map(of).collect()
}

#[track_caller]
fn assert_all(mixed: Vec<(&'static str, Vec<f32>)>, expected: f32) {
    for (name, numbers) in mixed {
        for number in numbers {
            assert!((number - expected).abs() < 1e-3, "{name}: {number}");
        }
    }
}

#[test]
fn equal_shares_of_equal_values_are_that_value() {
    for side in [2, 5, 19] {
        for value in [1.0, -1.0] {
            let numbers = mixed(side, [8, 5], [|_| 0.0, |_| 0.0], |_| value);
            assert_all(numbers, value);
        }
    }
}

#[test]
fn the_largest_scores_take_all() {
    for width in [2, 3, 33, 64, 128] {
        // The key of the first point equals the queries; all other keys are the opposite.
        let key = |point| if point == 0 { 9.0 } else { -9.0 };
        let value = |point| if point == 0 { 3.0 } else { -7.0 };
        let same: fn(usize) -> f32 = |_| 9.0;
        assert_all(mixed(19, [width, 16], [same, key], value), 3.0);
    }
}

#[test]
fn what_is_no_number_stays_none() {
    let nowhere: fn(usize) -> f32 = |_| 0.5;
    let at_seven = |point| if point == 7 { f32::INFINITY } else { 0.5 };
    let value = |_| 1.0;
    for pair in [[nowhere, at_seven], [at_seven, nowhere]] {
        for (name, numbers) in mixed(5, [8, 5], pair, value) {
            assert!(numbers.iter().any(|x| x.is_nan()), "{name}");
        }
    }
    for (name, numbers) in mixed(5, [8, 5], [nowhere, nowhere], at_seven) {
        assert!(numbers.iter().all(|x| x.is_nan()), "{name}");
    }
}
