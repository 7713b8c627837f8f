//! Square convolutions with Winograd's algorithms F(4x4, 3x3) and F(2x2, 5x5), which need 36 products per tile instead
//! of 144 and 100.
//!
//! See Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2016). The interpolation points are 0,
//! ±1/√2, ±√2 and infinity, which cause smaller rounding errors than 0, ±1, ±2 and infinity (Barabasz et al., "Error
//! Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", 2020).
//!
//! A board is cut into tiles. The 6x6 points that a tile reads are transformed to 36 numbers per channel, one for each
//! *frequency*. For each frequency, the tiles are the rows of a matrix that is multiplied by the transformed weights.
//! The products are transformed back to the points of the tile. Results for points outside the board, or in the last
//! row or column of a clipped tile ([`tiling`]), are discarded.

pub mod conv;
pub mod tiling;

use pulp::Simd;

use super::layout::BoardLayout;
use super::strided_view::StridedView;
use crate::net::cpu::vectors::mul_add;
use tiling::{NUM_INTERPOLATION_KINDS, interpolation_kind, matrix_rows_per_board};

/// Side of the square of points that a tile reads. A tile stores fewer points; see [`output_tile_side`].
pub const INPUT_TILE_SIDE: usize = 6;
/// Number of products per tile, input channel and output channel.
pub const NUM_FREQUENCIES: usize = INPUT_TILE_SIDE * INPUT_TILE_SIDE;
/// The finite interpolation points other than 0 are A, -A, B and -B, with A * B = 1.
const POINT_A: f32 = std::f32::consts::FRAC_1_SQRT_2;
const POINT_B: f32 = std::f32::consts::SQRT_2;
const POINT_A_SQUARED: f32 = 0.5;
const POINT_B_SQUARED: f32 = 2.0;
/// Gap between the matrices of two frequencies, in elements. It prevents all matrices from mapping to the same cache
/// sets.
const MATRIX_GAP: usize = 16;

/// Returns the side of an output tile, or `None` if the algorithm does not support this kernel size.
pub const fn output_tile_side(kernel: (usize, usize)) -> Option<usize> {
    match kernel {
        (3, 3) => Some(4),
        (5, 5) => Some(2),
        _ => None,
    }
}

/// Returns the distance between the matrices of consecutive frequencies, in elements. `stride` is the number of
/// elements per tile.
pub fn frequency_stride(tiles: usize, stride: usize) -> usize {
    tiles * stride + MATRIX_GAP
}

/// Returns true if the algorithm is estimated to be faster than direct convolution on boards of this size.
///
/// The cost of each method is its number of multiplications. For Winograd's algorithm, each transformed number counts
/// as five more multiplications. A matrix with fewer than six rows counts as having six, because loading the weights
/// then determines the time.
pub fn is_faster_than_direct(
    layout: &BoardLayout,
    kernel: usize,
    tile: usize,
    inputs: usize,
    outputs: usize,
) -> bool {
    const MIN_ROWS: usize = 6;
    const TRANSFORM: usize = 5;
    let (rows, columns) = layout.tile_counts(tile);
    let tiles = rows * columns;
    let products = tiles.max(MIN_ROWS) * inputs * outputs;
    let transformed = TRANSFORM * tiles * (inputs + outputs);
    NUM_FREQUENCIES * (products + transformed)
        < kernel * kernel * layout.area().max(MIN_ROWS) * inputs * outputs
}

/// Returns the number of products per input and output channel for a board, cut into tiles of `side` by `side` points.
pub fn products_per_channel_pair(layout: &BoardLayout, side: usize) -> usize {
    let rows = |frequency| matrix_rows_per_board(layout, side, frequency_kind(frequency));
    (0..NUM_FREQUENCIES).map(rows).sum()
}

/// Transforms the weights of a convolution from `[kernel, kernel, inputs, outputs]` to `[36, inputs, outputs]`.
pub fn transform_weights(weights: &[f32], kernel: usize) -> Vec<f32> {
    let pairs = weights.len() / (kernel * kernel);
    let (a2, b2) = (f64::from(POINT_A_SQUARED), f64::from(POINT_B_SQUARED));
    let (a, b) = (f64::sqrt(a2), f64::sqrt(b2));
    let (of_a, of_b) = (2.0 * a2 * (a2 - b2), 2.0 * b2 * (b2 - a2));
    // The powers of the point, divided by the product of its differences from the other finite points.
    let point = |p: f64, product: f64| -> Vec<f64> {
        (0..kernel)
            .map(|power| p.powi(power as i32) / product)
            .collect()
    };
    let mut infinity = vec![0.0; kernel];
    infinity[kernel - 1] = 1.0;
    let rows = [
        point(0.0, a2 * b2),
        point(a, of_a),
        point(-a, of_a),
        point(b, of_b),
        point(-b, of_b),
        infinity,
    ];
    // All pairs of an input and an output channel are transformed in parallel.
    let mut result = Vec::with_capacity(NUM_FREQUENCIES * pairs);
    let mut half = vec![0.0; kernel * pairs];
    let mut whole = vec![0.0; pairs];
    for of_rows in &rows {
        half.fill(0.0);
        for (factor, line) in of_rows.iter().zip(weights.chunks_exact(kernel * pairs)) {
            for (sum, weight) in half.iter_mut().zip(line) {
                *sum += factor * f64::from(*weight);
            }
        }
        for of_columns in &rows {
            whole.fill(0.0);
            for (factor, half) in of_columns.iter().zip(half.chunks_exact(pairs)) {
                for (sum, half) in whole.iter_mut().zip(half) {
                    *sum += factor * half;
                }
            }
            result.extend(whole.iter().map(|sum| *sum as f32));
        }
    }
    result
}

/// View of a vector of channels of a tile, with one element per frequency.
pub type TileFrequencyView<'a, T> = StridedView<'a, T, NUM_FREQUENCIES, NUM_INTERPOLATION_KINDS>;

/// Returns the [`interpolation_kind`] of the matrix of a frequency.
#[inline(always)]
pub const fn frequency_kind(frequency: usize) -> usize {
    const LAST: usize = INPUT_TILE_SIDE - 1;
    let (row, column) = (frequency / INPUT_TILE_SIDE, frequency % INPUT_TILE_SIDE);
    interpolation_kind(row == LAST, column == LAST)
}

/// Returns a column of the result of [`input_transform_rows`].
#[inline(always)]
pub fn tile_column<T: Copy>(
    half: &[[T; INPUT_TILE_SIDE]; INPUT_TILE_SIDE],
    column: usize,
) -> [T; INPUT_TILE_SIDE] {
    std::array::from_fn(|row| half[row][column])
}

/// Applies the one-dimensional input transform to each row of 6x6 points, for one vector of channels. This is the first
/// half of the two-dimensional transform. Consecutive rows of points are `row_stride` vectors apart, and consecutive
/// columns are `vectors` vectors apart.
#[inline(always)]
pub fn input_transform_rows<S: Simd>(
    simd: S,
    from: &[S::f32s],
    row_stride: usize,
    vectors: usize,
) -> [[S::f32s; INPUT_TILE_SIDE]; INPUT_TILE_SIDE] {
    let mut half = [[simd.splat_f32s(0.0); INPUT_TILE_SIDE]; INPUT_TILE_SIDE];
    for (row, half) in half.iter_mut().enumerate() {
        let points = StridedView::<_, INPUT_TILE_SIDE, 1>::new(from, vectors, [row * row_stride]);
        *half = input_transform_line(simd, std::array::from_fn(|column| *points.get(0, column)));
    }
    half
}

/// Applies the one-dimensional input transform (`B^T` in Lavin and Gray) to a line of six numbers. The weight
/// transform includes the division by the differences of the interpolation points.
#[inline(always)]
pub fn input_transform_line<S: Simd>(
    simd: S,
    d: [S::f32s; INPUT_TILE_SIDE],
) -> [S::f32s; INPUT_TILE_SIDE] {
    let add = |c: f32, x, y| mul_add(simd, simd.splat_f32s(c), x, y);
    let even_a = add(-POINT_B_SQUARED, d[2], d[4]);
    let odd_a = add(-POINT_B_SQUARED, d[1], d[3]);
    let even_b = add(-POINT_A_SQUARED, d[2], d[4]);
    let odd_b = add(-POINT_A_SQUARED, d[1], d[3]);
    [
        add(
            -POINT_A_SQUARED - POINT_B_SQUARED,
            d[2],
            simd.add_f32s(d[0], d[4]),
        ),
        add(POINT_A, odd_a, even_a),
        add(-POINT_A, odd_a, even_a),
        add(POINT_B, odd_b, even_b),
        add(-POINT_B, odd_b, even_b),
        add(
            -POINT_A_SQUARED - POINT_B_SQUARED,
            d[3],
            simd.add_f32s(d[1], d[5]),
        ),
    ]
}

/// Applies the two-dimensional output transform to the products of a tile.
#[inline(always)]
pub fn output_transform<S: Simd, const T: usize>(
    simd: S,
    products: TileFrequencyView<'_, S::f32s>,
) -> [[S::f32s; T]; T] {
    let mut half = [[simd.splat_f32s(0.0); T]; INPUT_TILE_SIDE];
    for (row, half) in half.iter_mut().enumerate() {
        let line = std::array::from_fn(|column| {
            let frequency = row * INPUT_TILE_SIDE + column;
            *products.get(frequency_kind(frequency), frequency)
        });
        *half = output_transform_line::<S, T>(simd, line);
    }
    let mut result = [[simd.splat_f32s(0.0); T]; T];
    for column in 0..T {
        let line =
            output_transform_line::<S, T>(simd, std::array::from_fn(|row| half[row][column]));
        for (row, number) in line.into_iter().enumerate() {
            result[row][column] = number;
        }
    }
    result
}

/// Applies the one-dimensional output transform (`A^T` in Lavin and Gray). Result `i` is the sum of the products, each
/// multiplied by the `i`-th power of its interpolation point. The point at infinity contributes only to the last result.
#[inline(always)]
fn output_transform_line<S: Simd, const T: usize>(
    simd: S,
    m: [S::f32s; INPUT_TILE_SIDE],
) -> [S::f32s; T] {
    let times = |c: f32, x| simd.mul_f32s(simd.splat_f32s(c), x);
    let add = |c: f32, x, y| mul_add(simd, simd.splat_f32s(c), x, y);
    let (sum_a, odd_a) = (simd.add_f32s(m[1], m[2]), simd.sub_f32s(m[1], m[2]));
    let (sum_b, odd_b) = (simd.add_f32s(m[3], m[4]), simd.sub_f32s(m[3], m[4]));
    let sums = [
        simd.add_f32s(m[0], simd.add_f32s(sum_a, sum_b)),
        add(POINT_A, odd_a, times(POINT_B, odd_b)),
        add(POINT_A_SQUARED, sum_a, times(POINT_B_SQUARED, sum_b)),
        add(
            POINT_A * POINT_A_SQUARED,
            odd_a,
            times(POINT_B * POINT_B_SQUARED, odd_b),
        ),
    ];
    // Not a closure: a closure that is not inlined would be compiled without the vector instructions.
    let mut result = [sums[0]; T];
    result.copy_from_slice(&sums[..T]);
    result[T - 1] = simd.add_f32s(result[T - 1], m[5]);
    result
}
