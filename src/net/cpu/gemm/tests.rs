//! Tests of the integer matrix multiplication: the sums are equal on all instruction sets, close to the exact sums, and
//! never overflow.

use super::packing::{PackedMatrices, channels_of_pair, max_quantized_input, pack_pair};
use super::*;
use crate::net::cpu::isa::Isa;
use crate::random::Rng;

/// Product of packed rows and a whole matrix.
struct WholeProduct<'a> {
    packed: &'a PackedMatrices<u32>,
    rows: &'a [u32],
    /// Sum and unit of each output, `[rows, padded outputs]`.
    to: &'a mut [(i32, f32)],
    lanes: usize,
}

impl WithKernel<u32> for WholeProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_kernel<K: Kernel<Element = u32>>(self, kernel: K) {
        let mut sink = Collect {
            to: self.to,
            lanes: self.lanes,
            stride: self.packed.vectors * self.lanes,
        };
        let rows = dense_rows(self.rows, self.packed.depth);
        multiply(kernel, rows, self.packed, &mut sink);
    }
}

struct Collect<'a> {
    to: &'a mut [(i32, f32)],
    lanes: usize,
    stride: usize,
}

impl<K: Kernel> Sink<K> for Collect<'_> {
    const PREFETCH: bool = false;

    fn take<const R: usize, const V: usize>(
        &mut self,
        kernel: K,
        row: usize,
        columns: &Columns<'_, K>,
        sums: [[K::Sums; V]; R],
    ) {
        let units: [Floats<K>; V] = columns.units(kernel);
        let units: &[f32] = bytemuck::cast_slice(&units);
        for (row, sums) in (row..).zip(sums) {
            let sums: &[i32] = bytemuck::cast_slice(&sums);
            let to = &mut self.to[row * self.stride + columns.vector * self.lanes..];
            for (to, (sum, unit)) in to.iter_mut().zip(sums.iter().zip(units)) {
                *to = (*sum, *unit);
            }
        }
    }
}

/// Returns the product of integer rows and a matrix on an instruction set: sums and units, `[rows, outputs]`.
fn product(
    isa: Isa,
    rows: &[Vec<i16>],
    weights: &[f32],
    outputs: usize,
    largest: f32,
) -> Vec<(i32, f32)> {
    let lanes = isa.lanes();
    let packed = PackedMatrices::quantize_and_pack(lanes, weights, outputs, &[1.0], largest);
    let elements: Vec<u32> = rows
        .iter()
        .flat_map(|row| {
            let at = |index: usize| row.get(index).copied().unwrap_or(0);
            (0..packed.depth).map(move |pair| {
                let [low, high] = channels_of_pair(lanes, pair).map(at);
                pack_pair(low, high)
            })
        })
        .collect();
    let stride = packed.vectors * lanes;
    let mut to = vec![(0, 0.0); rows.len() * stride];
    isa.run_i16_or_default(WholeProduct {
        packed: &packed,
        rows: &elements,
        to: &mut to,
        lanes,
    });
    to.chunks_exact(stride)
        .flat_map(|row| row[..outputs].to_vec())
        .collect()
}

/// Asserts that all instruction sets compute identical sums, and that these differ from the exact product by at most
/// the rounding of the weights. An overflow would exceed this bound.
#[track_caller]
fn assert_product(rows: &[Vec<i16>], weights: &[f32], outputs: usize) {
    let largest = max_quantized_input(rows[0].len());
    let scalar = Isa::named("scalar").unwrap();
    let sums = product(scalar, rows, weights, outputs, largest);
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
        let found = product(isa, rows, weights, outputs, largest);
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
