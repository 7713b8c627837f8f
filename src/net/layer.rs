//! The layers the three parts are made of: norm, linear maps and convolutions, global pooling.
//!
//! Activations are channels-last matrices: one row per point, position after position, one column per channel. So a
//! 1x1 convolution is a matrix product, and a 3x3 convolution is the same product over the rows of the neighbours.
//! Norms are batch norms with fixed statistics, and are folded into the linear map before them wherever there is one.

use candle_core::{CpuStorage, CustomOp1, D, Device, Layout, Result, Shape, Tensor};

use super::error::NetError;
use super::product::{Matrix, OFF_BOARD};
use super::weights::{Array, Weights};

/// Added to variances by the trainer's batch norm.
const NORM_EPSILON: f32 = 1e-5;

/// The boards of one batch: all of the same size, every point on board (hence no mask).
#[derive(Debug)]
pub(super) struct Grid {
    count: usize,
    height: usize,
    width: usize,
    /// For each point of the batch its nine neighbours, itself among them, in reading order.
    neighbours: Vec<usize>,
}

impl Grid {
    /// `count` boards of `height` rows and `width` columns.
    pub fn new(count: usize, height: usize, width: usize) -> Self {
        let mut neighbours = Vec::with_capacity(9 * count * height * width);
        for board in 0..count {
            for (row, column) in
                (0..height).flat_map(|row| (0..width).map(move |column| (row, column)))
            {
                for (down, right) in (0..3).flat_map(|down| (0..3).map(move |right| (down, right)))
                {
                    // Counted from 1, so that the row and column before the first need no negative number.
                    let (row, column) = (row + down, column + right);
                    let on_board = (1..=height).contains(&row) && (1..=width).contains(&column);
                    let point = || (board * height + row - 1) * width + column - 1;
                    neighbours.push(if on_board { point() } else { OFF_BOARD });
                }
            }
        }
        Self {
            count,
            height,
            width,
            neighbours,
        }
    }

    /// Number of boards.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points of one board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }
}

/// `relu(scale * x + shift)` per channel: a batch norm with fixed statistics and its activation.
#[derive(Debug)]
pub(super) struct Norm {
    scale: Tensor,
    shift: Tensor,
}

impl Norm {
    /// Folds the four tensors of the norm called `name`.
    pub fn load(weights: &Weights, name: &str) -> std::result::Result<Self, NetError> {
        let (scale, shift) = folded(weights, name)?;
        Ok(Self {
            scale: vector(scale)?,
            shift: vector(shift)?,
        })
    }

    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.broadcast_mul(&self.scale)?
            .broadcast_add(&self.shift)?
            .relu()
    }
}

/// A linear map of rows, which is a layer of the heads, a 1x1 convolution or a 3x3 convolution.
#[derive(Debug)]
pub(super) struct Linear(
    /// Boxed, since the parts hold many layers and some hold them or not.
    Box<Matrix>,
);

impl Linear {
    /// The map `name` without bias.
    pub fn plain(weights: &Weights, name: &str) -> std::result::Result<Self, NetError> {
        let array = weights.array(&format!("{name}.weight"))?;
        let outputs = array.shape[0];
        Ok(Self::pack(array, &vec![1.0; outputs], &vec![0.0; outputs]))
    }

    /// The map `name` with its own bias.
    pub fn biased(weights: &Weights, name: &str) -> std::result::Result<Self, NetError> {
        let bias = &weights.array(&format!("{name}.bias"))?.values;
        Ok(Self::pack(
            weights.array(&format!("{name}.weight"))?,
            &vec![1.0; bias.len()],
            bias,
        ))
    }

    /// The map `name` followed by the norm `norm`, without the activation.
    pub fn normed(
        weights: &Weights,
        name: &str,
        norm: &str,
    ) -> std::result::Result<Self, NetError> {
        let (scale, shift) = folded(weights, norm)?;
        Ok(Self::pack(
            weights.array(&format!("{name}.weight"))?,
            &scale,
            &shift,
        ))
    }

    /// The map `name` followed by the scale of the norm `norm`: one of two maps whose sum goes into that norm.
    pub fn scaled(
        weights: &Weights,
        name: &str,
        norm: &str,
    ) -> std::result::Result<Self, NetError> {
        let (scale, _) = folded(weights, norm)?;
        Ok(Self::pack(
            weights.array(&format!("{name}.weight"))?,
            &scale,
            &vec![0.0; scale.len()],
        ))
    }

    /// A layer stored as `[outputs, inputs]` or `[outputs, inputs, height, width]`, each output scaled, then shifted.
    fn pack(array: &Array, scale: &[f32], shift: &[f32]) -> Self {
        let Array { shape, values } = array;
        let (inputs, taps) = (shape[1], shape[2..].iter().product::<usize>());
        let mut turned = Vec::with_capacity(values.len());
        for tap in 0..taps {
            for input in 0..inputs {
                let at = |output: usize| values[(output * inputs + input) * taps + tap];
                turned.extend(
                    scale
                        .iter()
                        .enumerate()
                        .map(|(output, scale)| at(output) * scale),
                );
            }
        }
        Self(Box::new(Matrix::new(&turned, shift)))
    }

    /// Each row for itself: `[rows, inputs]` to `[rows, outputs]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.0.of_rows(x)
    }

    /// The 3x3 neighbourhood of each point, zero beyond the edge: `[rows, inputs]` to `[rows, outputs]`.
    pub fn convolve(&self, x: &Tensor, grid: &Grid) -> Result<Tensor> {
        self.0.of_neighbours(x, &grid.neighbours)
    }
}

/// Adds to every row of a position the row of `added` (`[count, channels]`) that belongs to the position.
pub(super) fn add_to_positions(x: &Tensor, added: &Tensor, grid: &Grid) -> Result<Tensor> {
    let channels = x.dim(D::Minus1)?;
    let boards = x.reshape((grid.count, grid.area(), channels))?;
    boards
        .broadcast_add(&added.unsqueeze(1)?)?
        .reshape(x.shape())
}

/// Which features [`pooled`] takes from each channel. With mean m over the board and side s = sqrt(points):
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// m, m (s - 14) / 10, maximum
    Max,
    /// m, m (s - 14) / 10, m ((s - 14)^2 / 100 - 0.1)
    Mean,
}

/// Features of whole boards: `[rows, channels]` to `[count, 3 * channels]`.
pub(super) fn pooled(x: &Tensor, pooling: Pooling, grid: &Grid) -> Result<Tensor> {
    x.apply_op1_no_bwd(&Pooled(pooling, grid))
}

struct Pooled<'a>(Pooling, &'a Grid);

impl CustomOp1 for Pooled<'_> {
    fn name(&self) -> &'static str {
        "pooled"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Self(pooling, grid) = *self;
        let (x, channels) = rows(storage, layout, grid)?;
        let side = (grid.area() as f32).sqrt() - 14.0;
        let mut output = Vec::with_capacity(grid.count * 3 * channels);
        for board in x.chunks_exact(grid.area() * channels) {
            let mut mean = vec![0.0; channels];
            let mut largest = vec![f32::NEG_INFINITY; channels];
            for point in board.chunks_exact(channels) {
                mean.iter_mut()
                    .zip(point)
                    .for_each(|(sum, value)| *sum += value);
                largest
                    .iter_mut()
                    .zip(point)
                    .for_each(|(most, value)| *most = most.max(*value));
            }
            mean.iter_mut().for_each(|sum| *sum /= grid.area() as f32);
            output.extend_from_slice(&mean);
            output.extend(mean.iter().map(|mean| mean * side / 10.0));
            match pooling {
                Pooling::Max => output.extend_from_slice(&largest),
                Pooling::Mean => {
                    output.extend(mean.iter().map(|mean| mean * (side * side / 100.0 - 0.1)))
                }
            }
        }
        Ok((CpuStorage::F32(output), (grid.count, 3 * channels).into()))
    }
}

/// The contiguous numbers of a `[rows, channels]` tensor over `grid`, and the number of channels.
fn rows<'a>(storage: &'a CpuStorage, layout: &Layout, grid: &Grid) -> Result<(&'a [f32], usize)> {
    let (count, channels) = layout.shape().dims2()?;
    match layout.contiguous_offsets() {
        Some((start, end)) if count == grid.count * grid.area() => {
            Ok((&storage.as_slice()?[start..end], channels))
        }
        _ => candle_core::bail!("expected contiguous rows for {grid:?}, found {layout:?}"),
    }
}

/// Scale and shift of the norm `name`.
fn folded(weights: &Weights, name: &str) -> std::result::Result<(Vec<f32>, Vec<f32>), NetError> {
    let part = |part: &str| Ok::<_, NetError>(&weights.array(&format!("{name}.{part}"))?.values);
    let (weight, bias, mean, variance) = (
        part("weight")?,
        part("bias")?,
        part("running_mean")?,
        part("running_var")?,
    );
    let scale: Vec<f32> = weight
        .iter()
        .zip(variance)
        .map(|(weight, var)| weight / (var + NORM_EPSILON).sqrt())
        .collect();
    let shift = bias
        .iter()
        .zip(mean)
        .zip(&scale)
        .map(|((bias, mean), scale)| bias - mean * scale)
        .collect();
    Ok((scale, shift))
}

/// A vector as a tensor.
fn vector(values: Vec<f32>) -> Result<Tensor> {
    let length = values.len();
    Tensor::from_vec(values, length, &Device::Cpu)
}
