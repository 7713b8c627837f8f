//! The layers the three parts are made of: norm, linear maps, the patches that make a convolution one, global pooling.
//!
//! Activations are channels-last matrices: one row per point, position after position, one column per channel. So a
//! 1x1 convolution is a matrix product, and a 3x3 convolution is the same product over the gathered neighbourhood of
//! every point; of the formulations candle's operations allow on a CPU this is the fastest. Norms are batch norms
//! with fixed statistics, and are folded into the linear map before them wherever there is one.

use candle_core::{CpuStorage, CustomOp1, D, Device, Layout, Result, Shape, Tensor};

use super::error::NetError;
use super::weights::{Array, Weights};

/// Added to variances by the trainer's batch norm.
const NORM_EPSILON: f32 = 1e-5;

/// The boards of one batch: all of the same size, every point on board (hence no mask).
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Positions.
    pub count: usize,
    /// Rows of a board.
    pub height: usize,
    /// Columns of a board.
    pub width: usize,
}

impl Grid {
    /// Points of one board.
    pub fn area(self) -> usize {
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

/// A linear map of rows, which is a layer of the heads, a 1x1 convolution, or a 3x3 convolution over [`patches`].
#[derive(Debug)]
pub(super) struct Linear {
    /// `[inputs, outputs]`
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    /// The map `name` without bias.
    pub fn plain(weights: &Weights, name: &str) -> std::result::Result<Self, NetError> {
        Ok(Self {
            weight: matrix(weights, name, None)?,
            bias: None,
        })
    }

    /// The map `name` with its own bias.
    pub fn biased(weights: &Weights, name: &str) -> std::result::Result<Self, NetError> {
        let bias = weights.array(&format!("{name}.bias"))?.values.clone();
        Ok(Self {
            weight: matrix(weights, name, None)?,
            bias: Some(vector(bias)?),
        })
    }

    /// The map `name` followed by the norm `norm`, without the activation.
    pub fn normed(
        weights: &Weights,
        name: &str,
        norm: &str,
    ) -> std::result::Result<Self, NetError> {
        let (scale, shift) = folded(weights, norm)?;
        Ok(Self {
            weight: matrix(weights, name, Some(&scale))?,
            bias: Some(vector(shift)?),
        })
    }

    /// The map `name` followed by the scale of the norm `norm`: one of two maps whose sum goes into that norm.
    pub fn scaled(
        weights: &Weights,
        name: &str,
        norm: &str,
    ) -> std::result::Result<Self, NetError> {
        let (scale, _) = folded(weights, norm)?;
        Ok(Self {
            weight: matrix(weights, name, Some(&scale))?,
            bias: None,
        })
    }

    /// `x` is `[rows, inputs]`, the result `[rows, outputs]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = x.matmul(&self.weight)?;
        match &self.bias {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }
}

/// Adds to every row of a position the row of `added` (`[count, channels]`) that belongs to the position.
pub(super) fn add_to_positions(x: &Tensor, added: &Tensor, grid: Grid) -> Result<Tensor> {
    let channels = x.dim(D::Minus1)?;
    let boards = x.reshape((grid.count, grid.area(), channels))?;
    boards
        .broadcast_add(&added.unsqueeze(1)?)?
        .reshape(x.shape())
}

/// The 3x3 neighbourhood of every point, zero beyond the edge: `[rows, channels]` to `[rows, 9 * channels]`, the
/// neighbours in reading order.
pub(super) fn patches(x: &Tensor, grid: Grid) -> Result<Tensor> {
    x.apply_op1_no_bwd(&Patches(grid))
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
pub(super) fn pooled(x: &Tensor, pooling: Pooling, grid: Grid) -> Result<Tensor> {
    x.apply_op1_no_bwd(&Pooled(pooling, grid))
}

struct Patches(Grid);

impl CustomOp1 for Patches {
    fn name(&self) -> &'static str {
        "patches"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Self(Grid {
            count,
            height,
            width,
        }) = *self;
        let (x, channels) = rows(storage, layout, self.0)?;
        let mut output = vec![0.0; x.len() * 9];
        for (index, patch) in output.chunks_exact_mut(9 * channels).enumerate() {
            let (row, column) = (index / width, index % width);
            let (first, last) = (row - row % height, row - row % height + height - 1);
            // The neighbours of one row lie side by side, in the input as in the patch.
            let left = usize::from(column == 0);
            let neighbours = 3 - left - usize::from(column + 1 == width);
            for step in 0..3 {
                if (row + step) > first && row + step <= last + 1 {
                    let from = ((row + step - 1) * width + column + left - 1) * channels;
                    let to = (3 * step + left) * channels;
                    let length = neighbours * channels;
                    patch[to..to + length].copy_from_slice(&x[from..from + length]);
                }
            }
        }
        Ok((
            CpuStorage::F32(output),
            (count * height * width, 9 * channels).into(),
        ))
    }
}

struct Pooled(Pooling, Grid);

impl CustomOp1 for Pooled {
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
fn rows<'a>(storage: &'a CpuStorage, layout: &Layout, grid: Grid) -> Result<(&'a [f32], usize)> {
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

/// The matrix `[inputs, outputs]` of the layer `name`, stored `[outputs, inputs]` or `[outputs, inputs, 3, 3]` (or 1, 1),
/// with the outputs scaled. The inputs of a 3x3 convolution come in the order of [`patches`].
fn matrix(
    weights: &Weights,
    name: &str,
    scale: Option<&[f32]>,
) -> std::result::Result<Tensor, NetError> {
    let Array { shape, values } = weights.array(&format!("{name}.weight"))?;
    let (outputs, inputs) = (shape[0], shape[1]);
    let taps: usize = shape[2..].iter().product();
    let mut turned = Vec::with_capacity(values.len());
    for tap in 0..taps {
        for input in 0..inputs {
            let at = |output: usize| values[(output * inputs + input) * taps + tap];
            turned.extend(
                (0..outputs).map(|output| at(output) * scale.map_or(1.0, |scale| scale[output])),
            );
        }
    }
    Ok(Tensor::from_vec(
        turned,
        (taps * inputs, outputs),
        &Device::Cpu,
    )?)
}

/// A vector as a tensor.
fn vector(values: Vec<f32>) -> Result<Tensor> {
    let length = values.len();
    Tensor::from_vec(values, length, &Device::Cpu)
}
