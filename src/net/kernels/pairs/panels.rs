//! Weights as pairs of 16-bit integers, packed in the order in which the matrix product reads them.

use pulp::Simd;

use super::dot::Dot;
use crate::net::kernels::aligned::Aligned;

/// Maximum number of vectors of columns in a panel.
pub const VECTORS: usize = 3;
/// Largest magnitude of a 32-bit sum.
const MOST_SUM: f64 = i32::MAX as f64;

/// Returns the largest magnitude of a quantized input in a dot product of `inputs` elements; larger values saturate.
///
/// The magnitudes of an output's quantized weights may add up to at most 2^31 divided by this limit. A larger limit
/// therefore means finer inputs and coarser weights. Both rounding errors are about equal if the root mean square of
/// the inputs is 1/64 of the limit and the root mean square of the weights is 1.25 times their mean magnitude.
pub fn largest_input(inputs: usize) -> f32 {
    let balanced = (80.0 * MOST_SUM / inputs as f64).sqrt();
    balanced.min(f64::from(i16::MAX)).floor() as f32
}

/// Packed weights of one or more matrices of the same size.
#[derive(Debug)]
pub struct Panels {
    /// `[panels, sheets, pairs, columns of the panel]`; zero in the padding columns.
    numbers: Aligned<u32>,
    /// `[panels, sheets, columns of the panel]`: factor that converts a column's integer sums to floats.
    scales: Aligned,
    /// Number of input pairs, padded to whole vectors.
    pub pairs: usize,
    /// Number of vectors of outputs.
    pub vectors: usize,
    /// Largest magnitude of an input for which no sum can overflow.
    pub largest: f32,
    /// Number of matrices.
    sheets: usize,
}

/// Returns the number of input pairs for `inputs` channels, padded to whole vectors.
pub fn pairs(lanes: usize, inputs: usize) -> usize {
    inputs.div_ceil(lanes).div_ceil(2) * lanes
}

/// Splits `vectors` vectors of columns into panels of nearly equal width (the difference is at most 1).
///
/// Yields the first vector and the number of vectors of each panel.
pub fn split(vectors: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = vectors.div_ceil(VECTORS);
    let first = move |panel: usize| panel * vectors / count;
    (0..count).map(move |panel| (first(panel), first(panel + 1) - first(panel)))
}

/// Returns the indices of the two inputs of a pair: the same lane of two consecutive vectors.
pub fn inputs_of(lanes: usize, pair: usize) -> [usize; 2] {
    let first = pair / lanes * 2 * lanes + pair % lanes;
    [first, first + lanes]
}

/// A panel of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a, S: Simd> {
    /// `[pairs, vectors]`
    pub weights: &'a [S::u32s],
    /// `[vectors]`
    pub scales: &'a [S::f32s],
}

impl Panels {
    /// Packs matrices (`[sheets, inputs, outputs]`) for SIMD vectors with `lanes` lanes.
    ///
    /// `units` has one element for each matrix: the value represented by an input of 1. `largest` is the largest
    /// magnitude of a quantized input.
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

    /// Returns the panel with the `V` vectors of columns that start at `vector`, as yielded by [`split`].
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

/// Packs two integers into a pair.
pub const fn pair_of(low: i16, high: i16) -> u32 {
    low as u16 as u32 | (high as u16 as u32) << 16
}

/// Returns the scale of the weights of an output before rounding.
///
/// It is the largest scale at which each weight fits into 16 bits and the sum of the magnitudes is at most `most_sum`.
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
    // Rounding adds at most 1/2 to each magnitude.
    let most_sum = most_sum - inputs as f64 / 2.0;
    (f64::from(i16::MAX) / largest).min(most_sum / sum)
}
