//! Tests of the integer matrix multiplication: the sums are equal on all instruction sets, close to the exact sums, and
//! never overflow.

use super::kernel::{Floats, Kernel, Rows, Sink, WithKernel, column_units};
use super::packing::{PackedMatrices, Panel, channels_of_pair, max_quantized_input, pack_pair};
use crate::net::cpu::isa::Isa;
use crate::net::dtype::DType;
use crate::random::Rng;

struct WholeProduct<'a> {
    packed: &'a PackedMatrices,
    rows: &'a [f32],
    /// Sum and unit of each output, `[rows, padded outputs]`.
    to: &'a mut [(f32, f32)],
}

impl WithKernel for WholeProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel>(self, kernel: K) {
        let (packed, depth) = (self.packed, self.packed.depth);
        let rows = Rows::dense(self.rows, self.rows.len() / depth, depth);
        let mut sink = Collect(self.to, packed.columns);
        kernel.multiply(rows, packed, 0..packed.panels(), &mut sink);
    }
}

/// Sum and unit of each output, and the number of outputs per row.
struct Collect<'a>(&'a mut [(f32, f32)], usize);

impl<K: Kernel> Sink<K> for Collect<'_> {
    const PREFETCH: bool = false;

    fn take<const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        panel: &Panel<'_>,
        first: usize,
        sums: [Floats<K>; V],
    ) {
        let units: [Floats<K>; V] = column_units(kernel, panel, first);
        let (sums, units): (&[f32], &[f32]) =
            (bytemuck::cast_slice(&sums), bytemuck::cast_slice(&units));
        let column = (panel.vector + first) * sums.len() / V;
        let to = &mut self.0[row * self.1 + column..];
        for (to, (sum, unit)) in to.iter_mut().zip(sums.iter().zip(units)) {
            *to = (*sum, *unit);
        }
    }
}

/// Returns the product of integer rows and a matrix on an instruction set: sums and units, `[rows, outputs]`.
fn product(isa: Isa, rows: &[Vec<i16>], weights: &[f32], outputs: usize) -> Vec<(f32, f32)> {
    let lanes = isa.lanes();
    let packed = PackedMatrices::quantize_and_pack(lanes, weights, outputs, &[1.0]);
    let elements: Vec<f32> = rows
        .iter()
        .flat_map(|row| {
            let at = |index: usize| row.get(index).copied().unwrap_or(0) as u16;
            (0..packed.depth).map(move |pair| {
                let [low, high] = channels_of_pair(lanes, pair).map(at);
                f32::from_bits(pack_pair(low, high))
            })
        })
        .collect();
    let mut to = vec![(0.0, 0.0); rows.len() * packed.columns];
    let product = WholeProduct {
        packed: &packed,
        rows: &elements,
        to: &mut to,
    };
    isa.run_kernel(DType::I16, product);
    to.chunks_exact(packed.columns)
        .flat_map(|row| row[..outputs].to_vec())
        .collect()
}

/// Asserts that all instruction sets compute identical sums, and that these differ from the exact product by at most
/// the rounding of the weights. An overflow would exceed this bound.
#[track_caller]
fn assert_product(rows: &[Vec<i16>], weights: &[f32], outputs: usize) {
    let scalar = Isa::named("scalar").unwrap();
    let sums = product(scalar, rows, weights, outputs);
    for (index, (sum, scale)) in sums.iter().enumerate() {
        let (row, column) = (&rows[index / outputs], index % outputs);
        let column = weights[column..].iter().step_by(outputs);
        let (mut exact, mut sizes, mut inputs) = (0.0, 0.0, 0.0);
        for (x, weight) in row.iter().zip(column) {
            let product = f64::from(*x) * f64::from(*weight);
            exact += product;
            sizes += product.abs();
            inputs += f64::from(x.unsigned_abs());
        }
        let error = (f64::from(*sum) * f64::from(*scale) - exact).abs();
        let bound = 0.5001 * f64::from(*scale) * inputs + 1e-6 * sizes;
        assert!(error <= bound, "{index}: error {error}, at most {bound}");
    }
    for isa in Isa::available().filter(|isa| isa.has_i16()) {
        let found = product(isa, rows, weights, outputs);
        assert!(found == sums, "{} differs from scalar", isa.name());
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
