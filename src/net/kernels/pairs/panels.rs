//! Weights as pairs of 16-bit integers, in the order in which the product reads them.

use pulp::Simd;

use super::dot::Dot;
use crate::net::kernels::aligned::Aligned;

/// Most vectors of columns in a panel.
pub const VECTORS: usize = 3;
/// The largest sum.
const MOST_SUM: f64 = i32::MAX as f64;

/// The largest input, in size, of a product of so many inputs: what is beyond saturates.
///
/// The sizes of an output's weights must not add up to more than 2^31 over this, so a larger one rounds the inputs less
/// and the weights more. Both errors are about the same where the inputs' root mean square is one 64th of the largest
/// and that of the weights 1.25 times their mean size.
pub fn largest_input(inputs: usize) -> f32 {
    let balanced = (80.0 * MOST_SUM / inputs as f64).sqrt();
    balanced.min(f64::from(i16::MAX)).floor() as f32
}

/// One or more matrices of the same size.
#[derive(Debug)]
pub struct Panels {
    /// For each group of columns that fits a panel and each matrix: the weights pair of inputs by pair of inputs, zero
    /// beyond the last column.
    numbers: Aligned<u32>,
    /// For each group and each matrix: what the sums of a column are multiplied with.
    scales: Aligned,
    /// Pairs of inputs, filled up to whole vectors.
    pub pairs: usize,
    /// Vectors of outputs.
    pub vectors: usize,
    /// The largest input in size that no sum overflows with.
    pub largest: f32,
    /// Matrices.
    sheets: usize,
}

/// The pairs of inputs that so many inputs take, in whole vectors.
pub fn pairs(lanes: usize, inputs: usize) -> usize {
    inputs.div_ceil(lanes).div_ceil(2) * lanes
}

/// The panels of so many vectors of columns, as equal as can be: the first vector and the number of vectors of each.
pub fn split(vectors: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = vectors.div_ceil(VECTORS);
    let first = move |panel: usize| panel * vectors / count;
    (0..count).map(move |panel| (first(panel), first(panel + 1) - first(panel)))
}

/// The inputs of a pair: those at the same place of two vectors.
pub fn inputs_of(lanes: usize, pair: usize) -> [usize; 2] {
    let first = pair / lanes * 2 * lanes + pair % lanes;
    [first, first + lanes]
}

/// A panel of one matrix.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a, S: Simd> {
    /// `[pairs, vectors]`
    pub weights: &'a [S::u32s],
    /// `[vectors]`
    pub scales: &'a [S::f32s],
}

impl Panels {
    /// Packs matrices (`[sheets, inputs, outputs]`) for vectors of so many lanes. `units` are what an input of 1 means
    /// to each matrix, `largest` is the largest input in size.
    pub fn new(lanes: usize, weights: &[f32], outputs: usize, units: &[f32], largest: f32) -> Self {
        let sheets = units.len();
        let inputs = weights.len() / (sheets * outputs);
        let pairs = pairs(lanes, inputs);
        let vectors = outputs.div_ceil(lanes);
        let mut panels = Self {
            numbers: Aligned::zeros(sheets * pairs * vectors * lanes),
            scales: Aligned::zeros(sheets * vectors * lanes),
            pairs,
            vectors,
            largest,
            sheets,
        };
        let most_sum = MOST_SUM / f64::from(largest);
        for (sheet, matrix) in weights.chunks_exact(inputs * outputs).enumerate() {
            let columns = split(vectors).flat_map(|(first, width)| {
                let (first, width) = (first * lanes, width * lanes);
                (first..outputs.min(first + width)).map(move |column| (column, first, width))
            });
            for (column, first, width) in columns {
                let weight = |input: usize| match matrix.get(input * outputs + column) {
                    Some(weight) if input < inputs => f64::from(*weight),
                    _ => 0.0,
                };
                let factor = factor(inputs, most_sum, weight);
                let at = sheets * first + sheet * width + column - first;
                panels.scales[at] = (f64::from(units[sheet]) / factor) as f32;
                let at = (sheets * first + sheet * width) * pairs + column - first;
                for pair in 0..pairs {
                    let [low, high] = inputs_of(lanes, pair)
                        .map(|input| (weight(input) * factor).round_ties_even() as i16);
                    panels.numbers[at + pair * width] = pair_of(low, high);
                }
            }
        }
        panels
    }

    /// The panel of `V` vectors of columns from `vector` on.
    #[inline(always)]
    pub fn panel<D: Dot, const V: usize>(&self, sheet: usize, vector: usize) -> Panel<'_, D::Simd> {
        let first = self.sheets * vector + sheet * V;
        let weights = <D::Simd as Simd>::as_simd_u32s(&self.numbers).0;
        let scales = <D::Simd as Simd>::as_simd_f32s(&self.scales).0;
        Panel {
            weights: &weights[first * self.pairs..][..V * self.pairs],
            scales: &scales[first..][..V],
        }
    }
}

/// Two integers as a pair.
pub const fn pair_of(low: i16, high: i16) -> u32 {
    low as u16 as u32 | (high as u16 as u32) << 16
}

/// What the weights of an output are multiplied with before they are rounded: as large as 16 bits allow, and 32 the sum.
fn factor(inputs: usize, most_sum: f64, weight: impl Fn(usize) -> f64) -> f64 {
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for input in 0..inputs {
        let size = weight(input).abs();
        largest = largest.max(size);
        sum += size;
    }
    if sum == 0.0 {
        return 1.0;
    }
    // Rounding adds at most a half to each.
    let most_sum = most_sum - inputs as f64 / 2.0;
    (f64::from(i16::MAX) / largest).min(most_sum / sum)
}
