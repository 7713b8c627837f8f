//! Geometry of a batch of boards: neighbour tables, broadcasting to all points of a board, and pooling.

use candle_core::{CpuStorage, CustomOp1, D, Layout, Result, Shape, Tensor};

use super::product::OFF_BOARD;
use crate::net::desc::layers::Pooling;

/// Rows and columns of a kernel.
pub type Kernel = (usize, usize);

/// Batch of boards of the same size. Every row of a tensor is a point on a board, so no mask is needed.
#[derive(Debug)]
pub struct Grid {
    count: usize,
    height: usize,
    width: usize,
    neighbours: Vec<(Kernel, Vec<usize>)>,
}

impl Grid {
    /// Creates a grid of `count` boards and the neighbour tables for the listed kernels.
    pub fn new(count: usize, height: usize, width: usize, kernels: &[Kernel]) -> Self {
        let mut grid = Self {
            count,
            height,
            width,
            neighbours: Vec::new(),
        };
        for &kernel in kernels {
            let table = grid.table(kernel);
            grid.neighbours.push((kernel, table));
        }
        grid
    }

    /// Lists, for each point of the batch, the points under a kernel centred on it, in row-major order.
    ///
    /// Positions off the board are [`OFF_BOARD`].
    fn table(&self, (rows, columns): Kernel) -> Vec<usize> {
        let (up, left) = (rows / 2, columns / 2);
        let points = self.count * self.area();
        let mut table = Vec::with_capacity(rows * columns * points);
        for point in 0..points {
            let (row, column) = (point / self.width % self.height, point % self.width);
            let corner = point - row * self.width - column;
            for down in 0..rows {
                for right in 0..columns {
                    // Row and column are offset by `up` and `left` to avoid negative numbers.
                    let (row, column) = (row + down, column + right);
                    let on_board = (up..up + self.height).contains(&row)
                        && (left..left + self.width).contains(&column);
                    let at = || corner + (row - up) * self.width + column - left;
                    table.push(if on_board { at() } else { OFF_BOARD });
                }
            }
        }
        table
    }

    /// Returns the neighbour table of a kernel that was passed to [`new`](Self::new).
    pub fn neighbours(&self, kernel: Kernel) -> Result<&[usize]> {
        let found = self.neighbours.iter().find(|(known, _)| *known == kernel);
        match found {
            Some((_, table)) => Ok(table),
            None => candle_core::bail!("expected one of the grid's kernels, found {kernel:?}"),
        }
    }

    /// Number of boards.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of points per board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    /// Adds row `i` of `added` (`[count, channels]`) to all rows of board `i`.
    pub fn add_to_positions(&self, x: &Tensor, added: &Tensor) -> Result<Tensor> {
        let channels = x.dim(D::Minus1)?;
        let boards = x.reshape((self.count, self.area(), channels))?;
        boards
            .broadcast_add(&added.unsqueeze(1)?)?
            .reshape(x.shape())
    }

    /// Pools each board: `[rows, channels]` to `[count, 3 * channels]`.
    pub fn pooled(&self, x: &Tensor, pooling: Pooling) -> Result<Tensor> {
        x.apply_op1_no_bwd(&Pooled(pooling, self))
    }

    /// Flattens each board in channel-major order: `[rows, channels]` to `[count, channels * area]`.
    pub fn flat(&self, x: &Tensor) -> Result<Tensor> {
        let channels = x.dim(D::Minus1)?;
        x.reshape((self.count, self.area(), channels))?
            .transpose(1, 2)?
            .contiguous()?
            .reshape((self.count, channels * self.area()))
    }

    /// Returns the data of a contiguous `[rows, channels]` tensor and its number of channels.
    ///
    /// Returns an error if the tensor is not contiguous or does not match the number of points.
    pub fn rows<'a>(&self, storage: &'a CpuStorage, layout: &Layout) -> Result<(&'a [f32], usize)> {
        let (count, channels) = layout.shape().dims2()?;
        match layout.contiguous_offsets() {
            Some((start, end)) if count == self.count * self.area() => {
                Ok((&storage.as_slice()?[start..end], channels))
            }
            _ => candle_core::bail!(
                "expected contiguous rows for {} boards of {} points, found {layout:?}",
                self.count,
                self.area()
            ),
        }
    }
}

struct Pooled<'a>(Pooling, &'a Grid);

impl CustomOp1 for Pooled<'_> {
    fn name(&self) -> &'static str {
        "pooled"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Self(pooling, grid) = *self;
        let (x, channels) = grid.rows(storage, layout)?;
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
                    output.extend(mean.iter().map(|mean| mean * (side * side / 100.0 - 0.1)));
                }
            }
        }
        Ok((CpuStorage::F32(output), (grid.count, 3 * channels).into()))
    }
}
