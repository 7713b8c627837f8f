//! Matrix products over gathered rows, as a custom candle operation for the CPU.
//!
//! This is the dominant cost of the network. A product runs on the calling thread with the widest SIMD instructions
//! available (AVX-512, AVX2 or NEON), in safe code. candle's matrix product is not used, because each call reads the
//! system's processor list to choose a number of threads, which takes longer than a small layer.
//!
//! The output is computed in register blocks of a few rows by two vectors of columns. The sums of a block stay in
//! registers while the inputs are read. A convolution runs the same loop over the rows of the points under its
//! kernel, without gathering them into a temporary matrix.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use pulp::{Arch, Simd, WithSimd};

/// Row index in a neighbour table for points off the board, where all inputs are zero.
pub const OFF_BOARD: usize = usize::MAX;
/// Vectors per row of a register block.
const VECTORS: usize = 2;
/// Upper bound on the width of a register block, in elements, for all instruction sets.
const MOST_COLUMNS: usize = 64;

/// Matrix and bias, packed in the order in which the kernel reads them.
#[derive(Debug)]
pub struct Matrix {
    /// One panel per group of columns as wide as a register block: the bias, then the weights input by input.
    ///
    /// The last panel is padded with zeros.
    panels: Vec<f32>,
    inputs: usize,
    outputs: usize,
    /// Number of input rows concatenated for each output row.
    taps: usize,
}

impl Matrix {
    /// Packs `weights` (`[taps, channels, outputs]`) and the bias (`[outputs]`).
    pub fn new(weights: &[f32], bias: &[f32], taps: usize) -> Self {
        let outputs = bias.len();
        let width = VECTORS * Arch::new().dispatch(Lanes);
        let mut panels = Vec::with_capacity((bias.len() + weights.len()).next_multiple_of(width));
        for first in (0..outputs).step_by(width) {
            let last = (first + width).min(outputs);
            for row in std::iter::once(bias).chain(weights.chunks_exact(outputs)) {
                panels.extend_from_slice(&row[first..last]);
                panels.extend(std::iter::repeat_n(0.0, first + width - last));
            }
        }
        Self {
            panels,
            inputs: weights.len() / outputs,
            outputs,
            taps,
        }
    }

    /// Multiplies each row of `x` by the matrix, adds the bias and applies `max(_, floor)`.
    pub fn of_rows(&self, x: &Tensor, floor: f32) -> Result<Tensor> {
        x.apply_op1_no_bwd(&Product {
            matrix: self,
            neighbours: None,
            floor,
        })
    }

    /// Computes a convolution through a neighbour table.
    ///
    /// Output row `r` is the product of the concatenated rows `neighbours[taps * r..][..taps]` of `x` and the matrix,
    /// plus the bias, with `max(_, floor)` applied.
    pub fn of_neighbours(&self, x: &Tensor, neighbours: &[usize], floor: f32) -> Result<Tensor> {
        x.apply_op1_no_bwd(&Product {
            matrix: self,
            neighbours: Some(neighbours),
            floor,
        })
    }
}

/// Custom candle operation that computes one product.
struct Product<'a> {
    matrix: &'a Matrix,
    /// `taps` row indices per output row. `None` if each output row uses the input row with the same index.
    neighbours: Option<&'a [usize]>,
    floor: f32,
}

impl CustomOp1 for Product<'_> {
    fn name(&self) -> &'static str {
        "product"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Self {
            matrix,
            neighbours,
            floor,
        } = *self;
        let (rows, channels) = layout.shape().dims2()?;
        let taps = matrix.taps;
        let Some((start, end)) = layout.contiguous_offsets() else {
            candle_core::bail!("expected contiguous rows, found {layout:?}");
        };
        let table = neighbours.map_or(rows, |neighbours| neighbours.len() / taps);
        if channels * taps != matrix.inputs || table != rows || (neighbours.is_none() && taps != 1)
        {
            let expected = (table, matrix.inputs / taps);
            candle_core::bail!(
                "expected {expected:?} rows and channels, found {:?}",
                (rows, channels)
            );
        }
        let mut output = vec![0.0; rows * matrix.outputs];
        let zero = vec![0.0; channels];
        let x = &storage.as_slice()?[start..end];
        let source = Source {
            x,
            zero: &zero,
            neighbours,
            taps,
            rows,
        };
        Arch::new().dispatch(Kernel {
            matrix,
            source,
            floor,
            output: &mut output,
        });
        Ok((CpuStorage::F32(output), (rows, matrix.outputs).into()))
    }
}

/// Input rows of the kernel.
#[derive(Clone, Copy)]
struct Source<'a> {
    x: &'a [f32],
    /// Inputs of points off the board.
    zero: &'a [f32],
    neighbours: Option<&'a [usize]>,
    taps: usize,
    rows: usize,
}

impl<'a> Source<'a> {
    /// Returns the inputs of output row `row` under tap `tap`.
    #[inline(always)]
    fn inputs(&self, row: usize, tap: usize) -> &'a [f32] {
        let channels = self.zero.len();
        match self
            .neighbours
            .map_or(row, |neighbours| neighbours[self.taps * row + tap])
        {
            OFF_BOARD => self.zero,
            from => &self.x[from * channels..][..channels],
        }
    }
}

/// One product, dispatched to the available SIMD instruction set.
struct Kernel<'a> {
    matrix: &'a Matrix,
    source: Source<'a>,
    floor: f32,
    output: &'a mut [f32],
}

impl WithSimd for Kernel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // The number of rows is limited by the registers that hold the sums, the current weights and one input.
        if S::REGISTER_COUNT >= 32 {
            self.run::<S, 12>(simd)
        } else {
            self.run::<S, 6>(simd)
        }
    }
}

impl Kernel<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(self, simd: S) {
        let Self {
            matrix,
            source,
            floor,
            output,
        } = self;
        let floor = simd.splat_f32s(floor);
        let width = VECTORS * S::F32_LANES;
        for (index, panel) in matrix
            .panels
            .chunks_exact((1 + matrix.inputs) * width)
            .enumerate()
        {
            let (bias, weights) = S::as_simd_f32s(panel).0.split_at(VECTORS);
            let columns = index * width..matrix.outputs.min((index + 1) * width);
            for first in (0..source.rows).step_by(ROWS) {
                // The last block repeats the last row, so that every block is full.
                let row = |place: usize| (first + place).min(source.rows - 1);
                let mut sums = [[bias[0], bias[1]]; ROWS];
                for (tap, weights) in weights
                    .chunks_exact(VECTORS * source.zero.len())
                    .enumerate()
                {
                    let inputs = std::array::from_fn(|place| source.inputs(row(place), tap));
                    add_products::<S, ROWS>(simd, inputs, weights, &mut sums);
                }
                for (place, sums) in sums.iter().enumerate() {
                    let mut whole = [0.0; MOST_COLUMNS];
                    let (vectors, _) = S::as_mut_simd_f32s(&mut whole);
                    // Propagates NaN, in contrast to a SIMD maximum.
                    let floored = sums
                        .map(|sum| simd.select_f32s(simd.less_than_f32s(sum, floor), floor, sum));
                    vectors[..VECTORS].copy_from_slice(&floored);
                    let at = row(place) * matrix.outputs;
                    output[at + columns.start..at + columns.end]
                        .copy_from_slice(&whole[..columns.len()]);
                }
            }
        }
    }
}

/// Adds the products of each row's inputs and the weights to the row's sums. There are two vectors per input.
#[inline(always)]
fn add_products<S: Simd, const ROWS: usize>(
    simd: S,
    inputs: [&[f32]; ROWS],
    weights: &[S::f32s],
    sums: &mut [[S::f32s; VECTORS]; ROWS],
) {
    let channels = weights.len() / VECTORS;
    let inputs: [&[f32]; ROWS] = std::array::from_fn(|row| &inputs[row][..channels]);
    // A local copy without outstanding references can be held in registers.
    let mut local = *sums;
    for (channel, pair) in weights.chunks_exact(VECTORS).enumerate() {
        for row in 0..ROWS {
            let input = simd.splat_f32s(inputs[row][channel]);
            local[row][0] = simd.mul_add_e_f32s(input, pair[0], local[row][0]);
            local[row][1] = simd.mul_add_e_f32s(input, pair[1], local[row][1]);
        }
    }
    *sums = local;
}

/// Queries the number of `f32` lanes in a vector.
struct Lanes;

impl WithSimd for Lanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;
    use candle_core::Device;

    /// Random integers as floats, for which sums are exact in any order.
    fn numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
        (0..count).map(|_| rng.below(9) as f32 - 4.0).collect()
    }

    /// Straightforward reference product. `from` lists the source rows of `x` for each output row.
    fn by_definition(
        x: &[f32],
        channels: usize,
        from: &[Vec<usize>],
        weights: &[f32],
        bias: &[f32],
    ) -> Vec<f32> {
        let mut result = Vec::new();
        for sources in from {
            for (output, bias) in bias.iter().enumerate() {
                let outputs = weights.len() / (sources.len() * channels);
                let weight = |input: usize| weights[input * outputs + output];
                let input = |tap: usize, channel: usize| match sources[tap] {
                    OFF_BOARD => 0.0,
                    row => x[row * channels + channel],
                };
                let inputs = (0..sources.len())
                    .flat_map(|tap| (0..channels).map(move |channel| (tap, channel)));
                let terms = inputs
                    .map(|(tap, channel)| input(tap, channel) * weight(tap * channels + channel));
                result.push(bias + terms.sum::<f32>());
            }
        }
        result
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let mut rng = Rng::new(3);
        for (rows, channels, outputs) in
            [(1, 1, 1), (5, 7, 3), (12, 8, 32), (13, 3, 33), (25, 16, 70)]
        {
            let x = numbers(&mut rng, rows * channels);
            let tensor = Tensor::from_slice(&x, (rows, channels), &Device::Cpu).unwrap();
            for (taps, floor) in [(1, f32::NEG_INFINITY), (1, 0.0), (9, 0.0), (25, -2.0)] {
                let weights = numbers(&mut rng, taps * channels * outputs);
                let bias = numbers(&mut rng, outputs);
                let any_row = |rng: &mut Rng| match rng.below(rows + 1) {
                    row if row == rows => OFF_BOARD,
                    row => row,
                };
                let from: Vec<Vec<usize>> = match taps {
                    1 => (0..rows).map(|row| vec![row]).collect(),
                    _ => (0..rows)
                        .map(|_| (0..taps).map(|_| any_row(&mut rng)).collect())
                        .collect(),
                };
                let matrix = Matrix::new(&weights, &bias, taps);
                let result = match taps {
                    1 => matrix.of_rows(&tensor, floor),
                    _ => matrix.of_neighbours(&tensor, &from.concat(), floor),
                };
                let found: Vec<f32> = result.unwrap().flatten_all().unwrap().to_vec1().unwrap();
                let mut expected = by_definition(&x, channels, &from, &weights, &bias);
                expected.iter_mut().for_each(|x| *x = x.max(floor));
                assert_eq!(
                    found, expected,
                    "{rows} rows, {channels} channels, {outputs} outputs, {taps} taps, at least {floor}"
                );
            }
        }
    }

    #[test]
    fn tensors_of_another_size_are_refused() {
        let matrix = Matrix::new(&[1.0; 6], &[0.0; 2], 1);
        let wide = Tensor::zeros((2, 4), candle_core::DType::F32, &Device::Cpu).unwrap();
        let text = matrix.of_rows(&wide, 0.0).unwrap_err().to_string();
        assert!(
            text.contains("expected (2, 3) rows and channels, found (2, 4)"),
            "{text}"
        );
    }
}
