//! Tests of integer attention with sums close to the overflow limit.

use super::*;
use crate::net::cpu::isa::Isa;
use crate::net::spec::blocks::RotaryAngles;

/// Runs a single attention head on one board. Returns the name and the output (`[points, value_width]`) of each
/// available instruction set with integer kernels.
fn attention_outputs(
    side: usize,
    [width, value_width]: [usize; 2],
    [query, key]: [impl Fn(usize) -> f32; 2],
    value: impl Fn(usize) -> f32,
) -> Vec<(&'static str, Vec<f32>)> {
    let op = AttentionOp {
        query: 0,
        key: 1,
        value: 2,
        to: 3,
        heads: 1,
        kv_heads: 1,
        width,
        pairs: 0,
        value_width,
        rotation: RotaryAngles::None,
        rotary_table: 0,
    };
    let layout = BoardLayout::new(1, side, side, 0);
    let cells = layout.points_as_rows(1).cells;
    let spread = |width: usize, value: &dyn Fn(usize) -> f32| {
        let mut rows = vec![0.0; layout.cells * width];
        for (point, cell) in cells.iter().enumerate() {
            rows[cell * width..][..width].fill(value(point));
        }
        rows
    };
    let (query, key) = (spread(width, &query), spread(width, &key));
    let value = spread(value_width, &value);
    let outputs = |isa: Isa| {
        let mut to = vec![f32::NAN; layout.cells * value_width];
        let attention = Attention {
            op: &op,
            dtype: DType::I16,
            layout: &layout,
            count: 1,
            rotary: &RotaryTables::new(&op, &layout),
            query: (&query, width),
            key: (&key, width),
            value: (&value, value_width),
            to: (&mut to, value_width),
            workspace: &mut None,
        };
        isa.run_kernel(DType::I16, attention);
        let rows = cells
            .iter()
            .flat_map(|cell| to[cell * value_width..][..value_width].to_vec());
        (isa.name(), rows.collect())
    };
    let isas = Isa::available().filter(|isa| isa.has_i16());
    isas.map(outputs).collect()
}

#[track_caller]
fn assert_all(outputs: Vec<(&'static str, Vec<f32>)>, expected: f32) {
    for (name, values) in outputs {
        for value in values {
            assert!((value - expected).abs() < 1e-3, "{name}: {value}");
        }
    }
}

#[test]
fn equal_weights_of_equal_values_give_that_value() {
    for side in [2, 5, 19] {
        for value in [1.0, -1.0] {
            let values = attention_outputs(side, [8, 5], [|_| 0.0, |_| 0.0], |_| value);
            assert_all(values, value);
        }
    }
}

#[test]
fn the_largest_score_takes_all() {
    for width in [2, 3, 33, 64, 128] {
        // The key of the first point equals the queries; all other keys are the opposite.
        let key = |point| if point == 0 { 9.0 } else { -9.0 };
        let value = |point| if point == 0 { 3.0 } else { -7.0 };
        let same: fn(usize) -> f32 = |_| 9.0;
        assert_all(attention_outputs(19, [width, 16], [same, key], value), 3.0);
    }
}

#[test]
fn nan_and_infinity_are_propagated() {
    let nowhere: fn(usize) -> f32 = |_| 0.5;
    let at_seven = |point| if point == 7 { f32::INFINITY } else { 0.5 };
    let value = |_| 1.0;
    for pair in [[nowhere, at_seven], [at_seven, nowhere]] {
        for (name, values) in attention_outputs(5, [8, 5], pair, value) {
            assert!(values.iter().any(|x| x.is_nan()), "{name}");
        }
    }
    for (name, values) in attention_outputs(5, [8, 5], [nowhere, nowhere], at_seven) {
        assert!(values.iter().all(|x| x.is_nan()), "{name}");
    }
}
