//! Weights packed in the order in which the matrix multiplication reads them.

use pulp::Simd;

use super::kernel::{Floats, Kernel, MAX_F32_PANEL_VECTORS, MAX_I16_PANEL_VECTORS};
use crate::net::cpu::aligned::AlignedBuffer;

/// Largest magnitude of a 32-bit sum.
const MAX_SUM: f64 = i32::MAX as f64;

/// One or more packed matrices of the same size. `T` is the element type of a [`Kernel`].
#[derive(Debug, Default)]
pub struct PackedMatrices<T> {
    /// Weights. Floats have the order `[matrices, panels, depth, columns of the panel]`, because their matrices are
    /// used one after another. Integers have the order `[panels, matrices, depth, columns of the panel]`. Padding
    /// columns are zero.
    data: AlignedBuffer<T>,
    /// Unit of each column, `[panels, matrices, columns of the panel]`; empty for floats. Multiplying an integer sum by
    /// the unit of its column converts the sum to a float.
    units: AlignedBuffer,
    /// Number of elements per input row, all taps included.
    pub depth: usize,
    /// Number of vectors of columns.
    pub vectors: usize,
    matrices: usize,
}

/// Splits `vectors` vectors of columns into panels of at most `max_width` vectors and nearly equal width (the
/// difference is at most 1). Yields the first vector and the number of vectors of each panel.
pub fn panel_vector_ranges(
    vectors: usize,
    max_width: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let count = vectors.div_ceil(max_width);
    let first = move |panel: usize| panel * vectors / count;
    (0..count).map(move |panel| (first(panel), first(panel + 1) - first(panel)))
}

impl<T: Copy + Default> PackedMatrices<T> {
    /// Creates `matrices` matrices of zeros for SIMD vectors with `lanes` lanes. `units` is true for integers, whose
    /// columns have units.
    pub fn zeros(lanes: usize, depth: usize, vectors: usize, matrices: usize, units: bool) -> Self {
        let columns = matrices * vectors * lanes;
        Self {
            data: AlignedBuffer::zeros(depth * columns),
            units: AlignedBuffer::zeros(if units { columns } else { 0 }),
            depth,
            vectors,
            matrices,
        }
    }

    /// Returns the number of vectors of columns that precede a panel in the packed data. The panel starts at vector
    /// `vector` of the matrix and has `width` vectors.
    #[inline(always)]
    fn first_vector(&self, matrix: usize, vector: usize, width: usize) -> usize {
        match self.units.is_empty() {
            true => matrix * self.vectors + vector,
            false => self.matrices * vector + matrix * width,
        }
    }

    /// Returns the weights (`[depth, vectors]`) and the units of a panel of matrix `matrix`. The panel is given by its
    /// first vector and its number of vectors, as yielded by [`panel_vector_ranges`]. Floats have no units.
    #[inline(always)]
    pub fn panel_with_units<K: Kernel<Element = T>>(
        &self,
        matrix: usize,
        (vector, width): (usize, usize),
    ) -> (&[K::Vector], &[Floats<K>]) {
        let first = self.first_vector(matrix, vector, width);
        let weights = &K::vectors(&self.data)[first * self.depth..][..width * self.depth];
        let units = <K::Simd as Simd>::as_simd_f32s(&self.units).0;
        match units.is_empty() {
            true => (weights, units),
            false => (weights, &units[first..][..width]),
        }
    }

    /// Returns the weights and the units of a panel, for packing. The panel is given by its first vector and its number
    /// of vectors, as yielded by [`panel_vector_ranges`].
    pub fn panel_with_units_mut(
        &mut self,
        lanes: usize,
        matrix: usize,
        (vector, width): (usize, usize),
    ) -> (&mut [T], &mut [f32]) {
        let first = self.first_vector(matrix, vector, width) * lanes;
        let columns = width * lanes;
        let units = match self.units.is_empty() {
            true => &mut [][..],
            false => &mut self.units[first..][..columns],
        };
        (
            &mut self.data[first * self.depth..][..columns * self.depth],
            units,
        )
    }
}

impl PackedMatrices<f32> {
    /// Packs matrices (`[matrices, depth, outputs]`) for vectors with `lanes` lanes.
    pub fn pack_f32(lanes: usize, weights: &[f32], matrices: usize, outputs: usize) -> Self {
        let depth = weights.len() / (matrices * outputs);
        let mut packed = Self::zeros(lanes, depth, outputs.div_ceil(lanes), matrices, false);
        for (matrix, weights) in weights.chunks_exact(depth * outputs).enumerate() {
            for panel in panel_vector_ranges(packed.vectors, MAX_F32_PANEL_VECTORS) {
                let (first, width) = (panel.0 * lanes, panel.1 * lanes);
                let last = outputs.min(first + width);
                let (data, _) = packed.panel_with_units_mut(lanes, matrix, panel);
                for (to, row) in data
                    .chunks_exact_mut(width)
                    .zip(weights.chunks_exact(outputs))
                {
                    to[..last - first].copy_from_slice(&row[first..last]);
                }
            }
        }
        packed
    }
}

/// Returns the maximum magnitude of quantised inputs in a dot product over `inputs` channels.
///
/// To prevent overflow, the magnitudes of an output's quantised weights may add up to at most 2^31 divided by this
/// maximum. A larger maximum therefore means finer inputs and coarser weights. The rounding errors of inputs and
/// weights are about equal if the root mean square of the inputs is 1/64 of the maximum and the root mean square of the
/// weights is 1.25 times their mean magnitude.
pub fn max_quantized_input(inputs: usize) -> f32 {
    let balanced = (80.0 * MAX_SUM / inputs as f64).sqrt();
    balanced.min(f64::from(i16::MAX)).floor() as f32
}

/// Returns the two channels of a pair: the same lane of two consecutive vectors.
pub fn channels_of_pair(lanes: usize, pair: usize) -> [usize; 2] {
    let first = pair / lanes * 2 * lanes + pair % lanes;
    [first, first + lanes]
}

/// Packs two integers into a pair.
pub const fn pack_pair(low: i16, high: i16) -> u32 {
    low as u16 as u32 | (high as u16 as u32) << 16
}

impl PackedMatrices<u32> {
    /// Quantises and packs matrices (`[matrices, inputs, outputs]`) for vectors with `lanes` lanes.
    ///
    /// For each matrix, `units` contains the value of one quantisation step in the rows that are multiplied by
    /// the matrix. `largest` is the maximum magnitude of a quantised input. The scale of each column is chosen so that
    /// no sum can overflow.
    pub fn quantize_and_pack(
        lanes: usize,
        weights: &[f32],
        outputs: usize,
        units: &[f32],
        largest: f32,
    ) -> Self {
        let inputs = weights.len() / (units.len() * outputs);
        let depth = inputs.div_ceil(lanes).div_ceil(2) * lanes;
        let mut packed = Self::zeros(lanes, depth, outputs.div_ceil(lanes), units.len(), true);
        let max_sum = MAX_SUM / f64::from(largest);
        for (matrix, weights) in weights.chunks_exact(inputs * outputs).enumerate() {
            for panel in panel_vector_ranges(packed.vectors, MAX_I16_PANEL_VECTORS) {
                let (first, width) = (panel.0 * lanes, panel.1 * lanes);
                let (data, column_units) = packed.panel_with_units_mut(lanes, matrix, panel);
                for column in first..outputs.min(first + width) {
                    let weight = |input: usize| match weights.get(input * outputs + column) {
                        Some(weight) if input < inputs => f64::from(*weight),
                        _ => 0.0,
                    };
                    let scale = column_scale(inputs, max_sum, weight);
                    let column = column - first;
                    column_units[column] = (f64::from(units[matrix]) / scale) as f32;
                    for pair in 0..depth {
                        let [low, high] = channels_of_pair(lanes, pair)
                            .map(|input| (weight(input) * scale).round_ties_even() as i16);
                        data[pair * width + column] = pack_pair(low, high);
                    }
                }
            }
        }
        packed
    }
}

/// Returns the factor by which a column of weights is multiplied before rounding: the largest for which each weight
/// fits into 16 bits and the magnitudes of the rounded weights add up to at most `max_sum`. Returns 1 for a column of
/// zeros.
fn column_scale(inputs: usize, max_sum: f64, weight: impl Fn(usize) -> f64) -> f64 {
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for input in 0..inputs {
        let magnitude = weight(input).abs();
        largest = largest.max(magnitude);
        sum += magnitude;
    }
    if sum == 0.0 {
        return 1.0;
    }
    // Rounding adds at most 1/2 to each magnitude.
    let max_sum = max_sum - inputs as f64 / 2.0;
    (f64::from(i16::MAX) / largest).min(max_sum / sum)
}
