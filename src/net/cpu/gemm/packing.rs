//! Weights packed in the order in which the matrix multiplication reads them.

use crate::net::cpu::aligned::AlignedBuffer;
use crate::net::cpu::bf16::block::{STEP_INPUTS, TILE_SIDE};
use crate::net::cpu::vectors::to_bf16;
use crate::net::dtype::DType;

/// Maximum width of a panel of floats, in SIMD vectors of columns.
pub const MAX_F32_PANEL_VECTORS: usize = 2;
/// Maximum width of a panel of 16-bit integers, in SIMD vectors of columns.
pub const MAX_I16_PANEL_VECTORS: usize = 3;
const MAX_SUM: f64 = i32::MAX as f64;

/// One or more packed matrices of the same size: elements of a [`Kernel`](super::kernel::Kernel) in panels of columns.
#[derive(Debug)]
pub struct PackedMatrices {
    pub dtype: DType,
    /// Elements, `[panels, depth, columns of the panel]`. The panels of different matrices are interleaved: the first
    /// panel of every matrix, then the second, and so on. If `matrix_major` is true, all panels of a matrix follow one
    /// another. Padding columns are zero.
    data: AlignedBuffer,
    /// Unit of each column of integers, in the same order as in `data`; empty for other formats.
    units: AlignedBuffer,
    /// Number of elements per input row, all taps included.
    pub depth: usize,
    /// Number of columns per matrix, padding included.
    pub columns: usize,
    /// Number of panels per matrix.
    pub panels_per_matrix: usize,
    /// Maximum magnitude of a quantised input of integer matrices.
    pub largest: f32,
    matrices: usize,
    matrix_major: bool,
    /// Number of columns per vector.
    lanes: usize,
    /// All panels, in the order of `data`.
    places: Vec<PanelPlace>,
}

#[derive(Clone, Copy, Debug)]
struct PanelPlace {
    matrix: usize,
    /// First vector of columns of the panel.
    vector: usize,
    width: usize,
    /// Number of vectors that precede the panel in the packed data.
    before: usize,
}

/// Columns of a matrix that the kernel computes together.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    pub matrix: usize,
    /// First vector of columns of the panel.
    pub vector: usize,
    pub width: usize,
    /// Elements, `[depth, columns]`.
    pub weights: &'a [f32],
    /// Unit of each column; empty unless the matrix consists of integers.
    pub units: &'a [f32],
}

impl PackedMatrices {
    /// Creates `matrices` matrices of zeros, each with at least `columns` columns, for SIMD vectors with `lanes` lanes.
    /// `matrix_major` is true if the matrices are used one after another.
    pub fn zeros(
        dtype: DType,
        lanes: usize,
        (depth, columns): (usize, usize),
        matrices: usize,
        matrix_major: bool,
    ) -> Self {
        let (lanes, max_width) = match dtype {
            DType::F32 | DType::F16 => (lanes, MAX_F32_PANEL_VECTORS),
            DType::I16 => (lanes, MAX_I16_PANEL_VECTORS),
            DType::Bf16 => (TILE_SIDE, 1),
        };
        let vectors = columns.div_ceil(lanes);
        let panels_per_matrix = vectors.div_ceil(max_width);
        let mut before = 0;
        let place = |index: usize| {
            let (matrix, panel) = match matrix_major {
                true => (index / panels_per_matrix, index % panels_per_matrix),
                false => (index % matrices, index / matrices),
            };
            // The panels of a matrix differ by at most one vector in width.
            let first = |panel: usize| panel * vectors / panels_per_matrix;
            let width = first(panel + 1) - first(panel);
            before += width;
            PanelPlace {
                matrix,
                vector: first(panel),
                width,
                before: before - width,
            }
        };
        let places = (0..matrices * panels_per_matrix).map(place).collect();
        let columns = vectors * lanes;
        let units = if dtype == DType::I16 { columns } else { 0 };
        Self {
            dtype,
            data: AlignedBuffer::zeros(depth * matrices * columns),
            units: AlignedBuffer::zeros(matrices * units),
            depth,
            columns,
            panels_per_matrix,
            largest: f32::INFINITY,
            matrices,
            matrix_major,
            lanes,
            places,
        }
    }

    /// Returns the number of panels of all matrices.
    pub const fn panels(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of columns of the widest panel.
    pub fn max_panel_columns(&self) -> usize {
        let widths = self.places.iter().map(|place| place.width);
        widths.max().unwrap_or(0) * self.lanes
    }

    /// Returns the index of panel `panel` of a matrix in the order of the packed data.
    #[inline(always)]
    pub const fn panel_index(&self, matrix: usize, panel: usize) -> usize {
        match self.matrix_major {
            true => matrix * self.panels_per_matrix + panel,
            false => panel * self.matrices + matrix,
        }
    }

    /// Returns the panel at `index` in the order of the packed data.
    #[inline(always)]
    pub fn panel(&self, index: usize) -> Panel<'_> {
        let place = self.places[index];
        let (first, columns) = (place.before * self.lanes, place.width * self.lanes);
        Panel {
            matrix: place.matrix,
            vector: place.vector,
            width: place.width,
            weights: &self.data[first * self.depth..][..columns * self.depth],
            units: match self.units.is_empty() {
                true => &[],
                false => &self.units[first..][..columns],
            },
        }
    }

    /// Returns the first column, the elements (`[depth, columns]`) and the units of a panel, for packing.
    pub fn panel_mut(&mut self, index: usize) -> (usize, &mut [f32], &mut [f32]) {
        let place = self.places[index];
        let (first, columns) = (place.before * self.lanes, place.width * self.lanes);
        let units = match self.units.is_empty() {
            true => &mut [][..],
            false => &mut self.units[first..][..columns],
        };
        let data = &mut self.data[first * self.depth..][..columns * self.depth];
        (place.vector * self.lanes, data, units)
    }

    /// Sets the elements of the first `outputs` columns of all matrices to the bits that `element` returns for a matrix,
    /// the index of an element and a column.
    fn fill(mut self, outputs: usize, element: impl Fn(usize, usize, usize) -> u32) -> Self {
        for index in 0..self.panels() {
            let PanelPlace { matrix, width, .. } = self.places[index];
            let columns = width * self.lanes;
            let (first, data, _) = self.panel_mut(index);
            let last = outputs.min(first + columns);
            for (depth, row) in data.chunks_exact_mut(columns).enumerate() {
                for (to, column) in row.iter_mut().zip(first..last) {
                    *to = f32::from_bits(element(matrix, depth, column));
                }
            }
        }
        self
    }

    /// Packs matrices (`[matrices, depth, outputs]`) in floats for vectors with `lanes` lanes.
    pub fn pack_f32(
        lanes: usize,
        weights: &[f32],
        matrices: usize,
        outputs: usize,
        matrix_major: bool,
    ) -> Self {
        let depth = weights.len() / (matrices * outputs);
        let shape = (depth, outputs);
        let packed = Self::zeros(DType::F32, lanes, shape, matrices, matrix_major);
        packed.fill(outputs, |matrix, element, column| {
            weights[(matrix * depth + element) * outputs + column].to_bits()
        })
    }

    /// Rounds matrices (`[matrices, taps, inputs, outputs]`) to bfloat16 and packs them. Each pair consists of two
    /// consecutive inputs.
    pub fn pack_bf16(weights: &[f32], matrices: usize, taps: usize, outputs: usize) -> Self {
        let inputs = weights.len() / (matrices * taps * outputs);
        let pairs = inputs.next_multiple_of(STEP_INPUTS) / 2;
        let packed = Self::zeros(
            DType::Bf16,
            TILE_SIDE,
            (taps * pairs, outputs),
            matrices,
            false,
        );
        packed.fill(outputs, |matrix, element, column| {
            let (tap, pair) = (element / pairs, element % pairs);
            let [low, high] = [2 * pair, 2 * pair + 1].map(|input| match input < inputs {
                true => {
                    to_bf16(weights[((matrix * taps + tap) * inputs + input) * outputs + column])
                }
                false => 0,
            });
            pack_pair(low, high)
        })
    }

    /// Quantises and packs matrices (`[matrices, inputs, outputs]`) for vectors with `lanes` lanes.
    ///
    /// For each matrix, `units` contains the unit of the rows that are multiplied by the matrix. The integers in these
    /// rows must not exceed [`max_quantized_input`]. The scale of each column is chosen so that no sum can overflow.
    pub fn quantize_and_pack(lanes: usize, weights: &[f32], outputs: usize, units: &[f32]) -> Self {
        let matrices = units.len();
        let inputs = weights.len() / (matrices * outputs);
        let depth = inputs.div_ceil(2 * lanes) * lanes;
        let mut packed = Self::zeros(DType::I16, lanes, (depth, outputs), matrices, false);
        packed.largest = max_quantized_input(inputs);
        let max_sum = MAX_SUM / f64::from(packed.largest);
        let weight = |matrix: usize, input: usize, column: usize| {
            f64::from(weights[(matrix * inputs + input) * outputs + column])
        };
        let scales: Vec<f64> = (0..matrices * outputs)
            .map(|at| {
                let (matrix, column) = (at / outputs, at % outputs);
                column_scale(inputs, max_sum, |input| weight(matrix, input, column))
            })
            .collect();
        for index in 0..packed.panels() {
            let matrix = packed.places[index].matrix;
            let (first, _, column_units) = packed.panel_mut(index);
            let scales = &scales[matrix * outputs..][..outputs];
            for (unit, scale) in column_units.iter_mut().zip(&scales[first..]) {
                *unit = (f64::from(units[matrix]) / scale) as f32;
            }
        }
        packed.fill(outputs, |matrix, pair, column| {
            let scale = scales[matrix * outputs + column];
            let [low, high] = channels_of_pair(lanes, pair).map(|input| match input < inputs {
                true => (weight(matrix, input, column) * scale).round_ties_even() as i16,
                false => 0,
            });
            pack_pair(low as u16, high as u16)
        })
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
pub const fn channels_of_pair(lanes: usize, pair: usize) -> [usize; 2] {
    let first = pair / lanes * 2 * lanes + pair % lanes;
    [first, first + lanes]
}

pub const fn pack_pair(low: u16, high: u16) -> u32 {
    low as u32 | (high as u32) << 16
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
