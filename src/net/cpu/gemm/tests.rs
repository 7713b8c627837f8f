//! Tests of the product: the sums are equal on all instruction sets, close to the exact sums, and never overflow.

use super::super::dot::{Dot, WithDot};
use super::super::panels::{Panels, inputs_of, largest_input, pair_of, pairs, split};
use super::*;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::random::Rng;

/// Product of rows of inputs and a whole matrix. Its output is the sums with the scales of their columns.
struct All<'a> {
    panels: &'a Panels,
    numbers: &'a [u32],
    to: Vec<(i32, f32)>,
}

struct Collected<'a, S: Simd> {
    to: &'a mut [(i32, f32)],
    scales: &'a [S::f32s],
    first: usize,
    stride: usize,
}

impl<D: Dot> Sink<D> for Collected<'_, D::Simd> {
    fn take<const R: usize, const V: usize>(&mut self, _: D, row: usize, sums: [[Ints<D>; V]; R]) {
        for (row, sums) in (row..).zip(sums) {
            let columns = row * self.stride + self.first..;
            let sums: &[i32] = bytemuck::cast_slice(&sums);
            let scales: &[f32] = bytemuck::cast_slice(self.scales);
            let each = sums.iter().copied().zip(scales.iter().copied());
            self.to[columns]
                .iter_mut()
                .zip(each)
                .for_each(|(to, x)| *to = x);
        }
    }
}

impl WithDot for All<'_> {
    type Output = Vec<(i32, f32)>;

    #[inline(always)]
    fn with_dot<D: Dot>(mut self, dot: D) -> Self::Output {
        let lanes = <D::Simd as Simd>::F32_LANES;
        let stride = self.panels.vectors * lanes;
        let inputs = Inputs {
            numbers: self.numbers,
            pairs: self.panels.pairs,
        };
        self.to = vec![(0, 0.0); self.numbers.len() / inputs.pairs * stride];
        for (vector, width) in split(self.panels.vectors) {
            let mut sink = Collected {
                to: &mut self.to,
                scales: &[],
                first: vector * lanes,
                stride,
            };
            macro_rules! of_width {
                ($($width:literal)*) => {
                    match width {
                        $($width => {
                            let panel = self.panels.panel::<D, $width>(0, vector);
                            sink.scales = panel.scales;
                            multiply::<D, _, $width>(dot, inputs, panel.weights, &mut sink);
                        })*
                        _ => panic!("{width} vectors"),
                    }
                };
            }
            of_width!(1 2 3);
        }
        self.to
    }
}

/// Returns the product of integer rows and a matrix on an instruction set: sums and scales, `[rows, outputs]`.
fn product(
    vocabulary: Vocabulary,
    rows: &[Vec<i16>],
    weights: &[f32],
    outputs: usize,
    largest: f32,
) -> Vec<(i32, f32)> {
    let way = vocabulary.pairs().unwrap();
    let lanes = vocabulary.lanes();
    let panels = Panels::new(lanes, weights, outputs, &[1.0], largest);
    let numbers: Vec<u32> = rows
        .iter()
        .flat_map(|row| {
            let at = |index: usize| row.get(index).copied().unwrap_or(0);
            let pairs = 0..pairs(lanes, row.len());
            pairs.map(move |pair| {
                let [low, high] = inputs_of(lanes, pair).map(at);
                pair_of(low, high)
            })
        })
        .collect();
    let all = way.run(All {
        panels: &panels,
        numbers: &numbers,
        to: Vec::new(),
    });
    let stride = panels.vectors * lanes;
    all.chunks_exact(stride)
        .flat_map(|row| row[..outputs].to_vec())
        .collect()
}

/// Asserts that all instruction sets compute identical sums, and that these differ from the exact product by at most
/// the rounding of the weights. A sum that had overflowed would exceed this bound.
#[track_caller]
fn assert_product(rows: &[Vec<i16>], weights: &[f32], outputs: usize) {
    let largest = largest_input(rows[0].len());
    let scalar = Vocabulary::named("scalar").unwrap();
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
    for vocabulary in Vocabulary::available().filter(|it| it.pairs().is_some()) {
        let found = product(vocabulary, rows, weights, outputs, largest);
        assert!(found == sums, "{} is not scalar", vocabulary.name());
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
        let most = largest_input(inputs) as usize;
        let mut input = || rng.below(2 * most + 1) as i32 - most as i32;
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
        let most = largest_input(inputs) as i16;
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
                .map(|w| if *w < 0.0 { -most } else { most })
                .collect();
            let best = worst.iter().map(|x| -x).collect();
            assert_product(&[worst, best, vec![most; inputs]], &weights, outputs);
        }
    }
}
