//! Tests of the integer matrix multiplication: the sums are equal on all instruction sets, close to the exact sums, and
//! never overflow.

use super::kernel::{DenseProduct, Rows};
use super::packing::{PackedMatrices, channels_of_pair, max_quantized_input, pack_pair};
use crate::net::cpu::isa::Isa;
use crate::net::dtype::DType;
use crate::random::Rng;

/// Returns the product of integer rows and a matrix on an instruction set, `[rows, outputs]`, and the unit of each
/// output.
fn product(isa: Isa, rows: &[Vec<i16>], weights: &[f32], outputs: usize) -> (Vec<f32>, Vec<f32>) {
    let lanes = isa.lanes();
    let packed = PackedMatrices::quantize_and_pack(lanes, weights, outputs, &[1.0]);
    let element = |row: &[i16], pair| {
        let at = |index: usize| row.get(index).copied().unwrap_or(0) as u16;
        let [low, high] = channels_of_pair(lanes, pair).map(at);
        f32::from_bits(pack_pair(low, high))
    };
    let depth = packed.depth;
    let elements = rows
        .iter()
        .flat_map(|row| (0..depth).map(move |pair| element(row, pair)));
    let elements: Vec<f32> = elements.collect();
    let mut to = vec![0.0; rows.len() * packed.columns];
    let product = DenseProduct {
        rows: Rows::dense(&elements, rows.len(), depth),
        units: &[],
        matrix: &packed,
        to: &mut to,
    };
    isa.run_kernel(DType::I16, product);
    let rows = to.chunks_exact(packed.columns);
    let panels = 0..packed.panels();
    let units = panels.flat_map(|panel| packed.panel(panel).units.to_vec());
    (
        rows.flat_map(|row| row[..outputs].to_vec()).collect(),
        units.take(outputs).collect(),
    )
}

/// Asserts that all instruction sets compute identical products, and that these differ from the exact product by at most
/// the rounding of the weights. An overflow would exceed this bound.
#[track_caller]
fn assert_product(rows: &[Vec<i16>], weights: &[f32], outputs: usize) {
    let scalar = Isa::named("scalar").unwrap();
    let expected = product(scalar, rows, weights, outputs);
    let (products, units) = &expected;
    for (index, product) in products.iter().enumerate() {
        let (row, column) = (&rows[index / outputs], index % outputs);
        let unit = f64::from(units[column]);
        let column = weights[column..].iter().step_by(outputs);
        let (mut exact, mut sizes, mut inputs) = (0.0, 0.0, 0.0);
        for (x, weight) in row.iter().zip(column) {
            let product = f64::from(*x) * f64::from(*weight);
            exact += product;
            sizes += product.abs();
            inputs += f64::from(x.unsigned_abs());
        }
        let error = (f64::from(*product) - exact).abs();
        let bound = 0.5001 * unit * inputs + 1e-6 * sizes;
        assert!(error <= bound, "{index}: error {error}, at most {bound}");
    }
    for isa in Isa::available().filter(|isa| isa.has_i16()) {
        let found = product(isa, rows, weights, outputs);
        assert!(found == expected, "{} differs from scalar", isa.name());
    }
}

fn weights(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| rng.unit_f32() - 0.5).collect()
}

#[test]
fn products_of_any_shape_are_exact() {
    let mut rng = Rng::new(1);
    for rows in 1..=40 {
        let (inputs, outputs) = (1 + rng.below(120), 1 + rng.below(100));
        let limit = max_quantized_input(inputs) as usize;
        let mut input = || rng.below(2 * limit + 1) as i32 - limit as i32;
        let rows: Vec<Vec<i16>> = (0..rows)
            .map(|_| (0..inputs).map(|_| input() as i16).collect())
            .collect();
        let weights = weights(&mut rng, inputs * outputs);
        assert_product(&rows, &weights, outputs);
    }
}

#[test]
fn no_sum_overflows() {
    let mut rng = Rng::new(2);
    for inputs in [1, 2, 3, 15, 16, 17, 31, 32, 33, 96, 400, 3000] {
        let outputs = 1 + rng.below(40);
        let limit = max_quantized_input(inputs) as i16;
        let (equal, mixed) = (
            vec![0.3; inputs * outputs],
            weights(&mut rng, inputs * outputs),
        );
        // One large weight and many small ones.
        let mut spike = vec![1e-3; inputs * outputs];
        spike[..outputs].fill(-1.0);
        for weights in [equal, mixed, spike] {
            // Inputs with the largest positive and the largest negative sum for the first output.
            let column = weights.iter().step_by(outputs);
            let worst: Vec<i16> = column
                .map(|w| if *w < 0.0 { -limit } else { limit })
                .collect();
            let best = worst.iter().map(|x| -x).collect();
            assert_product(&[worst, best, vec![limit; inputs]], &weights, outputs);
        }
    }
}
